//! The compiler: every line is shown to a model, and asked about again when what its check rests on has changed.
//!
//! What the model says becomes `memory/checks/<hash>.yaml` with `by: model` (see [`subcortex_counsel::compiler`] for what is taken).
//! What was asked is remembered, so that nothing is asked twice:
//!
//! ```json
//! {"version":2,"asked":{"0123456789abcdef":"89abcdef01234567"}}
//! ```
//!
//! in `memory/state/compiler.json`: by the hash of the line, the key of what its answer rests on. A file that cannot be read costs these
//! questions again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use subcortex_counsel::compiler::{self, Compiled as Answered, Knowledge, MAX_RULE_CHARS, Page, Rule};
use subcortex_counsel::{Consulted, Counsel};
use subcortex_memory::check_files::{self, Synced};
use subcortex_memory::{Line, LineCheck, LineHash, MadeBy, Trouble};
use subcortex_store::durable::{self, ReadError};

use crate::projects::Projects;
use crate::{CompiledBroadcast, WeaveError, Workshop, recent};

/// How many questions are asked in one pass; the rest is the next one's.
const MAX_QUESTIONS: usize = 10;
const NAME: &str = "compiler";
const VERSION: u32 = 2;
/// The largest state that is read, in bytes.
const MAX_STATE_BYTES: u64 = 1024 * 1024;

/// What a pass came to.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    /// Files that were written, as references.
    pub(crate) changed: Vec<String>,
    /// What was asked.
    pub(crate) consulted: Consulted,
}

/// Has the lines compiled that nobody was asked about as they are now. Without a model nothing is done; when `cancelled` says yes, no
/// more is asked. `synced` says which check files are for a person to put right, `projects` what the repositories say of their commands.
pub(crate) fn compile_lines(
    shop: &Workshop,
    broadcast: &mut CompiledBroadcast,
    synced: &Synced,
    projects: &Projects,
    cancelled: &dyn Fn() -> bool,
) -> Result<Compiled, WeaveError> {
    let Some(mind) = shop.mind.as_deref() else { return Ok(Compiled::default()) };
    let mut state = State::read(shop)?;
    let before = state.clone();
    state.asked.retain(|hash, _| broadcast.by_hash(hash).is_some());
    let rules = rules_of(broadcast);
    let mut project = Knowledge { targets: projects.targets(), ..Knowledge::default() };
    let keys = keys_of(&Page { rules: &rules, project: &project });
    let is_open = |(line, known): &(&Line, &LineCheck)| {
        known.by != MadeBy::Person
            && line.text.chars().count() <= MAX_RULE_CHARS
            && keys.get(&line.number) != state.asked.get(&line.hash)
            && !synced.problems.iter().any(|(path, _)| *path == check_files::reference(&shop.folder, line))
    };
    let open: Vec<usize> = broadcast.lines().filter(is_open).map(|(line, _)| line.number).collect();
    let mut compiled = Compiled::default();
    if !open.is_empty() {
        let turns = recent::turns(shop)?;
        project.learn(turns.iter());
        let mut counsel = Counsel::new(Some(mind), MAX_QUESTIONS);
        let page = Page { rules: &rules, project: &project };
        for (number, answered) in compiler::compile(&mut counsel, &page, &open, &turns, cancelled) {
            let Some((line, known)) = broadcast.by_number_mut(number) else { continue };
            match &answered {
                Answered::Tested(check) => {
                    let (disk, folder) = (&*shop.disk, &shop.folder);
                    if let Some(file) = check_files::write(disk, folder, line, &known.check, check)? {
                        compiled.changed.push(file);
                        *known = LineCheck { check: (**check).clone(), by: MadeBy::Model };
                        counsel.consulted.compiled += 1;
                    }
                }
                Answered::Untestable(_) => {}
                Answered::Refused(why) => counsel.consulted.refuse(&line.reference(), why),
            }
            if let Some(key) = keys.get(&number) {
                state.asked.insert(line.hash.clone(), key.clone());
            }
        }
        compiled.consulted = counsel.consulted;
    }
    if state != before {
        compiled.changed.push(state.write(shop)?);
    }
    Ok(compiled)
}

/// The lines as a model is shown them.
fn rules_of(broadcast: &CompiledBroadcast) -> Vec<Rule> {
    let rule = |(line, known): (&Line, &LineCheck)| Rule {
        number: line.number,
        text: line.rule.clone(),
        context: line.context.clone(),
        code: line.code.clone(),
        known: known.check.clone(),
    };
    broadcast.lines().map(rule).collect()
}

/// By number, what the answer about each rule rests on.
fn keys_of(page: &Page<'_>) -> BTreeMap<usize, String> {
    page.rules.iter().enumerate().map(|(at, rule)| (rule.number, compiler::key(page, at))).collect()
}

/// What was asked about each line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct State {
    version: u32,
    asked: BTreeMap<LineHash, String>,
}

impl State {
    fn read(shop: &Workshop) -> Result<Self, WeaveError> {
        let new = Self { version: VERSION, ..Self::default() };
        match durable::read_text(&*shop.disk, &shop.folder.state(NAME), MAX_STATE_BYTES) {
            Ok(text) => {
                let known = serde_json::from_str::<Self>(&text).ok();
                Ok(known.filter(|state| state.version == VERSION).unwrap_or(new))
            }
            Err(error @ ReadError::Io { .. }) => Err(error.into()),
            Err(_) => Ok(new),
        }
    }

    fn write(&self, shop: &Workshop) -> Result<String, WeaveError> {
        let path = shop.folder.state(NAME);
        durable::make_dirs(&*shop.disk, shop.folder.root(), Path::new("state"))?;
        let mut text = serde_json::to_string(self)
            .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
        text.push('\n');
        durable::replace(&*shop.disk, &path, text.as_bytes())?;
        Ok(shop.folder.reference(&path))
    }
}
