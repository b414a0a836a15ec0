//! Whether a connection works, in words.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use subcortex_guard::escape_for_display;
use subcortex_home::doctor::Finding;
use subcortex_known_agents::AGENTS;
use subcortex_spine::list_days;
use subcortex_store::durable::{self, ReadError};
use subcortex_store::{Disk, OpenMode};

use crate::record::{is_connected, load, record_file};
use crate::{ConnectError, Link, MAX_FILE_BYTES, memory_file, settings};

/// How much of the newest day is searched for the last event of a hook, in bytes.
const SEARCHED_BYTES: u64 = 4 * 1024 * 1024;
/// How old a failure may be that is worth telling, in seconds.
const RECENT_S: i64 = 24 * 3600;

/// Looks whether an agent tells this home what it does. Nothing is said about an agent that is not there.
pub fn findings(disk: &dyn Disk, link: &Link, now: Timestamp) -> Vec<Finding> {
    let is_connected = is_connected(disk, &link.home, link.agent);
    if !is_connected && !link.config_dir.is_dir() {
        return Vec::new();
    }
    match examine(disk, link, is_connected) {
        Ok(findings) => findings.into_iter().chain(recent_failures(disk, link, now)).collect(),
        Err(error) => vec![Finding::problem(
            about(link),
            error.to_string(),
            format!("mend it, then run {}", connect(link)),
        )],
    }
}

/// The other homes that the agent tells what it does. Settings that cannot be read are a finding of `doctor`.
pub fn other_homes(disk: &dyn Disk, link: &Link) -> Vec<PathBuf> {
    let (Ok(text), Ok(commands)) = (read(disk, &link.settings_file()), link.commands()) else {
        return Vec::new();
    };
    settings::other_homes(&text, &commands).map(|homes| homes.into_iter().collect()).unwrap_or_default()
}

fn about(link: &Link) -> &'static str {
    link.agent.name
}

fn connect(link: &Link) -> String {
    format!("`subcortex connect {}`", link.agent.name)
}

fn examine(disk: &dyn Disk, link: &Link, is_connected: bool) -> Result<Vec<Finding>, ConnectError> {
    let about = about(link);
    let path = link.settings_file();
    let text = read(disk, &path)?;
    let commands = link.commands()?;
    let found = settings::find(&text, &commands).map_err(|mistake| ConnectError::Mistake {
        path: path.clone(),
        line: text.get(..mistake.offset).unwrap_or_default().matches('\n').count() + 1,
        column: 1,
        what: mistake.what,
    })?;
    if found.is_empty() {
        let shown = path.display();
        return Ok(vec![if is_connected {
            let found = format!("the hooks are gone from {shown}, so nothing is heard of its sessions");
            Finding::warning(about, found, format!("add them again with {}", connect(link)))
        } else {
            Finding::ok(about, format!("not connected; {} adds hooks to {shown}", connect(link)))
        }]);
    }
    let mut findings = Vec::new();
    let wanted = commands.wanted();
    let missing: Vec<&str> = wanted
        .iter()
        .map(|hook| hook.event)
        .filter(|event| !found.iter().any(|found| found.event == *event))
        .collect();
    if !missing.is_empty() {
        findings.push(Finding::warning(
            about,
            format!("these hooks are missing: {}", missing.join(", ")),
            format!("add them with {}", connect(link)),
        ));
    }
    let program = found.first().and_then(|found| commands.program(&found.event, &found.command));
    if let Some(program) = program.filter(|program| *program != link.binary) {
        findings.push(if is_program(&program) {
            let found =
                format!("the hooks call {}, and this is {}", program.display(), link.binary.display());
            Finding::warning(about, found, format!("if that is not meant, run {}", connect(link)))
        } else {
            let found = format!("the hooks call {}, which is not there", program.display());
            Finding::problem(about, found, format!("make them call this program with {}", connect(link)))
        });
    }
    if settings::are_hooks_disabled(&text) {
        findings.push(Finding::warning(
            about,
            format!("disableAllHooks is set in {}, so no hook is called", path.display()),
            "remove that setting; until then only transcripts tell what happens",
        ));
    }
    findings.extend(other_homes(disk, link).into_iter().map(|home| {
        let home = escape_for_display(&home.display().to_string()).into_owned();
        Finding::warning(
            about,
            format!("its hooks tell another home, too: {home}; the agent is shown the rules of both"),
            format!("if that is not meant, run `subcortex --home {home} disconnect {}`", link.agent.name),
        )
    }));
    findings.extend(examine_memory(disk, link)?);
    if findings.is_empty() {
        findings.push(Finding::ok(
            about,
            format!("{} hooks in {}; {}", found.len(), path.display(), last(disk, link)),
        ));
    }
    Ok(findings)
}

