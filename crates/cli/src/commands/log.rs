//! `subcortex log`: the daemon's log, from its end.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::Duration;

use super::World;
use crate::args::Log;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{ignore_closed_pipe, print};

/// How often `-f` looks for new lines.
const FOLLOW_PAUSE: Duration = Duration::from_millis(200);
/// How much of the end of the log is read for the first lines, in bytes.
const READ_BACK_BYTES: u64 = 1024 * 1024;

pub(crate) fn run(world: &World<'_>, args: &Log) -> Result<ExitCode, Failure> {
    let path = world.home.log_file();
    let open = || std::fs::File::open(&path);
    let mut file = open().map_err(|error| {
        Failure::refused(if error.kind() == io::ErrorKind::NotFound {
            format!(
                "there is no log yet: the daemon writes it, to {}\nstart one with `subcortex run`",
                path.display()
            )
        } else {
            format!("the log at {} cannot be read: {error}", path.display())
        })
    })?;
    let len = file.metadata()?.len();
    file.seek(SeekFrom::Start(len.saturating_sub(READ_BACK_BYTES)))?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines.get(lines.len().saturating_sub(args.lines)..).unwrap_or_default();
    print(&shown.iter().flat_map(|line| [*line, "\n"]).collect::<String>())?;
    if !args.follow {
        return Ok(ExitCode::Done);
    }
    loop {
        std::thread::sleep(FOLLOW_PAUSE);
        let at = file.stream_position()?;
        // A shorter file under the same name is a new one: the log was rotated.
        if std::fs::metadata(&path).is_ok_and(|found| found.len() < at) {
            file = open()?;
        }
        let mut more = Vec::new();
        file.read_to_end(&mut more)?;
        let written = io::stdout().lock().write_all(&more);
        if written.is_err() {
            ignore_closed_pipe(written)?;
            return Ok(ExitCode::Done);
        }
    }
}
