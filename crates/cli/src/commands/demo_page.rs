//! The page of `subcortex demo`: the real daemon on the temporary home, until the person has seen enough.

use std::io::{BufRead as _, IsTerminal as _};
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, kill_process};
use subcortex_daemon::{LogSink, serve};
use subcortex_home::Home;
use subcortex_service::Notifier;

use super::{World, open};
use crate::Surroundings;
use crate::args::Demo;
use crate::failure::Failure;
use crate::output::{note, print};

/// How long the daemon may take to answer.
const START: Duration = Duration::from_secs(30);
/// The pause between two looks whether it does.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// Where the page begins: with the edits of the week.
const WHAT_CHANGED: &str = "/broadcast/edits";

/// Whether somebody wants to see it: a script that waits for the end of the demo does not.
pub(super) fn is_wanted(world: &World<'_>, args: &Demo) -> bool {
    let is_person = !world.surroundings.is_own_run && std::io::stdin().is_terminal();
    !args.no_open && (args.open || is_person)
}

/// Serves the home until Enter, the end of the input, or a signal.
pub(super) fn show(world: &World<'_>, home: &Home) -> Result<(), Failure> {
    let mut setup = World::new(world.surroundings, home.clone()).setup();
    // Nothing of the person's own: no transcripts, no service manager; and the log is in its file.
    setup.transcripts = Vec::new();
    setup.notifier = Notifier::new(None, None);
    setup.log_sink = LogSink::plain(std::io::sink());
    let (surroundings, home) = (world.surroundings.clone(), home.clone());
    std::thread::spawn(move || {
        if let Err(failure) = accompany(&surroundings, home) {
            note(failure.message());
        }
        // The daemon is this process, and ends as it does for everybody.
        let _ended = kill_process(getpid(), Signal::TERM);
    });
    Ok(serve(setup)?)
}

/// Says where the page is, opens it, and waits.
fn accompany(surroundings: &Surroundings, home: Home) -> Result<(), Failure> {
    let world = World::new(surroundings, home);
    let until = Instant::now() + START;
    let link = loop {
        match open::link(&world) {
            Ok(link) => break format!("{link}{WHAT_CHANGED}"),
            Err(failure) if Instant::now() >= until => return Err(failure),
            Err(_) => std::thread::sleep(LOOK_AGAIN),
        }
    };
    print(&format!(
        "\nThe same on the daemon's own page, with the evidence behind each line:\n\n{link}\n\nPress Enter to end the demo.\n"
    ))?;
    open::in_browser(&world, &link);
    let mut line = String::new();
    // The end of the input is as good as Enter.
    drop(std::io::stdin().lock().read_line(&mut line));
    Ok(())
}
