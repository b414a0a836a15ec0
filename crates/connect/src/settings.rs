//! Hooks in a settings file, added and removed without touching a byte of anything else.
//!
//! Both agents keep them in the same form:
//!
//! ```json
//! { "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "…", "timeout": 10 }] }] } }
//! ```

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use crate::command::{Commands, TIMEOUT_S, Wanted};
use crate::edit::{Insertion, cut};
use crate::jsonc::{Node, SyntaxError, parse, trivia_end};
use crate::style::{Slot, indent_unit, line_end, slot};

/// Why a settings file is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) offset: usize,
    pub(crate) what: String,
}

impl From<SyntaxError> for Mistake {
    fn from(error: SyntaxError) -> Self {
        Self { offset: error.offset, what: format!("{} is expected here", error.expected) }
    }
}

/// One of our commands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) event: String,
    pub(crate) command: String,
    /// Which group of the event, and which hook of the group.
    group: usize,
    hook: usize,
}

/// Our commands in a file, whatever program they start.
pub(crate) fn find(text: &str, commands: &Commands) -> Result<Vec<Found>, Mistake> {
    let root = parse(text)?;
    let mut found = Vec::new();
    let Some(hooks) = root.as_ref().and_then(|root| root.member("hooks")) else { return Ok(found) };
    for member in hooks.value.members().unwrap_or_default() {
        for (group, entry) in member.value.items().unwrap_or_default().iter().enumerate() {
            for (hook, handler) in handlers(entry).iter().enumerate() {
                let command = handler.member("command").and_then(|command| command.value.text());
                if let Some(command) = command.filter(|command| commands.is_ours(&member.key, command)) {
                    let (event, command) = (member.key.clone(), command.to_owned());
                    found.push(Found { event, command, group, hook });
                }
            }
        }
    }
    Ok(found)
}

/// The other homes that a file tells of something.
pub(crate) fn other_homes(text: &str, commands: &Commands) -> Result<BTreeSet<PathBuf>, Mistake> {
    let root = parse(text)?;
    let hooks = root.as_ref().and_then(|root| root.member("hooks"));
    let mut found = BTreeSet::new();
    for member in hooks.and_then(|hooks| hooks.value.members()).unwrap_or_default() {
        for handler in member.value.items().unwrap_or_default().iter().flat_map(handlers) {
            let command = handler.member("command").and_then(|command| command.value.text());
            found.extend(command.and_then(|command| commands.other_home(&member.key, command)));
        }
    }
    Ok(found)
}

fn handlers(group: &Node) -> &[Node] {
    group.member("hooks").and_then(|hooks| hooks.value.items()).unwrap_or_default()
}

/// Whether all hooks of the file are switched off.
pub(crate) fn are_hooks_disabled(text: &str) -> bool {
    let Ok(Some(root)) = parse(text) else { return false };
    root.member("disableAllHooks")
        .is_some_and(|member| text.get(member.value.start..member.value.end) == Some("true"))
}

/// Whether a file says nothing at all.
pub(crate) fn is_blank(text: &str) -> bool {
    match parse(text) {
        Ok(Some(root)) => {
            let inner = text.get(root.start + 1..root.end - 1).unwrap_or_default();
            root.members().is_some_and(<[_]>::is_empty) && inner.trim().is_empty()
        }
        Ok(None) => text.trim_start_matches('\u{feff}').trim().is_empty(),
        Err(_) => false,
    }
}

/// What has to go into a file so that it has these hooks.
pub(crate) fn add(text: &str, wanted: &[Wanted]) -> Result<Vec<Insertion>, Mistake> {
    let root = parse(text)?;
    let unit = indent_unit(text, root.as_ref());
    let Some(root) = root else { return Ok(vec![whole_file(text, unit, wanted)]) };
    let Some(members) = root.members() else {
        return Err(Mistake {
            offset: root.start, what: "the settings must be an object, `{…}`".to_owned()
        });
    };
    let Some(hooks) = root.member("hooks") else {
        let places: Vec<_> = members.iter().map(|member| (member.start, member.value.end)).collect();
        let slot = slot(text, unit, &root, &places);
        let entry = hooks_member(line_end(text), unit, slot.indent.as_deref(), wanted);
        return Ok(fill(slot, &[entry]));
    };
    let Some(events) = hooks.value.members() else {
        let what = "`hooks` must be an object, `{…}`".to_owned();
        return Err(Mistake { offset: hooks.value.start, what });
    };
    let (mut insertions, mut new_events) = (Vec::new(), Vec::new());
    for hook in wanted {
        let Some(event) = hooks.value.member(hook.event) else {
            new_events.push(event_member(hook));
            continue;
        };
        let Some(groups) = event.value.items() else {
            let what = format!("`hooks.{}` must be a list, `[…]`", hook.event);
            return Err(Mistake { offset: event.value.start, what });
        };
        let places: Vec<_> = groups.iter().map(|group| (group.start, group.end)).collect();
        insertions.extend(fill(slot(text, unit, &event.value, &places), &[group(hook)]));
    }
    if !new_events.is_empty() {
        let places: Vec<_> = events.iter().map(|member| (member.start, member.value.end)).collect();
        insertions.extend(fill(slot(text, unit, &hooks.value, &places), &new_events));
    }
    Ok(insertions)
}

