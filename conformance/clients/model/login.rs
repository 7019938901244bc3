//! A ChatGPT login of Codex, and the service that renews it. Its tokens rotate: each renewal makes the ones before
//! worthless, so one that is lost is the person's login lost.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use wiremock::{Request, Respond, ResponseTemplate};

use super::served::{Served, body};

/// When a token ends, in seconds since 1970. Codex renews one that has ended before it asks.
const ENDED: u64 = 1;
const ENDS_IN_2100: u64 = 4_102_444_800;

/// The tokens before the renewal, or after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tokens {
    /// What the person has; the access token has ended.
    Ended,
    /// What the person has; only the service knows that it takes them no longer.
    Withdrawn,
    /// What the service gives.
    New,
}

impl Tokens {
    /// What a request carries.
    pub(crate) fn access(self) -> String {
        let ends_at = if self == Tokens::Ended { ENDED } else { ENDS_IN_2100 };
        let who = json!({"chatgpt_plan_type": "pro", "chatgpt_account_id": "account-1", "chatgpt_user_id": "user-1"});
        let claims = json!({"exp": ends_at, "email": "u@example.com", "https://api.openai.com/auth": who,
                            "jti": self.refresh()});
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        format!(
            "{}.{}.{}",
            part(&json!({"alg": "RS256", "typ": "JWT"})),
            part(&claims),
            URL_SAFE_NO_PAD.encode("signed")
        )
    }

    /// What a renewal costs.
    pub(crate) fn refresh(self) -> &'static str {
        match self {
            Tokens::Ended | Tokens::Withdrawn => "refresh-token-old",
            Tokens::New => "refresh-token-new",
        }
    }

    /// The `auth.json` that holds them.
    pub(crate) fn file(self) -> String {
        let tokens = json!({"id_token": self.access(), "access_token": self.access(),
                            "refresh_token": self.refresh(), "account_id": "account-1"});
        json!({"auth_mode": "chatgpt", "OPENAI_API_KEY": null, "tokens": tokens,
               "last_refresh": "2026-11-01T00:00:00Z"})
        .to_string()
    }
}

/// How the service answers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Renewal {
    /// With [`Tokens::New`], for the old ones.
    Granted,
    /// Somebody else has used the old ones already.
    Refused,
}

/// A server on loopback.
pub(crate) struct Logins {
    served: Served,
}

impl Logins {
    pub(crate) fn new(renewal: Renewal) -> Self {
        Self { served: Served::start(renewal) }
    }

    /// For `CODEX_REFRESH_TOKEN_URL_OVERRIDE`.
    pub(crate) fn url(&self) -> String {
        self.served.url() + "/oauth/token"
    }

    /// The refresh tokens that were sent, in order.
    pub(crate) fn asked_with(&self) -> Vec<String> {
        let bodies = self.served.requests("/oauth/token").iter().map(body).collect::<Vec<Value>>();
        bodies.iter().map(|body| body["refresh_token"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

impl Respond for Renewal {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let is_old = body(request)["refresh_token"] == Tokens::Ended.refresh();
        match self {
            Renewal::Granted if is_old => ResponseTemplate::new(200).set_body_json(json!({
                "id_token": Tokens::New.access(), "access_token": Tokens::New.access(),
                "refresh_token": Tokens::New.refresh()})),
            Renewal::Granted | Renewal::Refused => {
                let error = json!({"code": "refresh_token_reused", "message": "already used"});
                ResponseTemplate::new(401).set_body_json(json!({"error": error}))
            }
        }
    }
}
