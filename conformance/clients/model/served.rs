//! A wiremock server for tests that are not async: one responder answers whatever comes.
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond};

/// A server on loopback, gone with this value.
pub(crate) struct Served {
    runtime: Runtime,
    server: MockServer,
}

impl Served {
    /// # Panics
    /// When the machine gives no runtime.
    pub(crate) fn start(responder: impl Respond + 'static) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let server = runtime.block_on(async {
            let server = MockServer::start().await;
            Mock::given(any()).respond_with(responder).mount(&server).await;
            server
        });
        Self { runtime, server }
    }

    pub(crate) fn url(&self) -> String {
        self.server.uri()
    }

    /// The requests so far whose path ends like this, in order of arrival.
    ///
    /// # Panics
    /// When wiremock was told not to keep them.
    pub(crate) fn requests(&self, path_end: &str) -> Vec<Request> {
        let requests = self.runtime.block_on(self.server.received_requests()).expect("requests are kept");
        requests.into_iter().filter(|request| request.url.path().ends_with(path_end)).collect()
    }
}

/// The JSON of a request; null where it is none.
pub(crate) fn body(request: &Request) -> Value {
    request.body_json().unwrap_or_default()
}
