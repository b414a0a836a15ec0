//! `subcortex connect` and `disconnect`: an agent's settings, changed with its person's consent.

use std::io::{BufRead, IsTerminal, Write as _, stderr, stdin};

use subcortex_connect::{
    ConnectError, Link, Plan, apply, other_homes, plan_connect, plan_disconnect, wait_until_quiet,
};
use subcortex_guard::escape_for_display;
use subcortex_home::init;
use subcortex_import::Root;
use subcortex_known_agents::{AGENTS, Agent};
use subcortex_store::durable::Patience;

use super::World;
use super::trouble::quoted;
use crate::args::Connect;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print};
use crate::surroundings::Surroundings;

pub(crate) fn connect(world: &World<'_>, args: &Connect) -> Result<ExitCode, Failure> {
    let link = link(world, args.agent.0)?;
    let agent = link.agent.name;
    wait_until_quiet(&*world.disk, &link, Patience::USUAL).map_err(failure)?;
    let plan = plan_connect(&*world.disk, &link).map_err(failure)?;
    if !plan.is_empty() && !is_agreed(&plan, args, "connect")? {
        return Ok(ExitCode::Done);
    }
    // The folders that it writes to may be missing.
    init(&*world.disk, &world.home)?;
    apply(&*world.disk, &link, &plan).map_err(failure)?;
    if plan.is_empty() {
        print(&format!("{agent} is connected already; nothing was changed\n"))?;
    } else {
        print(&format!("{agent} is connected: new sessions tell {}\n", world.home.root().display()))?;
        if let Some(advice) = link.settings.advice {
            note(advice);
        }
    }
    if let Some(others) = others_told(world, &link) {
        note(&format!("warning: {agent} tells another home, too, and is shown the rules of both: {others}"));
    }
    Ok(ExitCode::Done)
}

pub(crate) fn disconnect(world: &World<'_>, args: &Connect) -> Result<ExitCode, Failure> {
    let link = link(world, args.agent.0)?;
    let agent = link.agent.name;
    wait_until_quiet(&*world.disk, &link, Patience::USUAL).map_err(failure)?;
    let plan = plan_disconnect(&*world.disk, &link).map_err(failure)?;
    if !plan.is_empty() && !is_agreed(&plan, args, "disconnect")? {
        return Ok(ExitCode::Done);
    }
    if world.home.root().is_dir() {
        apply(&*world.disk, &link, &plan).map_err(failure)?;
    }
    print(&if plan.is_empty() {
        format!("{agent} is not connected with {}; nothing was changed\n", world.home.root().display())
    } else {
        format!("{agent} is disconnected from {}\n", world.home.root().display())
    })?;
    if let Some(others) = others_told(world, &link) {
        note(&format!("{agent} still tells {others}"));
    }
    Ok(ExitCode::Done)
}

/// The other homes that an agent tells, and how to end that; nothing where there are none.
fn others_told(world: &World<'_>, link: &Link) -> Option<String> {
    let told: Vec<String> = other_homes(&*world.disk, link)
        .iter()
        .map(|home| {
            let home = home.display().to_string();
            let (shown, agent) = (escape_for_display(&home), link.agent.name);
            format!("{shown}\nend that with: subcortex --home {} disconnect {agent}", quoted(&home))
        })
        .collect();
    (!told.is_empty()).then(|| told.join("\n"))
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
             if the difference above is right, make it with `subcortex {command} {} --yes`",
            args.agent.0.name
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
fn link(world: &World<'_>, agent: &'static Agent) -> Result<Link, Failure> {
    let Agent { name, config_dir, .. } = agent;
    if agent.settings().is_none() {
        return Err(Failure::refused(format!(
            "{name} has no hooks that we know of; import its sessions with `subcortex import {name}`"
        )));
    }
    find_link(world, agent).ok_or_else(|| {
        Failure::refused(format!(
            "cannot determine where {name} keeps its settings; set $HOME, or ${}",
            config_dir.variable
        ))
    })
}

/// The same; `None` if it is not known where the agent keeps its settings.
pub(crate) fn find_link(world: &World<'_>, agent: &'static Agent) -> Option<Link> {
    let surroundings = world.surroundings;
    let binary = surroundings.program.clone()?;
    let settings = agent.settings()?;
    Some(Link {
        agent,
        settings,
        config_dir: surroundings.config_dir(agent)?,
        binary,
        home: world.home.clone(),
    })
}

/// Where agents keep their transcripts, as far as it is known.
pub(crate) fn transcripts(surroundings: &Surroundings) -> Vec<Root> {
    let below = |agent: &&'static Agent| {
        let agent: &'static Agent = agent;
        let folders = agent.session_folders(&surroundings.config_dir(agent)?);
        Some(folders.into_iter().map(move |path| Root { agent, path }))
    };
    AGENTS.iter().filter_map(below).flatten().collect()
}