fn fill(slot: Slot, entries: &[String]) -> Vec<Insertion> {
    let comma = slot.comma_at.map(|at| Insertion { at, text: ",".to_owned() });
    let text = format!("{}{}{}", slot.before, entries.join(&slot.between), slot.after);
    comma.into_iter().chain([Insertion { at: slot.at, text }]).collect()
}

fn whole_file(text: &str, unit: &str, wanted: &[Wanted]) -> Insertion {
    let eol = line_end(text);
    let is_at_line_start = text.is_empty() || text.ends_with('\n') || text == "\u{feff}";
    let before = if is_at_line_start { "" } else { eol };
    let member = hooks_member(eol, unit, Some(unit), wanted);
    Insertion { at: text.len(), text: format!("{before}{{{eol}{unit}{member}{eol}}}{eol}") }
}

fn hooks_member(eol: &str, unit: &str, indent: Option<&str>, wanted: &[Wanted]) -> String {
    let events: Vec<String> = wanted.iter().map(event_member).collect();
    match indent {
        Some(indent) => {
            let inner = format!("{eol}{indent}{unit}");
            format!("\"hooks\": {{{inner}{}{eol}{indent}}}", events.join(&format!(",{inner}")))
        }
        None => format!("\"hooks\": {{ {} }}", events.join(", ")),
    }
}

fn event_member(hook: &Wanted) -> String {
    format!("\"{}\": [{}]", hook.event, group(hook))
}

fn group(hook: &Wanted) -> String {
    let command = Value::from(hook.command.as_str());
    format!(r#"{{ "hooks": [{{ "type": "command", "command": {command}, "timeout": {TIMEOUT_S} }}] }}"#)
}

/// A file without our commands, whatever was done to it since they were added. What they leave empty goes too.
pub(crate) fn remove(text: &str, commands: &Commands) -> Result<String, Mistake> {
    let mut text = text.to_owned();
    // Each round takes out one of them, so there are as many rounds as commands.
    while let Some(found) = find(&text, commands)?.first() {
        match places_of(&text, found)? {
            Some(places) => text = cut(&text, places),
            None => break,
        }
    }
    Ok(text)
}

/// What to cut out so that a command is gone: the smallest entry that holds nothing else.
fn places_of(text: &str, found: &Found) -> Result<Option<Vec<(usize, usize)>>, Mistake> {
    let Some(root) = parse(text)? else { return Ok(None) };
    let Some(hooks) = root.member("hooks") else { return Ok(None) };
    let Some(event) = hooks.value.member(&found.event) else { return Ok(None) };
    let groups = event.value.items().unwrap_or_default();
    let Some(group) = groups.get(found.group) else { return Ok(None) };
    let Some(list) = group.member("hooks") else { return Ok(None) };
    let members = |node: &Node| -> Vec<(usize, usize)> {
        node.members().unwrap_or_default().iter().map(|member| (member.start, member.value.end)).collect()
    };
    let items = |node: &Node| -> Vec<(usize, usize)> {
        node.items().unwrap_or_default().iter().map(|item| (item.start, item.end)).collect()
    };
    let index_of = |node: &Node, key: &str| {
        node.members().unwrap_or_default().iter().rposition(|member| member.key == key).unwrap_or_default()
    };
    let levels = [
        (&list.value, items(&list.value), found.hook),
        (&event.value, items(&event.value), found.group),
        (&hooks.value, members(&hooks.value), index_of(&hooks.value, &found.event)),
        (&root, members(&root), index_of(&root, "hooks")),
    ];
    let last = levels.len() - 1;
    let level = levels.into_iter().enumerate().find(|(at, (_, entries, _))| entries.len() > 1 || *at == last);
    Ok(level.map(|(_, (container, entries, index))| entry_places(text, container, &entries, index)))
}

/// What to cut out so that one entry of a container is gone, with its comma and the white space around it.
fn entry_places(
    text: &str,
    container: &Node,
    entries: &[(usize, usize)],
    index: usize,
) -> Vec<(usize, usize)> {
    let Some(&(start, end)) = entries.get(index) else { return Vec::new() };
    let has_remark = |from: usize, to: usize| text.get(from..to).is_none_or(|between| between.contains('/'));
    if let Some(&(_, before)) = index.checked_sub(1).and_then(|index| entries.get(index)) {
        if !has_remark(before, start) {
            return vec![(before, end)];
        }
        let comma = trivia_end(text, before);
        // The white space stays: it may be what ends a comment.
        return vec![(comma, comma + 1), (start, end)];
    }
    let comma = trivia_end(text, end);
    let has_comma = text.get(comma..).is_some_and(|rest| rest.starts_with(','));
    let behind = if has_comma { comma + 1 } else { end };
    if let Some(&(next, _)) = entries.get(index + 1) {
        let to = if has_remark(end, next) { behind } else { next };
        return vec![(start, to)];
    }
    let is_bare = !has_remark(container.start + 1, start) && !has_remark(behind, container.end - 1);
    if is_bare { vec![(container.start + 1, container.end - 1)] } else { vec![(start, behind)] }
}
