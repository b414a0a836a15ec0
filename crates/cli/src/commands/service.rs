//! `subcortex service`: the unit for systemd, and where it goes.

use std::path::PathBuf;

use subcortex_service::{Change, Done, Kind, Options, SYSTEM_FOLDER, install, uninstall, unit, user_folder};

use super::World;
use crate::args::{Service, ServiceCommand, ServiceKind};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::print;

pub(crate) fn run(world: &World<'_>, args: &Service) -> Result<ExitCode, Failure> {
    match &args.command {
        ServiceCommand::Print(args) => print(&text(world, args)?)?,
        ServiceCommand::Install(args) => {
            let done = install(&*world.disk, kind(args), &folder(world, args)?, &text(world, args)?);
            print(&shown(&done.map_err(|error| Failure::refused(error.to_string()))?))?;
        }
        ServiceCommand::Uninstall(args) => {
            // What would be written only serves to show a difference; a program that moved must not keep it there.
            let text = text(world, args).unwrap_or_default();
            let done = uninstall(&*world.disk, kind(args), &folder(world, args)?, &text);
            print(&shown(&done.map_err(|error| Failure::refused(error.to_string()))?))?;
        }
    }
    Ok(ExitCode::Done)
}

fn kind(args: &ServiceKind) -> Kind {
    if args.user { Kind::User } else { Kind::System }
}

fn text(world: &World<'_>, args: &ServiceKind) -> Result<String, Failure> {
    let binary = world.surroundings.program.clone();
    let binary = binary.ok_or_else(|| Failure::failed("cannot find the path of this program"))?;
    // The template serves every user in their own folder, unless a home was named.
    let is_default = world.surroundings.usual_home().is_some_and(|usual| usual.root() == world.home.root());
    let home = (args.user || !is_default).then(|| world.home.root().to_owned());
    unit(kind(args), &Options { binary, home }).map_err(|error| Failure::refused(error.to_string()))
}

fn folder(world: &World<'_>, args: &ServiceKind) -> Result<PathBuf, Failure> {
    if !args.user {
        return Ok(PathBuf::from(SYSTEM_FOLDER));
    }
    let surroundings = world.surroundings;
    let config = surroundings.xdg_config_home.clone();
    let config = config.or_else(|| surroundings.user_home.as_ref().map(|home| home.join(".config")));
    config.map(|config| user_folder(&config)).ok_or_else(|| {
        Failure::refused("neither $XDG_CONFIG_HOME nor $HOME is set, so the unit has no place")
    })
}

fn shown(done: &Done) -> String {
    let what = match done.change {
        Change::Written => "written",
        Change::Renewed => "renewed",
        Change::Removed => "removed",
        Change::Nothing => "nothing to do",
    };
    let mut text = format!("{}: {what}\n", done.path.display());
    if !done.next.is_empty() {
        text.push_str("now run:\n");
        text.extend(done.next.iter().flat_map(|command| ["  ", *command, "\n"]));
    }
    text
}
