//! `subcortex open`: the way to the page of the running daemon.

use std::io::IsTerminal;
use std::process::{Command, Stdio};

use subcortex_daemon::control::{Answer, Request, ask};
use subcortex_store::durable;

use super::World;
use crate::args::Open as Args;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::print;

/// The longest token that is read, in bytes.
const MAX_TOKEN_BYTES: u64 = 1024;

pub(crate) fn run(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    if world.surroundings.is_own_run {
        return Err(Failure::refused("the page is for people: a run has a token of its own"));
    }
    world.expect_a_person(
        "opens the page, on which everything can be decided",
        "a person runs `subcortex open` in a terminal of their own",
    )?;
    let link = link(world)?;
    print(&format!("{link}\n"))?;
    if !args.print {
        in_browser(world, &link);
    }
    Ok(ExitCode::Done)
}

/// Opens a link that is printed already, where there is a screen: a browser that does not open is no failure.
pub(crate) fn in_browser(world: &World<'_>, link: &str) {
    if world.surroundings.has_display && std::io::stdout().is_terminal() {
        drop(show(world, link));
    }
}

/// The address with the token behind `#`, which browsers send to nobody.
pub(crate) fn link(world: &World<'_>) -> Result<String, Failure> {
    let refused = |why: &str| Failure::refused(why.to_owned());
    let told = ask(&world.home.control_socket(), &Request::Status)
        .map_err(|error| Failure::failed(format!("the daemon does not answer: {error}")))?;
    let Some(Answer::Schedule(schedule)) = told else {
        return Err(refused("no daemon runs, and the page is its own: start it with `subcortex run`"));
    };
    let Some(url) = schedule.url else {
        return Err(refused(
            "the daemon listens nowhere: set `web.listen` in config/subcortex.yaml, or free the port that it names, and restart it",
        ));
    };
    match durable::read_text(&*world.disk, &world.home.page_token(), MAX_TOKEN_BYTES) {
        Ok(token) => Ok(format!("{url}/#{}", token.trim())),
        Err(durable::ReadError::Missing { .. }) => Err(refused(
            "the page is switched off: set `web.page: true` in config/subcortex.yaml and restart the daemon",
        )),
        Err(error) => Err(Failure::storage(error.to_string())),
    }
}

/// Opens a browser. Arguments of a program can be read by everybody, so it is handed a private file that leads to the page.
fn show(world: &World<'_>, link: &str) -> Result<(), Failure> {
    let file = world.home.page_link();
    let html = format!(
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0; url={link}\"><title>subcortex</title>\n"
    );
    durable::replace(&*world.disk, &file, html.as_bytes())?;
    let mut browser = Command::new("xdg-open");
    browser.arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    browser.spawn().map(drop).map_err(|error| Failure::failed(error.to_string()))
}
