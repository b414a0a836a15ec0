//! `update_scratchpad`: the worker changes its own state.
//!
//! | key               | what its value does                                                                        |
//! |-------------------|--------------------------------------------------------------------------------------------|
//! | `completed_tasks` | a list; its items are added, and the oldest beyond [`MAX_ITEMS`] go                         |
//! | `pending_actions` | a list; it replaces the one that is there                                                  |
//! | `goals`           | a list; it replaces the one that is there                                                  |
//! | `current_task`    | any value; it replaces the one that is there                                               |
//! | `notes`           | a text; one line `[NOTE] …` is added, since the notes are also the record of what happened |
//! | `scratchpad`      | a text; it replaces the one that is there                                                  |
//! | `content`         | another name for `scratchpad`                                                              |
//! | `last_updated`    | refused: the daemon stamps it                                                              |
//! | any other         | the worker's own key; `null` removes it                                                    |
//!
//! All of a call happens, or nothing. A state that could not be written is refused here, where the worker can still do
//! something about it, and not at the end of the run, where all of it would be lost.

use serde_json::Value;
use subcortex_guard::check_basename;
use subcortex_scratchpad::{MAX_ACTIVE_BYTES, State, UPDATED};

use super::{Args, either, kind_of, refuse_stray_keys};
use crate::notes::Note;

/// What a worker may set over HTTP.
pub const OWN_KEYS: [&str; 5] = ["scratchpad", "content", "goals", "pending_actions", "current_task"];
/// The most items in one list of the state.
pub(crate) const MAX_ITEMS: usize = 200;
/// The most keys of its own that a worker has.
const MAX_OWN_KEYS: usize = 32;
/// The longest name of such a key, in bytes.
const MAX_KEY_BYTES: usize = 64;
/// The longest state that a worker can make, in bytes of YAML. Notes and the daemon's own lines have room beside it.
const MAX_STATE_BYTES: usize = MAX_ACTIVE_BYTES as usize / 2;

/// Changes the state, or says why not.
pub(crate) fn update(state: &mut State, args: Args) -> Result<String, String> {
    if args.is_empty() {
        return Err("there is nothing to update: give at least one key".into());
    }
    either(&args, "scratchpad", "content")?;
    let mut changed = state.clone();
    for (key, value) in args {
        set(&mut changed, &key, value)?;
    }
    check(&changed)?;
    *state = changed;
    Ok(UPDATED.into())
}

/// The same for what a worker may set over HTTP, where a key that there is not is a mistake.
pub fn update_own(state: &mut State, args: &Args) -> Result<(), String> {
    refuse_stray_keys(args, Some(&OWN_KEYS))?;
    update(state, args.clone()).map(drop)
}

fn set(state: &mut State, key: &str, value: Value) -> Result<(), String> {
    match key {
        "completed_tasks" => {
            state.completed_tasks.extend(list(key, value)?);
            keep_newest(&mut state.completed_tasks);
        }
        "pending_actions" => state.pending_actions = list(key, value)?,
        "goals" => state.goals = list(key, value)?,
        "current_task" => state.current_task = value,
        "notes" => Note::Own { text: &text(key, value)? }.add_to(state),
        "scratchpad" | "content" => {
            state.set_text(&text(key, value)?).map_err(|error| error.to_string())?;
        }
        "last_updated" => return Err("`last_updated` is stamped by the daemon".into()),
        own => set_own(state, own, value)?,
    }
    Ok(())
}

fn set_own(state: &mut State, key: &str, value: Value) -> Result<(), String> {
    check_basename(key).map_err(|problem| format!("a key cannot be used: {problem}"))?;
    if key.len() > MAX_KEY_BYTES {
        return Err(format!("a key has {} bytes, and at most {MAX_KEY_BYTES} are taken", key.len()));
    }
    if value.is_null() {
        state.other.remove(key);
        return Ok(());
    }
    state.other.insert(key.to_owned(), value);
    if state.other.len() > MAX_OWN_KEYS {
        return Err(format!("at most {MAX_OWN_KEYS} keys of your own are kept: remove one with null"));
    }
    Ok(())
}

fn check(state: &State) -> Result<(), String> {
    let lists = [("pending_actions", &state.pending_actions), ("goals", &state.goals)];
    if let Some((name, list)) = lists.iter().find(|(_, list)| list.len() > MAX_ITEMS) {
        return Err(format!("`{name}` has {} items, and at most {MAX_ITEMS} are kept", list.len()));
    }
    let yaml = state.clone().bounded().to_yaml().map_err(|error| error.to_string())?;
    if yaml.len() > MAX_STATE_BYTES {
        return Err(format!(
            "the state would have {} bytes, and at most {MAX_STATE_BYTES} are kept",
            yaml.len()
        ));
    }
    Ok(())
}

/// Of a list that grows, the oldest items go.
pub(crate) fn keep_newest(list: &mut Vec<Value>) {
    let spare = list.len().saturating_sub(MAX_ITEMS);
    list.drain(..spare);
}

fn list(key: &str, value: Value) -> Result<Vec<Value>, String> {
    let is = kind_of(&value);
    let Value::Array(items) = value else { return Err(format!("`{key}` must be a list, and is {is}")) };
    Ok(items)
}

fn text(key: &str, value: Value) -> Result<String, String> {
    let is = kind_of(&value);
    let Value::String(text) = value else { return Err(format!("`{key}` must be a text, and is {is}")) };
    Ok(text)
}
