//! `subcortex connect` and `disconnect`: an agent's settings, changed with its person's consent.

use std::io::{BufRead, IsTerminal, Write as _, stderr, stdin};
use std::path::PathBuf;

use subcortex_connect::{ConnectError, Link, Plan, apply, plan_connect, plan_disconnect, wait_until_quiet};
use subcortex_home::init;
use subcortex_import::Root;
use subcortex_store::durable::Patience;
use subcortex_transcript::Format;

use super::World;
use crate::args::{Agent, Connect};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print};
use crate::surroundings::Surroundings;

/// What has to be known of Codex, which trusts no hook that its person has not seen.
const CODEX_TRUST: &str = "codex runs new hooks only once you trust them: start `codex` and look at `/hooks`";

pub(crate) fn connect(world: &World<'_>, args: &Connect) -> Result<ExitCode, Failure> {
    let link = link(world, args.agent)?;
    let agent = link.agent.name();
    wait_until_quiet(&*world.disk, &link, Patience::USUAL).map_err(failure)?;
    let plan = plan_connect(&*world.disk, &link).map_err(failure)?;
    if !plan.is_empty() && !is_agreed(&plan, args, "connect")? {
        return Ok(ExitCode::Done);
    }
    init(&*world.disk, &world.home)?;
    apply(&*world.disk, &link, &plan).map_err(failure)?;
    if plan.is_empty() {
        print(&format!("{agent} is connected already; nothing was changed\n"))?;
    } else {
        print(&format!("{agent} is connected: new sessions tell {}\n", world.home.root().display()))?;
        if link.agent == Format::Codex {
            note(CODEX_TRUST);
        }
    }
    Ok(ExitCode::Done)
}

pub(crate) fn disconnect(world: &World<'_>, args: &Connect) -> Result<ExitCode, Failure> {
    let link = link(world, args.agent)?;
    let agent = link.agent.name();
    wait_until_quiet(&*world.disk, &link, Patience::USUAL).map_err(failure)?;
    let plan = plan_disconnect(&*world.disk, &link).map_err(failure)?;
    if !plan.is_empty() && !is_agreed(&plan, args, "disconnect")? {
        return Ok(ExitCode::Done);
    }
    if world.home.root().is_dir() {
        apply(&*world.disk, &link, &plan).map_err(failure)?;
    }
    print(&if plan.is_empty() {
        format!("{agent} is not connected; nothing was changed\n")
    } else {
        format!("{agent} is disconnected\n")
    })?;
    Ok(ExitCode::Done)
}

/// Shows the difference and asks, unless the answer is known.
fn is_agreed(plan: &Plan, args: &Connect, command: &str) -> Result<bool, Failure> {
    print(&plan.diff())?;
    if args.yes {
        return Ok(true);
    }
    if !stdin().is_terminal() {
        return Err(Failure::refused(format!(
            "nobody can be asked here, so nothing was changed\n\
             if the difference above is right, make it with `subcortex {command} … --yes`"
        )));
    }
    // Nothing can be done when the terminal is gone.
    drop(write!(stderr().lock(), "Make these changes? [y/N] "));
    let mut answer = String::new();
    stdin().lock().read_line(&mut answer)?;
    let is_yes = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    if !is_yes {
        note("nothing was changed");
    }
    Ok(is_yes)
}

fn failure(error: ConnectError) -> Failure {
    if error.is_refused_input() {
        Failure::refused(error.to_string())
    } else {
        Failure::storage(error.to_string())
    }
}

/// The agent of the person who calls, and this home.
fn link(world: &World<'_>, agent: Agent) -> Result<Link, Failure> {
    let agent = match agent {
        Agent::Claude => Format::Claude,
        Agent::Codex => Format::Codex,
    };
    find_link(world, agent).ok_or_else(|| {
        Failure::refused(format!(
            "it cannot be found out where {} keeps its settings; set $HOME, or ${}",
            agent.name(),
            match agent {
                Format::Claude => "CLAUDE_CONFIG_DIR",
                Format::Codex => "CODEX_HOME",
            }
        ))
    })
}

/// The same; `None` if it is not known where the agent keeps its settings.
pub(crate) fn find_link(world: &World<'_>, agent: Format) -> Option<Link> {
    let surroundings = world.surroundings;
    let binary = surroundings.program.clone()?;
    Some(Link { agent, config_dir: config_dir(surroundings, agent)?, binary, home: world.home.clone() })
}

/// Where agents keep their transcripts, as far as it is known.
pub(crate) fn transcripts(surroundings: &Surroundings) -> Vec<Root> {
    let folders = |format| match format {
        Format::Claude => &["projects"][..],
        // Codex moves the sessions that its person puts away.
        Format::Codex => &["sessions", "archived_sessions"],
    };
    let below = |format| {
        let dir = config_dir(surroundings, format)?;
        Some(folders(format).iter().map(move |folder| Root { format, path: dir.join(folder) }))
    };
    Format::ALL.into_iter().filter_map(below).flatten().collect()
}

fn config_dir(surroundings: &Surroundings, agent: Format) -> Option<PathBuf> {
    let (named, usual) = match agent {
        Format::Claude => (&surroundings.claude_config_dir, ".claude"),
        Format::Codex => (&surroundings.codex_home, ".codex"),
    };
    let dir = named.clone().or_else(|| Some(surroundings.user_home.as_ref()?.join(usual)))?;
    if dir.is_absolute() { Some(dir) } else { Some(surroundings.current_dir.as_ref()?.join(dir)) }
}
