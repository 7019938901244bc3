//! `stop-auditor uninstall`: takes back what `install` did, and nothing else (3.5).
//! The settings go first: a registration whose binary is gone would be a failing hook at every turn.

use super::failure::Failure;
use super::{binary, changes};
use crate::paths;
use crate::settings::document::Document;
use crate::settings::file::SettingsFile;
use crate::settings::registration::registered_commands;
use crate::settings::{self, EVENTS, Uninstalled, backups};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What `uninstall` is told.
#[derive(Debug, clap::Args)]
#[command(
    about = "卸掉：去掉两条注册、安装时写的 env 和复制的程序，别的都不动",
    long_about = "卸掉：从 settings.json 里去掉两条注册和安装时写的 env，删掉复制的程序，别的都不动。\n\
                  装完以后没改过别的，settings.json 会逐字节变回原样。日志和备份留着。\
                  安装时用过 --settings，卸的时候给同一个文件。",
    after_help = "例：\n  stop-auditor uninstall --dry-run\n  stop-auditor uninstall"
)]
pub struct UninstallArgs {
    /// Another settings file than the user's.
    #[arg(long, value_name = "FILE", value_parser = super::absolute_path(), help = "改这个设置文件，而不是配置目录里的 settings.json")]
    pub settings: Option<PathBuf>,
    /// Print the diff and change nothing.
    #[arg(long, help = "只打印会改什么，一个文件都不动")]
    pub dry_run: bool,
}

/// Uninstalls; exit code 1 when anything was refused or failed.
pub fn run(args: &UninstallArgs) -> ExitCode {
    let mut out = io::stdout().lock();
    match uninstall(args, &mut out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.tell("没卸"),
    }
}

/// All that is known before the first change.
struct Plan {
    place: PathBuf,
    path: PathBuf,
    file: SettingsFile,
    /// What the file will hold; `None` where it goes or never was.
    left: Option<Vec<u8>>,
}

impl Plan {
    fn changes_settings(&self) -> bool {
        self.file.bytes() != self.left.as_deref()
    }

    fn texts(&self) -> (String, String) {
        let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
        (text(self.file.bytes()), text(self.left.as_deref()))
    }
}

fn uninstall(args: &UninstallArgs, out: &mut impl Write) -> Result<(), Failure> {
    let config_dir = paths::config_dir().ok_or(Failure::NoHome)?;
    let path = args.settings.clone().unwrap_or_else(|| config_dir.join("settings.json"));
    let file = SettingsFile::read(&path).map_err(Failure::io("读", &path))?;
    let left = left_over(&file, &path)?;
    let plan = Plan { place: binary::place(&config_dir), path, file, left };
    if args.dry_run {
        print_dry_run(&plan, out)?;
        return Ok(());
    }
    let mut done = Vec::new();
    rewrite(&plan, &mut done)?;
    if args.settings.is_some() && runs_elsewhere(&config_dir, &plan.place) {
        // A registration whose program is gone would be a failing hook at every turn.
        done.push(format!("留着 {}：配置目录里的 settings.json 还注册着它", plan.place.display()));
    } else if binary::remove(&plan.place).map_err(|failure| failure.after(&done))? {
        done.push(format!("删掉 {}", plan.place.display()));
    }
    print_done(&plan, &done, out)?;
    Ok(())
}

/// Whether the user's own settings register the program too.
fn runs_elsewhere(config_dir: &Path, place: &Path) -> bool {
    let settings = SettingsFile::read(&config_dir.join("settings.json"));
    let document = settings.ok().and_then(|file| Document::parse(file.bytes()?).ok());
    let commands = document
        .iter()
        .flat_map(|document| EVENTS.iter().flat_map(move |(event, _)| registered_commands(document, event)));
    commands.filter_map(|command| shlex::split(&command)?.pop()).any(|program| Path::new(&program) == place)
}

fn left_over(file: &SettingsFile, path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    let Some(bytes) = file.bytes() else { return Ok(None) };
    let baseline = backups::baseline(path).map_err(Failure::io("找备份", path))?;
    let uninstalled = Document::parse(bytes)
        .and_then(|current| settings::uninstall(&current, baseline.as_ref()))
        .map_err(|refusal| Failure::Settings(path.to_owned(), refusal))?;
    Ok(match uninstalled {
        Uninstalled::Nothing => Some(bytes.to_vec()),
        Uninstalled::Text(document) => Some(document.to_bytes()),
        // An install makes no links, and has nothing to back up where it makes the file: then it was there before.
        Uninstalled::Gone if file.is_link() || was_there(path)? => Some(b"{}\n".to_vec()),
        Uninstalled::Gone => None,
    })
}

fn was_there(path: &Path) -> Result<bool, Failure> {
    backups::newest_first(path).map(|backups| !backups.is_empty()).map_err(Failure::io("找备份", path))
}

fn rewrite(plan: &Plan, done: &mut Vec<String>) -> Result<(), Failure> {
    if !plan.changes_settings() {
        return Ok(());
    }
    let path = &plan.path;
    let staged = plan.left.as_ref().map(|bytes| plan.file.stage(bytes)).transpose();
    let staged = staged.map_err(Failure::io("写", path))?;
    let backup = plan.file.back_up().map_err(Failure::io("备份", path))?;
    done.extend(backup.iter().map(|backup| format!("备份到 {}", backup.display())));
    let written = match staged {
        Some(staged) => staged.commit(),
        None => plan.file.remove(),
    };
    written.map_err(|error| Failure::io("写", path)(error).after(done))?;
    done.push(match plan.left {
        Some(_) => format!("改了 {}", path.display()),
        None => format!("删掉 {}（是安装时新建的，没有别的内容）", path.display()),
    });
    Ok(())
}

fn print_dry_run(plan: &Plan, out: &mut impl Write) -> io::Result<()> {
    let path = plan.path.display().to_string();
    writeln!(out, "{} 是安装时复制的程序的话，会删掉", plan.place.display())?;
    if !plan.changes_settings() {
        return writeln!(out, "{path} 里没有要去掉的");
    }
    let (old, new) = plan.texts();
    let what = if plan.left.is_some() { "会先备份再改" } else { "会先备份再删掉" };
    write!(out, "{what} {path}\n\n{}", changes::unified(&path, &old, &new))
}

fn print_done(plan: &Plan, done: &[String], out: &mut impl Write) -> io::Result<()> {
    if done.is_empty() {
        return writeln!(out, "没有装过：{} 里没有注册，程序也不在。", plan.path.display());
    }
    for line in done {
        writeln!(out, "{line}")?;
    }
    let (old, new) = plan.texts();
    for line in changes::lines(&old, &new) {
        writeln!(out, "  {line}")?;
    }
    writeln!(out, "\n日志和 settings.json 的备份都留着，不要了可以自己删。")
}
