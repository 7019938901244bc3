//! `stop-auditor install`: the binary, two registrations, and the hand-over of 10.1.
//! Everything that can be refused is refused before the first file is touched.

use super::auditor_args::AuditorArgs;
use super::check::{self, Finding};
use super::failure::Failure;
use super::{binary, changes, selftest};
use crate::auditor::preset::address;
use crate::auditor::preset::chosen::Unusable;
use crate::auditor::signals::Signals;
use crate::auditor::{AuditError, Auditor, vendor};
use crate::paths;
use crate::settings::document::{Document, Step};
use crate::settings::file::SettingsFile;
use crate::settings::{
    self, BASE_URL_VARIABLE, COMMAND_VARIABLE, MODEL_VARIABLE, Request, backups, registration,
};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What `install` is told.
#[derive(Debug, clap::Args)]
#[command(
    about = "装上：复制程序，在 settings.json 里注册 Stop 和 UserPromptSubmit，最后自测",
    long_about = "装上：把本程序复制到 Claude Code 配置目录（CLAUDE_CONFIG_DIR，没有就是 ~/.claude）的 \
                  hooks/stop-auditor，在 settings.json 里注册 Stop（180 秒）和 UserPromptSubmit（10 秒），最后跑自测。\n\
                  装之前先看审计员能不能用：用不了，在终端上问换哪家，别处就不装（除非给 --auditor-cmd 或 --force）。\n\
                  审计员默认是 Codex CLI，--auditor 换一家，写进 settings.json 的 env；密钥不写进去，只写它在哪个环境变量里。\n\
                  settings.json 先备份，只加不删，原有的顺序、缩进、数字写法和换行都不动；不是严格的 JSON 就不碰它。\
                  再装一次什么都不改；换了新版再装，只换程序。",
    after_help = "例：先看会改什么，再装\n  stop-auditor install --dry-run\n  stop-auditor install\n\
                  例：换一家审计员\n  \
                  stop-auditor install --auditor openai-compatible --base-url https://api.deepseek.com --model deepseek-v4-pro --key-env DEEPSEEK_API_KEY\n  \
                  stop-auditor install --auditor codex      换回默认的\n\
                  例：自己的命令\n  stop-auditor install --auditor-cmd 'judge --strict'"
)]
pub struct InstallArgs {
    /// Another settings file than the user's.
    #[arg(long, value_name = "FILE", value_parser = super::absolute_path(), help = "改这个设置文件，而不是配置目录里的 settings.json")]
    pub settings: Option<PathBuf>,
    /// Print the diff and change nothing.
    #[arg(long, help = "只打印会改什么，一个文件都不动")]
    pub dry_run: bool,
    /// Replace what an install otherwise leaves alone.
    #[arg(
        long,
        help = "审计员现在用不了也装；env 里已有的审计员设置、hooks/stop-auditor 处别的文件，也换掉"
    )]
    pub force: bool,
    /// Which auditor the hook is to ask; without an option it stays as it is.
    #[command(flatten)]
    pub auditor: AuditorArgs,
}

/// Installs and hands over; exit code 1 when anything was refused, failed, or the self-test did not pass.
pub fn run(args: &InstallArgs) -> ExitCode {
    let mut out = io::stdout().lock();
    match install(args, &mut out) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => failure.tell("没装"),
    }
}

/// All that is known before the first change.
struct Plan {
    place: PathBuf,
    own: (PathBuf, Vec<u8>),
    found: binary::Found,
    settings_path: PathBuf,
    file: SettingsFile,
    document: Document,
}

impl Plan {
    fn old_text(&self) -> String {
        String::from_utf8_lossy(self.file.bytes().unwrap_or_default()).into_owned()
    }

    fn new_bytes(&self) -> Vec<u8> {
        self.document.to_bytes()
    }

    fn changes_settings(&self) -> bool {
        self.file.bytes() != Some(self.new_bytes().as_slice())
    }
}

fn install(args: &InstallArgs, out: &mut impl Write) -> Result<bool, Failure> {
    // Nobody is asked for an auditor where nothing could be installed anyway.
    let mut plan = plan_with(args, &args.auditor)?;
    if let Some(other) = look_first(args, out)? {
        plan = plan_with(args, &other)?;
    }
    if args.dry_run {
        print_dry_run(&plan, out)?;
        return Ok(true);
    }
    let done = carry_out(&plan)?;
    print_files(&plan, &done, out)?;
    let commands = selftest::Commands::registered(&plan.document, &plan.settings_path);
    let has_passed = match commands {
        Some(commands) => selftest::perform(&commands, out)?,
        None => false,
    };
    print_ending(&plan, has_passed, out)?;
    Ok(has_passed)
}

