//! `subcortex completions SHELL` and `subcortex man`: from the same source as the command line itself.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::{Args, Completions, Man};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::print;

/// Where a shell can be asked to call back, the program itself says what fits (see `complete`); for the others the commands
/// and options as they are now are written down.
pub(crate) fn run(args: &Completions) -> Result<ExitCode, Failure> {
    match args.shell {
        Shell::Bash => print(include_str!("../completions/subcortex.bash"))?,
        Shell::Zsh => print(include_str!("../completions/subcortex.zsh"))?,
        Shell::Fish => print(include_str!("../completions/subcortex.fish"))?,
        other @ (Shell::Elvish | Shell::PowerShell | _) => {
            let mut script = Vec::new();
            clap_complete::generate(other, &mut Args::command(), "subcortex", &mut script);
            print(&String::from_utf8_lossy(&script))?;
        }
    }
    Ok(ExitCode::Done)
}

/// The manual page of the program, or of one of its commands.
pub(crate) fn man(args: &Man) -> Result<ExitCode, Failure> {
    let mut command = Args::command();
    command.build();
    for word in &args.command {
        let known = command.find_subcommand(word).cloned();
        command = known.ok_or_else(|| {
            Failure::refused(format!("there is no command `{word}` here; `subcortex help` lists them"))
        })?;
    }
    let title = std::iter::once("subcortex").chain(args.command.iter().map(String::as_str));
    let title = title.collect::<Vec<_>>().join("-");
    let mut page = Vec::new();
    clap_mangen::Man::new(command).title(title).render(&mut page)?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(ExitCode::Done)
}
