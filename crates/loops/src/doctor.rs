//! Whether a loop would really run here: its programs, git, its engine, its kill switch, its budget.
//!
//! `check` looks at the config alone; this looks at the machine around it. Nothing is started.

use subcortex_store::{Disk, EntryKind};

use crate::LoopPlace;
use crate::config::{LoopConfig, Tier};
use crate::kill_switch::KillSwitch;
use crate::placeholder::is_placeholder;

/// Above so many tokens a run the quality of what a model does falls.
pub const MAX_GOOD_TOKENS: u64 = 100_000;
/// What `sh` does by itself, so that no file of that name has to be there.
const SHELL_WORDS: [&str; 16] = [
    "!", ".", ":", "(", "[", "cd", "command", "eval", "exec", "export", "for", "if", "set", "test", "while",
    "{",
];

/// How serious an observation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// As it should be.
    Fine,
    /// It will run, and may surprise.
    Doubtful,
    /// It will not run.
    Broken,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// What it is about: `verify`, `git`, `engine` …
    pub about: &'static str,
    /// How serious it is.
    pub health: Health,
    /// What was found.
    pub found: String,
    /// What to do, where something should be done.
    pub advice: Option<String>,
}

/// What surrounds a loop.
pub struct Around<'a> {
    /// Where it is.
    pub place: &'a LoopPlace,
    /// Where its repository is looked at.
    pub disk: &'a dyn Disk,
    /// Says where a program is, or why it cannot be started.
    pub find_program: &'a dyn Fn(&str) -> Result<String, String>,
    /// The programs of the engines `claude` and `codex`.
    pub agents: &'a [(&'a str, String)],
    /// Whether the settings name an endpoint for engine `api`.
    pub has_endpoint: bool,
    /// The tokens that the settings give a run.
    pub tokens_per_run: Option<u64>,
}

/// Looks at everything that a run needs.
pub fn examine(config: &LoopConfig, around: &Around<'_>) -> Vec<Observation> {
    let mut seen = vec![engine(config, around), git(config, around)];
    let gates = ["verify", "guard"].into_iter();
    seen.extend(gates.filter_map(|key| Some(gate(key, config.text(key)?, around))));
    seen.push(kill_switch(config, around));
    seen.push(budget(config, around));
    seen
}

fn engine(config: &LoopConfig, around: &Around<'_>) -> Observation {
    let advice = "write `engine: claude`, `codex`, `api`, or `command` with `command: [program, argument]`";
    let program = match config.text("engine") {
        None => return broken("engine", "nothing says what does the work", advice),
        Some("api") if around.has_endpoint => return fine("engine", "api, at the endpoint of the settings"),
        Some("api") => {
            let advice = "set `api: base_url:` in config/subcortex.yaml";
            return broken("engine", "api, but the settings name no endpoint", advice);
        }
        Some("command") => return command(config, around, advice),
        Some(name) => match around.agents.iter().find(|(agent, _)| *agent == name) {
            Some((_, program)) => program.as_str(),
            None => return broken("engine", format!("`{name}` is no engine"), advice),
        },
    };
    started("engine", program, around)
}

/// A path starts at the loop's folder where such a file is, as in a run.
fn command(config: &LoopConfig, around: &Around<'_>, advice: &str) -> Observation {
    match config.argv().first() {
        Some(program) => {
            let own = around.place.dir.join(program);
            let is_own = program.contains('/') && around.disk.stat(&own).is_ok();
            let program = if is_own { own.to_string_lossy().into_owned() } else { program.clone() };
            started("engine", &program, around)
        }
        None => broken("engine", "`command` is missing, so there is nothing to start", advice),
    }
}

/// L1 needs no git; the others work in a worktree.
fn git(config: &LoopConfig, around: &Around<'_>) -> Observation {
    if config.tier().is_none_or(|tier| tier == Tier::L1) {
        return fine("git", "not needed by L1");
    }
    if around.disk.stat(&around.place.root.join(".git")).is_err() {
        let found =
            format!("{} is no git repository, so there are no worktrees", around.place.root.display());
        return broken("git", found, "run `git init` there, or make it an L1 loop");
    }
    started("git", "git", around)
}