fn examine_memory(disk: &dyn Disk, link: &Link) -> Result<Option<Finding>, ConnectError> {
    let Some(path) = link.memory_file() else { return Ok(None) };
    let line = memory_file::line(&link.home.broadcast())?;
    if memory_file::has(&read(disk, &path)?, &line) {
        return Ok(None);
    }
    let record = load(disk, &record_file(&link.home, link.agent))?;
    Ok(record.map(|_| {
        let found = format!("{} does not import the broadcast", path.display());
        Finding::warning(about(link), found, format!("add the line with {}", connect(link)))
    }))
}

/// A file of a person, links followed; one that is not there is empty.
fn read(disk: &dyn Disk, path: &Path) -> Result<String, ConnectError> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match durable::read_text(disk, &real, MAX_FILE_BYTES) {
        Ok(text) => Ok(text),
        Err(ReadError::Missing { .. }) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// When a hook of this agent was last heard of.
fn last(disk: &dyn Disk, link: &Link) -> String {
    match last_event(disk, link) {
        Some(ts) => format!("last heard of at {ts}"),
        None => "not heard of yet today".to_owned(),
    }
}

fn last_event(disk: &dyn Disk, link: &Link) -> Option<String> {
    let (days, _) = list_days(disk, &link.home.spine().events).ok()?;
    let newest = days.last().filter(|day| !day.compressed)?;
    let tail = tail(disk, &newest.path)?;
    let kind = format!("\"source\":{{\"kind\":\"{}\"", link.agent.name);
    let line = tail.lines().rev().find(|line| line.contains("\"hook\":\"") && line.contains(&kind))?;
    let event: serde_json::Value = serde_json::from_str(line).ok()?;
    event.pointer("/payload/hook")?;
    Some(event.get("ts")?.as_str()?.to_owned())
}

fn tail(disk: &dyn Disk, path: &Path) -> Option<String> {
    let file = disk.open(path, OpenMode::Read).ok()?;
    let len = file.len().ok()?;
    let start = len.saturating_sub(SEARCHED_BYTES);
    let mut bytes = vec![0; usize::try_from(len - start).ok()?];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(bytes.get_mut(filled..)?, start + filled as u64).ok()? {
            0 => break,
            count => filled += count,
        }
    }
    bytes.truncate(filled);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The newest line of the hooks' log, if it is not old. It does not say which agent it was, so only one finding tells it.
fn recent_failures(disk: &dyn Disk, link: &Link, now: Timestamp) -> Option<Finding> {
    let is_connected = |agent: &&&_| is_connected(disk, &link.home, agent);
    let first = AGENTS.iter().find(is_connected).or(AGENTS.first()).copied();
    let path = link.home.hooks_log();
    let log = tail(disk, &path).filter(|_| first == Some(link.agent))?;
    let newest = log.lines().last()?;
    let (ts, _) = newest.split_once(' ')?;
    let age_s = now.as_second() - ts.parse::<Timestamp>().ok()?.as_second();
    (age_s < RECENT_S).then(|| {
        Finding::warning(
            "hooks",
            format!("a hook failed today: {}", escape_for_display(newest)),
            format!("all of them are in {}", path.display()),
        )
    })
}
