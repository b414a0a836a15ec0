//! A daemon that does nothing but live under systemd: how a program uses [`Notifier`].
//!
//! `stand_in --home DIR run` makes the home, says that it is ready, gives signs of life, reads its settings
//! again on SIGHUP, and ends on SIGTERM. Settings that hold the word `nonsense` are refused with exit code 2.
#![allow(clippy::disallowed_methods, clippy::print_stderr)] // a program may look around and write

use std::env::{args_os, var_os};
use std::future::pending;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use subcortex_service::{Notifier, watchdog_usec};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::interval;

const REFUSED: u8 = 2;

fn main() -> ExitCode {
    let Some(home) = args_os().nth(2).map(PathBuf::from) else { return ExitCode::from(REFUSED) };
    match serve(&home) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(home: &Path) -> std::io::Result<ExitCode> {
    std::fs::create_dir_all(home.join("var"))?;
    let watchdog = watchdog_usec(
        var_os("WATCHDOG_USEC").as_deref(),
        var_os("WATCHDOG_PID").as_deref(),
        std::process::id(),
    );
    let notifier = Notifier::new(var_os("NOTIFY_SOCKET").as_deref(), watchdog);
    if !are_settings_good(home) {
        return Ok(ExitCode::from(REFUSED));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(live(home, &notifier))?;
    Ok(ExitCode::SUCCESS)
}

async fn live(home: &Path, notifier: &Notifier) -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut signs_of_life = notifier.watchdog_interval().map(interval);
    notifier.status("serving");
    notifier.ready();
    loop {
        tokio::select! {
            () = next(&mut signs_of_life) => notifier.watchdog(),
            _ = terminate.recv() => break,
            _ = hangup.recv() => {
                notifier.reloading();
                notifier.status(if are_settings_good(home) { "serving, settings read again" } else { "serving, old settings" });
                notifier.ready();
            }
        }
    }
    notifier.stopping();
    Ok(())
}

/// The next beat of an interval that may not be wanted at all.
async fn next(beat: &mut Option<tokio::time::Interval>) {
    match beat {
        Some(beat) => drop(beat.tick().await),
        None => pending().await,
    }
}

fn are_settings_good(home: &Path) -> bool {
    let settings = std::fs::read_to_string(home.join("config/subcortex.yaml")).unwrap_or_default();
    !settings.contains("nonsense")
}