/// Looks whether the auditor can be asked (2.3); what the person chose instead, where it cannot.
fn look_first(args: &InstallArgs, out: &mut impl Write) -> Result<Option<AuditorArgs>, Failure> {
    let choice = args.auditor.applied_to(check::choice(args.settings.as_deref()));
    if args.auditor.auditor.is_some()
        && let Err(error @ AuditError::Unusable(_)) = Auditor::choose(&choice)
        && !matches!(error, AuditError::Unusable(Unusable::NoKey(_)))
    {
        // No key may come later; what was not said cannot.
        return Err(Failure::Auditor(error));
    }
    if args.force || args.auditor.auditor_cmd.is_some() {
        return Ok(None);
    }
    let signals = Signals::catch().map_err(Failure::io("等", Path::new("signal")))?;
    let findings = check::look_at_auditor(&choice, false, &signals);
    let problems: Vec<Finding> = findings.into_iter().filter(Finding::is_problem).collect();
    if problems.is_empty() {
        return Ok(None);
    }
    if args.dry_run {
        for problem in problems {
            writeln!(out, "{problem}")?;
        }
        return Ok(None);
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::AuditorNotReady(problems));
    }
    ask_for_another(problems)
}

fn ask_for_another(problems: Vec<Finding>) -> Result<Option<AuditorArgs>, Failure> {
    let mut err = io::stderr().lock();
    for problem in &problems {
        writeln!(err, "{problem}")?;
    }
    write!(err, "换哪个审计员？写一条 shell 命令（从 stdin 读提示词，把回复打到 stdout），直接回车就不装：")?;
    err.flush()?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    match line.trim() {
        "" => Err(Failure::AuditorNotReady(problems)),
        command => Ok(Some(AuditorArgs { auditor_cmd: Some(command.to_owned()), ..AuditorArgs::default() })),
    }
}

fn plan_with(args: &InstallArgs, auditor: &AuditorArgs) -> Result<Plan, Failure> {
    let config_dir = paths::config_dir().ok_or(Failure::NoHome)?;
    let place = binary::place(&config_dir);
    let command = place.to_str().and_then(|path| shlex::try_quote(path).ok());
    let command = command.ok_or_else(|| Failure::PathIsNoText(place.clone()))?.into_owned();
    let settings_path = args.settings.clone().unwrap_or_else(|| config_dir.join("settings.json"));
    let own = binary::own()?;
    let found = binary::look(&place, &own.1)?;
    if found == binary::Found::Foreign && !args.force {
        return Err(Failure::NotOurs(place));
    }
    let file = SettingsFile::read(&settings_path).map_err(Failure::io("读", &settings_path))?;
    let (env, unset) = auditor.variables();
    let document = edit(&file, &settings_path, &Request { command, env, unset, force: args.force })?;
    refuse_anthropic(&document)?;
    Ok(Plan { place, own, found, settings_path, file, document })
}

fn edit(file: &SettingsFile, path: &Path, request: &Request) -> Result<Document, Failure> {
    let baseline = backups::baseline(path).map_err(Failure::io("找备份", path))?;
    let edit = || {
        let before = file.bytes().map(Document::parse).transpose()?;
        settings::install(before.as_ref(), baseline.as_ref(), request)
    };
    edit().map_err(|refusal| Failure::Settings(path.to_owned(), refusal))
}

/// What the settings will tell the hook counts, whoever wrote it there; `--force` is no way round (1.7).
fn refuse_anthropic(document: &Document) -> Result<(), Failure> {
    let variable = |name| document.string(&[Step::Key("env"), Step::Key(name)]);
    let (command, model) = (variable(COMMAND_VARIABLE).unwrap_or_default(), variable(MODEL_VARIABLE));
    if vendor::is_anthropic(command, model) {
        let auditor = [Some(command), model].into_iter().flatten().filter(|part| !part.is_empty());
        return Err(Failure::Anthropic(auditor.collect::<Vec<_>>().join("，模型 ")));
    }
    match variable(BASE_URL_VARIABLE) {
        Some(url) if address::is_anthropic(url) => {
            return Err(Failure::Anthropic(address::without_secrets(url)));
        }
        Some(_) | None => {}
    }
    Ok(())
}

/// What was done, for the hand-over.
struct Done {
    backup: Option<PathBuf>,
}

