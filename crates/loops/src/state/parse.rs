//! Reading a state, whatever people made of it.

use super::{Entry, Item, LoopState, SectionName};

/// Where the lines that follow belong.
#[derive(Clone, Copy)]
enum Place {
    Preface,
    Section(SectionName),
    Own,
    Tail,
}

pub(super) fn state(text: &str) -> LoopState {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut state = LoopState::default();
    let mut place = Place::Preface;
    for line in text.lines().map(str::trim_end) {
        if is_ours(line, place) {
            read_header(&mut state, line);
        } else if let Some(section) = section_of(line) {
            place = Place::Section(section);
        } else if line == "---" && !matches!(place, Place::Tail) {
            place = Place::Tail;
        } else {
            if line.starts_with("## ") && !matches!(place, Place::Tail) {
                place = Place::Own;
            }
            take(&mut state, place, line);
        }
    }
    state
}

/// The lines that every run writes anew.
fn is_ours(line: &str, place: Place) -> bool {
    let is_title = line.starts_with("# ") && line.ends_with("— STATE");
    let is_source = line.starts_with("_Source: ") && line.ends_with("config: loop.config.yaml_");
    match place {
        Place::Preface => is_title || line.starts_with("_Updated: "),
        Place::Tail => is_source,
        Place::Section(_) | Place::Own => false,
    }
}

fn read_header(state: &mut LoopState, line: &str) {
    let parts = || line.trim_matches('_').split(" · ");
    let number = |text: &str| text.parse().ok();
    if let Some(run) = parts().find_map(|part| number(part.strip_prefix("run #")?)) {
        state.run = run;
    }
    let readiness =
        parts().find_map(|part| part.strip_prefix("readiness ")?.strip_suffix("/100")?.parse().ok());
    state.readiness = readiness.or(state.readiness);
}

fn section_of(line: &str) -> Option<SectionName> {
    let word = line.strip_prefix("## ")?.split_whitespace().next()?;
    SectionName::ALL.into_iter().find(|section| section.word() == word)
}

fn take(state: &mut LoopState, place: Place, line: &str) {
    match place {
        Place::Section(section) => take_entry(state.entries_mut(section), line),
        Place::Preface if !line.is_empty() => state.preface.push(line.to_owned()),
        Place::Own if !line.is_empty() => state.own.push(line.to_owned()),
        Place::Tail if !line.is_empty() => state.tail.push(line.to_owned()),
        Place::Preface | Place::Own | Place::Tail => {}
    }
}

fn take_entry(entries: &mut Vec<Entry>, line: &str) {
    if let Some(words) = line.strip_prefix("- ") {
        entries.push(Entry::Item(item(words)));
    } else if line.starts_with([' ', '\t'])
        && let Some(Entry::Item(above)) = entries.last_mut()
    {
        above.more.push(line.to_owned());
    } else if !line.is_empty() {
        entries.push(Entry::Note(line.to_owned()));
    }
}

/// The words of an item, with `[P1]` in front understood.
pub(super) fn item(words: &str) -> Item {
    let urgency = words.strip_prefix("[P").and_then(|rest| {
        let (number, text) = rest.split_once(']')?;
        Some((number.parse().ok()?, text.trim()))
    });
    match urgency {
        Some((urgency, text)) => Item { urgency: Some(urgency), text: text.to_owned(), more: Vec::new() },
        None => Item { urgency: None, text: words.trim().to_owned(), more: Vec::new() },
    }
}