/// The program that a command line of `sh` begins with.
fn gate(about: &'static str, line: &str, around: &Around<'_>) -> Observation {
    if is_placeholder(line) {
        return broken(about, "it is still a placeholder", "write a command");
    }
    let is_assignment = |word: &&str| word.split_once('=').is_some_and(|(name, _)| is_variable(name));
    match line.split_whitespace().find(|word| !is_assignment(word)) {
        Some(word) if SHELL_WORDS.contains(&word) => fine(about, format!("`{word}` is the shell's own")),
        Some(word) if word.contains(['"', '\'', '$', '`', '(', ';', '&', '|', '<', '>']) => Observation {
            about,
            health: Health::Doubtful,
            found: format!("only the shell knows what `{word}` starts"),
            advice: Some("try it by hand in the repository".into()),
        },
        Some(word) => started(about, word, around),
        None => broken(about, "it starts nothing", "write a command"),
    }
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// A switch is a file that somebody must be able to make, or a label.
fn kill_switch(config: &LoopConfig, around: &Around<'_>) -> Observation {
    let Some(switch) = config.text("kill_switch") else {
        return broken("kill_switch", "there is none", "write `kill_switch: .loops/PAUSED`");
    };
    let file = match KillSwitch::named(switch, &around.place.root) {
        KillSwitch::File(file) => file,
        KillSwitch::Label(label) => return label_asked(&label, around),
    };
    let folder = file.parent().unwrap_or(&file).to_owned();
    let real = around.disk.behind_links(&folder).and_then(|real| around.disk.stat(&real));
    match real {
        Ok(stat) if stat.kind == EntryKind::Directory => fine("kill_switch", format!("the file {switch}")),
        Ok(_) | Err(_) => {
            let found =
                format!("{} is no folder, so nobody could set the switch in a hurry", folder.display());
            broken("kill_switch", found, "make the folder, or name a file in one that is there")
        }
    }
}

/// Without an answer a loop stays paused, so whoever is asked must be there.
fn label_asked(label: &str, around: &Around<'_>) -> Observation {
    match (around.find_program)("gh") {
        Ok(_) => fine("kill_switch", format!("the label `{label}`, asked with gh")),
        Err(why) => broken(
            "kill_switch",
            format!("the label `{label}` cannot be asked for, and then nothing runs: {why}"),
            "install gh and log in, or name a file such as `.loops/PAUSED`",
        ),
    }
}

fn budget(config: &LoopConfig, around: &Around<'_>) -> Observation {
    let doubtful = |found: String, advice: &str| Observation {
        about: "budget",
        health: Health::Doubtful,
        found,
        advice: Some(advice.into()),
    };
    match (config.budget_tokens(), around.tokens_per_run) {
        (None, _) => doubtful("a run may write without end".into(), "write `budget_tokens: 20000`"),
        (Some(own), Some(all)) if own > all => {
            let found = format!("{own} tokens a run, but the settings end every run at {all}");
            broken(
                "budget",
                found,
                "lower `budget_tokens`, or raise `budget: tokens_per_run:` in the settings",
            )
        }
        (Some(own), _) if own > MAX_GOOD_TOKENS => {
            let found = format!("{own} tokens a run; above {MAX_GOOD_TOKENS} the quality of the work falls");
            doubtful(found, "give a run less to do")
        }
        (Some(own), _) => fine("budget", format!("{own} tokens a run")),
    }
}

fn started(about: &'static str, program: &str, around: &Around<'_>) -> Observation {
    match (around.find_program)(program) {
        Ok(path) => fine(about, path),
        Err(why) => broken(about, why, "install it, or name another program"),
    }
}

fn fine(about: &'static str, found: impl Into<String>) -> Observation {
    Observation { about, health: Health::Fine, found: found.into(), advice: None }
}

fn broken(about: &'static str, found: impl Into<String>, advice: &str) -> Observation {
    Observation { about, health: Health::Broken, found: found.into(), advice: Some(advice.into()) }
}