fn carry_out(plan: &Plan) -> Result<Done, Failure> {
    let settings = &plan.settings_path;
    let mut done = Vec::new();
    let staged = if plan.changes_settings() {
        if let Some(folder) = settings.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(Failure::io("建目录", folder))?;
        }
        Some(plan.file.stage(&plan.new_bytes()).map_err(Failure::io("写", settings))?)
    } else {
        None
    };
    if plan.found != binary::Found::Same {
        binary::write(&plan.place, &plan.own.1)?;
        done.push(format!("复制了 {}", plan.place.display()));
    }
    let Some(staged) = staged else { return Ok(Done { backup: None }) };
    let backup = plan.file.back_up().map_err(|error| Failure::io("备份", settings)(error).after(&done))?;
    done.extend(backup.iter().map(|path| format!("备份了 {}", path.display())));
    staged.commit().map_err(|error| Failure::io("写", settings)(error).after(&done))?;
    Ok(Done { backup })
}

fn print_dry_run(plan: &Plan, out: &mut impl Write) -> io::Result<()> {
    let place = plan.place.display();
    match plan.found {
        binary::Found::Nothing => writeln!(out, "会新建 {place}")?,
        binary::Found::OtherBuild | binary::Found::Foreign => writeln!(out, "会替换 {place}")?,
        binary::Found::Same => writeln!(out, "{place} 已经是这一版")?,
    }
    let path = plan.settings_path.display().to_string();
    if plan.changes_settings() {
        let what = if plan.file.bytes().is_some() { "会先备份再改" } else { "会新建" };
        writeln!(out, "{what} {path}\n")?;
        write!(
            out,
            "{}",
            changes::unified(&path, &plan.old_text(), &String::from_utf8_lossy(&plan.new_bytes()))
        )
    } else {
        writeln!(out, "{path} 不用改")
    }
}

fn print_files(plan: &Plan, done: &Done, out: &mut impl Write) -> io::Result<()> {
    let (place, path) = (plan.place.display(), plan.settings_path.display());
    writeln!(out, "== 文件 ==")?;
    match plan.found {
        binary::Found::Nothing => writeln!(out, "新建 {place}（复制自 {}）", plan.own.0.display())?,
        binary::Found::OtherBuild => writeln!(out, "换成这一版 {place}（复制自 {}）", plan.own.0.display())?,
        binary::Found::Foreign => writeln!(out, "替换别的文件 {place}（--force）")?,
        binary::Found::Same => writeln!(out, "没变 {place}")?,
    }
    if let Some(backup) = &done.backup {
        writeln!(out, "新建 {}（{path} 改之前的备份）", backup.display())?;
    }
    if !plan.changes_settings() {
        return writeln!(out, "没变 {path}（两条注册都已经在）\n");
    }
    writeln!(out, "{} {path}，改了这几行：", if done.backup.is_some() { "改动" } else { "新建" })?;
    for line in changes::lines(&plan.old_text(), &String::from_utf8_lossy(&plan.new_bytes())) {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)
}

fn print_ending(plan: &Plan, has_passed: bool, out: &mut impl Write) -> io::Result<()> {
    let path = plan.settings_path.display();
    writeln!(out, "== 注意 ==")?;
    if !has_passed {
        writeln!(out, "自测没有全过，不算装好。注册已经写进去了；先不用的话，运行 stop-auditor uninstall。")?;
    }
    if std::env::var_os(COMMAND_VARIABLE).is_some_and(|value| !value.is_empty()) {
        writeln!(out, "环境里设着 {COMMAND_VARIABLE}：启动 Claude Code 的环境里也有它的话，审计员就是它。")?;
    }
    if settings::hooks_are_off(&plan.document) {
        writeln!(out, "{path} 里 disableAllHooks 是 true：所有 hook 都不会跑，包括这一个。")?;
    }
    for other in registration::other_auditors(&plan.document) {
        writeln!(out, "Stop 里还有另一个审计员，每轮会审两遍，删掉那条注册：{other}")?;
    }
    writeln!(out, "重开一个 Claude Code 会话，随便问一句，日志里有这一轮，就是真的挂上了。")?;
    writeln!(out, "\n== 怎么关掉 ==")?;
    writeln!(out, "删掉 {path} 里这两条注册就行，或者运行 stop-auditor uninstall。")?;
    writeln!(out, "只关一会儿：在 {path} 的 env 里加 \"STOP_AUDITOR_OFF\": \"1\"。")
}
