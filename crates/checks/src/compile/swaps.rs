//! "Use A, not B", "A instead of B", "prefer A over B", "never B, use A".

use crate::language::{Check, Condition, Expect, Order, Ran, Scope, Wrote};
use crate::line::{CodeKind, ParsedLine, is_program};
use crate::text;

use super::{content, libraries};

/// A rule that names two ways and prefers one.
pub(crate) fn compile(line: &ParsedLine) -> Option<Check> {
    let mut good: Vec<Condition> = Vec::new();
    let mut bad: Vec<Condition> = Vec::new();
    for directive in &line.directives {
        let item = directive.object.as_str();
        let is_use = matches!(
            directive.verb.as_str(),
            "use"
                | "prefer"
                | "import"
                | ""
                | "call"
                | "run"
                | "write"
                | "put"
                | "choose"
                | "handle"
                | "mock"
                | "go"
                | "avoid"
                | "reach"
                | "favor"
                | "inject"
                | "throw"
                | "return"
                | "add"
        );
        if !is_use {
            continue;
        }
        if let Some(other) = &directive.instead_of {
            let (kept, dropped) =
                if directive.negative { (other.as_str(), item) } else { (item, other.as_str()) };
            let (kept, dropped) = pair(line, kept, dropped);
            good.extend(kept);
            bad.extend(dropped);
        } else if directive.negative {
            bad.extend(thing(line, item));
        } else if directive.verb == "use" || directive.verb == "prefer" {
            good.extend(thing(line, item));
        }
    }
    bad.retain(|condition| !good.contains(condition));
    for condition in &mut bad {
        if let Condition::Ran(ran) = condition
            && matches!(
                ran.command.as_str(),
                "grep" | "cat" | "head" | "tail" | "sed" | "awk" | "find" | "ls"
            )
        {
            // Behind a pipe it only trims another command's output.
            ran.first_only = true;
            ran.bare = true;
        }
    }
    let named = !good.is_empty();
    // Tools that every turn uses prove nothing by being used.
    good.retain(|condition| !matches!(condition, Condition::Used(crate::language::Used { tool, .. }) if matches!(tool.as_str(), "Read" | "Edit" | "Write" | "Grep" | "Glob" | "Bash" | "Task")));
    if bad.is_empty() || !named {
        return None;
    }
    Some(Check {
        testable: true,
        family: "swap".into(),
        expect: if good.is_empty() {
            Vec::new()
        } else {
            vec![Expect { any: good, order: Order::Anytime, since: crate::language::Since::Turn }]
        },
        forbid: bad,
        scope: Scope::default(),
        why: "one way is used and not the other".into(),
        ..Check::default()
    })
}

/// "`print` in `src/`": the path behind the preposition says where, not what.
fn split_place<'m>(line: &ParsedLine, masked: &'m str) -> (&'m str, Vec<String>) {
    for preposition in
        [" in §", " under §", " inside §", " within §", " below §", " from §", " outside §", " of §"]
    {
        if let Some(at) = masked.find(preposition) {
            let (head, tail) = masked.split_at(at);
            let paths: Vec<String> = line
                .codes_in(tail)
                .iter()
                .filter(|code| code.kind == CodeKind::Path)
                .map(|code| code.text.clone())
                .collect();
            if head.contains('§')
                || preposition == " from §"
                || preposition == " of §"
                || preposition == " outside §"
            {
                let places =
                    matches!(preposition, " in §" | " under §" | " inside §" | " within §" | " below §");
                return (head, if places { paths } else { Vec::new() });
            }
        }
    }
    (masked, Vec::new())
}

/// How the use of a named thing shows: a program that is run, a term in added code, an option.
pub(crate) fn thing(line: &ParsedLine, masked: &str) -> Vec<Condition> {
    let (masked, place) = split_place(line, masked);
    // "Package manager: bun": the label says what for.
    let masked = masked.rsplit_once(": ").map_or(masked, |(_, thing)| thing);
    let codes = line.codes_in(masked);
    let globs = if place.is_empty() { content::scope_globs(line) } else { place };
    if masked.contains("§ tool") {
        return codes
            .iter()
            .take(1)
            .map(|code| {
                Condition::Used(crate::language::Used { tool: code.text.clone().into(), input: None })
            })
            .collect();
    }
    let mut found: Vec<Condition> = Vec::new();
    if let Some(scale) = content::scale(line, masked) {
        return vec![Condition::Wrote(Wrote {
            paths: crate::language::globs(globs),
            added: Some(scale.into()),
            ..Wrote::default()
        })];
    }
    for code in &codes {
        match code.kind {
            CodeKind::Command if is_program(code.text.split_whitespace().next().unwrap_or("")) => {
                found.push(Condition::Ran(Ran { command: code.text.clone(), ..Ran::default() }))
            }
            CodeKind::Command => found.push(super::commands::command(code)),
            CodeKind::Template => {}
            CodeKind::Flag => found.push(Condition::Ran(Ran {
                with: Some(format!(r"(?:^|\s){}(?:[\s=]|$)", regex::escape(&code.text)).into()),
                ..Ran::default()
            })),
            CodeKind::Path => found
                .push(Condition::Wrote(Wrote { paths: vec![code.text.clone().into()], ..Wrote::default() })),
            CodeKind::Identifier if code.text.chars().filter(|c| c.is_alphanumeric()).count() >= 2 => {
                found.push(content::term(&code.text, &globs))
            }
            CodeKind::Identifier => {}
        }
    }
    if !codes.is_empty() {
        return found;
    }
    if let Some(noun) = super::nouns::seen(masked) {
        return vec![noun];
    }
    let head = masked.split(" for ").next().unwrap_or(masked).split(" in ").next().unwrap_or(masked);
    let words: Vec<String> = text::words(head).into_iter().filter(|word| !text::is_common(word)).collect();
    for word in words.iter().take(2) {
        let program = program_of(word);
        if is_program(program) && !AMBIGUOUS.contains(&program) {
            found.push(Condition::Ran(Ran { command: program.to_owned(), ..Ran::default() }));
        }
    }
    let library = libraries::head_of(line, head).filter(|_| found.is_empty() || words.len() == 1);
    found.extend(library.map(|name| libraries::used(&name, &globs)));
    found
}

/// Programs whose names are words of English: only beside another program are they meant.
const AMBIGUOUS: &[&str] = &[
    "go", "make", "task", "find", "next", "just", "air", "wire", "stack", "node", "cat", "test", "expo",
    "fish",
];

/// The program behind the name of a tool.
fn program_of(word: &str) -> &str {
    match word {
        "ripgrep" => "rg",
        "golangci" => "golangci-lint",
        other => other,
    }
}

/// Both sides of a swap: "fd instead of find" makes a program of `find`.
fn pair(line: &ParsedLine, kept: &str, dropped: &str) -> (Vec<Condition>, Vec<Condition>) {
    let (good, mut bad) = (thing(line, kept), thing(line, dropped));
    let runs = good.iter().any(|condition| matches!(condition, Condition::Ran(_)));
    let words: Vec<String> = text::words(dropped);
    if bad.is_empty() && runs && words.len() <= 2 {
        bad.extend(
            words
                .into_iter()
                .filter(|word| AMBIGUOUS.contains(&word.as_str()) && is_program(word))
                .map(|command| Condition::Ran(Ran { command, ..Ran::default() })),
        );
    }
    (good, bad)
}
