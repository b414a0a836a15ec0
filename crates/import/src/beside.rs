//! Files beside a session's own that hold answers of tools: what they say was shown in the session.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use subcortex_known_agents::Agent;
use subcortex_known_agents::transcript::{self, Rest};
use subcortex_model::{Draft, event_type};
use subcortex_store::{Disk, EntryKind, durable};

/// The longest answer that is read, in bytes, and how many of one session.
const MAX_ANSWER_BYTES: u64 = 32 * 1024 * 1024;
const MAX_ANSWERS: usize = 1024;

/// What lies beside one session file, as its lines name it.
#[derive(Debug)]
pub(crate) struct Beside {
    session_file: PathBuf,
    agents: Vec<&'static Agent>,
    rest: Rest,
    /// What was told already.
    told: HashSet<PathBuf>,
}

impl Beside {
    pub(crate) fn new(session_file: &Path, agents: &[&'static Agent], rest: Rest) -> Self {
        Self { session_file: session_file.to_owned(), agents: agents.to_vec(), rest, told: HashSet::new() }
    }

    /// Tells what a line only names, behind the drafts that were made of it from this place on.
    pub(crate) fn tell(&mut self, disk: &dyn Disk, line: &[u8], drafts: &mut Vec<Draft>, from: usize) {
        let answer = drafts[from..].iter().find(|draft| draft.event_type == event_type::AGENT_TOOL_RESULT);
        let Some(answer) = answer.filter(|_| self.rest != Rest::Left).cloned() else { return };
        for named in self.agents.iter().filter_map(|agent| agent.sessions.spilled) {
            let spilled = named(&self.session_file, line);
            if spilled.is_hidden {
                drafts.push(shown(&answer, "", transcript::unread_of_others()));
            }
            for file in spilled.files {
                if self.told.contains(&file) {
                    continue;
                }
                let text = match self.told.len() < MAX_ANSWERS {
                    true => read(disk, &file).map(|text| transcript::words_of_others(&text, self.rest)),
                    false => None,
                };
                let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
                let text = text.unwrap_or_else(transcript::unread_of_others);
                drafts.extend((!text.trim().is_empty()).then(|| shown(&answer, &name, text)));
                self.told.insert(file);
            }
        }
    }
}

/// What such a file says; nothing where it cannot be read, is no file, or does not lie where its path says.
fn read(disk: &dyn Disk, path: &Path) -> Option<String> {
    let is = |path: &Path, kind: EntryKind| disk.stat(path).is_ok_and(|stat| stat.kind == kind);
    let folder = path.parent()?;
    let is_there = is(path, EntryKind::File)
        && is(folder, EntryKind::Directory)
        && is(folder.parent()?, EntryKind::Directory);
    let bytes = is_there.then(|| durable::read(disk, path, MAX_ANSWER_BYTES).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The event that tells a text as a part of an answer.
fn shown(answer: &Draft, name: &str, text: String) -> Draft {
    let mut payload = serde_json::Map::from_iter([("text".to_owned(), text.into())]);
    payload.extend(answer.payload.get("tool_use_id").map(|call| ("tool_use_id".to_owned(), call.clone())));
    Draft {
        event_type: event_type::AGENT_SHOWN.to_owned(),
        payload,
        source_id: answer.source_id.as_ref().map(|id| format!("{id}#spilled-{name}")),
        key: None,
        ..answer.clone()
    }
}
