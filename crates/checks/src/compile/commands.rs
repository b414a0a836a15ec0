//! Rules about commands: prefixes, commands on an occasion, commands that are not to be run, failing tests.

use crate::language::{Check, CommandEnd, Condition, Expect, Mixed, Order, Ran, Unmet, Wrote};
use crate::line::{Code, CodeKind, Directive, ParsedLine, Relation, is_edit_verb, is_program, is_run_verb};
use crate::text;

use super::concepts::{self, TESTS};
use super::occasion::{self, Occasion, Strength};
use crate::language::any_in_words;

/// Commands that only look around; nobody means them by "all commands".
const SHELL_BUILTINS: &[&str] = &[
    "cd", "echo", "export", "source", "set", "pwd", "true", "false", "exit", "sleep", "wait", "read", "for",
    "test", "[", "printf", "unset", "alias", "done", "do", "in",
];

crate::text::pattern!(
    IN_FRONT,
    r"(§\d+§) (?:goes |go |stands |comes |is |must be |should be )?(?:put )?(?:in front of|before) ((?:every|each|all|any)\b.*?)(?: commands?| calls?| invocations?)\b"
);
crate::text::pattern!(
    THROUGH,
    r"\b(?:run|execute|call|start|begin) ((?:every|each|all|any)\b.*?)(?: commands?| calls?)? (?:through|via|with|using) (§\d+§)"
);

/// "Prefix git commands with `rtk`", "`rtk` goes in front of every command", "run all commands through `rtk`".
pub(crate) fn prefix(line: &ParsedLine) -> Option<Check> {
    if let Some(found) = IN_FRONT.captures(&line.masked) {
        return prefixed(line, found.get(2)?.as_str(), found.get(1)?.as_str());
    }
    if let Some(found) = THROUGH.captures(&line.masked).filter(|_| line.says_any(&["commands", "command"])) {
        return prefixed(line, found.get(1)?.as_str(), found.get(2)?.as_str());
    }
    let directive = line.directives.iter().find(|directive| {
        !directive.negative
            && (directive.verb == "prefix"
                || directive.verb == "wrap"
                || line.unmask(&directive.object).contains("prefixed with"))
    })?;
    let object = &directive.object;
    if !line.says_any(&["command", "commands", "calls", "invocations"]) {
        return None;
    }
    let (targets, with) = object
        .split_once(" with ")
        .or_else(|| object.split_once(" in "))
        .or_else(|| object.split_once(" by "))?;
    prefixed(line, targets, with)
}

fn prefixed(line: &ParsedLine, targets: &str, with: &str) -> Option<Check> {
    let prefix = line
        .codes_in(with)
        .first()
        .map(|code| code.text.clone())
        .or_else(|| text::words(with).first().cloned())?;
    let mut programs: Vec<String> = line.codes_in(targets).iter().map(|code| code.text.clone()).collect();
    programs.extend(text::words(&ParsedLine::plain(targets)).into_iter().filter(|word| is_program(word)));
    let others = text::content_stems(targets).iter().any(|stem| stem == "shell" || stem == "bash")
        || line.says_any(&["all other", "all commands", "every command"]);
    let (good, bad): (Vec<Condition>, Vec<Condition>) = if programs.is_empty() || others {
        let mut except: Vec<String> = SHELL_BUILTINS.iter().map(|name| (*name).to_owned()).collect();
        if line.says_any(&["other"]) {
            except.extend(["git".to_owned(), "gh".to_owned()]);
        }
        let mut skip = except.clone();
        skip.push(prefix.clone());
        let without_git =
            line.says_any(&["other"]).then(|| format!(r"^{}\s+(?:git|gh)\b", regex::escape(&prefix)));
        (
            vec![Condition::Ran(Ran {
                command: prefix.clone(),
                bare: true,
                without: without_git.map(Into::into),
                ..Ran::default()
            })],
            vec![Condition::Ran(Ran { except: skip, first_only: true, ..Ran::default() })],
        )
    } else {
        (
            programs
                .iter()
                .map(|program| {
                    Condition::Ran(Ran {
                        command: format!("{prefix} {program}"),
                        bare: true,
                        ..Ran::default()
                    })
                })
                .collect(),
            programs
                .iter()
                .map(|program| Condition::Ran(Ran { command: program.clone(), bare: true, ..Ran::default() }))
                .collect(),
        )
    };
    Some(Check {
        expect: vec![Expect { any: good, order: Order::Anytime, since: crate::language::Since::Turn }],
        forbid: bad,
        ..draft("command-prefix", format!("commands are run through `{prefix}`"))
    })
}

fn draft(family: &str, why: String) -> Check {
    Check { testable: true, family: family.to_owned(), why, ..Check::default() }
}

/// "If a test fails, fix it before finishing; never hand over with failing tests."
pub(crate) fn failing_tests(line: &ParsedLine) -> Option<Check> {
    let fails = line.says_any(&["fails", "failing", "fail", "failed", "broken", "red", "errors"]);
    let about_tests = line.says_any(&["test", "tests", "suite", "ci", "build"]);
    let fix = line.directives.iter().any(|directive| {
        directive.verb == "fix"
            || (directive.negative
                && line.says_any(&["hand over", "commit", "finish", "leave", "merge", "ignore", "skip"]))
    });
    if !(fails && about_tests && fix) || line.codes.iter().any(|code| code.kind == CodeKind::Command) {
        return None;
    }
    let tests =
        |outcome| Condition::Ran(Ran { with: Some(TESTS.into()), outcome: Some(outcome), ..Ran::default() });
    Some(Check {
        trigger: vec![tests(CommandEnd::Failed)],
        expect: vec![
            Expect {
                any: vec![occasion::code_written()],
                order: Order::AfterTrigger,
                since: crate::language::Since::Turn,
            },
            Expect {
                any: vec![tests(CommandEnd::Passed)],
                order: Order::AfterTrigger,
                since: crate::language::Since::Turn,
            },
        ],
        unmet: Unmet::Open,
        ..draft("failing-tests", "after a failed test run, a later one passes".into())
    })
}

/// The condition for a command as a line writes it.
pub(crate) fn command(code: &Code) -> Condition {
    commands(code).pop().unwrap_or_else(|| Condition::Ran(Ran::words(code.text.clone())))
}

/// The commands of a chain as a line writes it; changes of directory aside.
fn commands(code: &Code) -> Vec<Condition> {
    if code.text.contains(':') && !code.text.contains(' ') {
        // A bare script name: run by whichever runner the project has.
        let with = Some(format!(r"(?:^|\s){}(?:\s|$)", regex::escape(&code.text)));
        return vec![Condition::Ran(Ran { with: with.map(Into::into), ..Ran::default() })];
    }
    let mut found = Vec::new();
    for simple in code.text.split("&&").flat_map(|part| part.split(';')) {
        let literal: Vec<&str> = simple
            .split_whitespace()
            .filter(|word| {
                !word.contains(['<', '{', '[', '"', '\'', '$', '|']) && *word != "..." && *word != "…"
            })
            .collect();
        if literal.first().is_some_and(|program| *program != "cd") {
            found.push(Condition::Ran(Ran::words(literal.join(" "))));
        }
    }
    found
}

/// Something that comes near a command: the same program and purpose, with other arguments.
fn near(code: &Code) -> Vec<Condition> {
    let words: Vec<&str> = code.text.split_whitespace().collect();
    let (Some(first), Some(second), Some(last)) = (words.first(), words.get(1), words.last()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let runs_another = matches!(
        *first,
        "npm"
            | "pnpm"
            | "yarn"
            | "bun"
            | "uv"
            | "poetry"
            | "mise"
            | "docker"
            | "npx"
            | "python"
            | "python3"
            | "cd"
            | "just"
            | "task"
    );
    if words.len() > 2 && !runs_another {
        found.push(Condition::Ran(Ran::words(format!("{first} {second}"))));
    }
    let base = last.split(':').next().unwrap_or(last);
    if !base.starts_with('-')
        && base.len() >= 3
        && base.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    {
        let with = Some(format!(r"(?:^|\s){}(?:[:\s]|$)", regex::escape(base)));
        found.push(Condition::Ran(Ran { with: with.map(Into::into), ..Ran::default() }));
    }
    found
}

/// "Before committing, run `x`", "after changing `src/`, update `y`", "run the linter after each change".
pub(crate) fn on_occasion(line: &ParsedLine) -> Option<Check> {
    let mut occasions: Vec<Occasion> = line
        .conditions
        .iter()
        .filter(|when| when.relation != Relation::Unless)
        .filter_map(|when| occasion::of(line, when))
        .collect();
    let has_strong =
        |occasions: &[Occasion]| occasions.iter().any(|occasion| occasion.strength == Strength::Strong);
    if occasions.is_empty() {
        occasions.extend(heading_occasion(line));
    }
    if !has_strong(&occasions) {
        occasions.extend(line.directives.iter().filter_map(|directive| implied_occasion(line, directive)));
    }
    let mut expects: Vec<(Expect, bool)> = Vec::new();
    let mut nears: Vec<Condition> = Vec::new();
    // A bare list of commands says what there is, not what to do.
    let only_names = occasions.is_empty()
        && !line.says_any(&["must", "should", "always", "only", "never", "use", "required"]);
    for directive in line.directives.iter().filter(|directive| !directive.negative) {
        if only_names && directive.verb.is_empty() && !REFERS.is_match(&directive.object) {
            continue;
        }
        if let Some((any, sure)) = expected(line, directive, &mut nears) {
            expects.extend(any.into_iter().map(|any| {
                (Expect { any, order: Order::Anytime, since: crate::language::Since::Turn }, sure)
            }));
        }
    }
    if expects.is_empty() {
        return None;
    }
    let (trigger, mut maybe, strength, relation) = split_occasions(occasions);
    let specific = expects.iter().flat_map(|(expect, _)| &expect.any).all(|condition| {
        matches!(
            condition,
            Condition::Ran(_)
                | Condition::Used(crate::language::Used { .. })
                | Condition::Read(crate::language::Read { .. })
                | Condition::Said(_)
        )
    });
    if trigger.is_empty() && specific {
        // What is asked for speaks for itself; a guessed occasion would only hide it.
        maybe.clear();
    }
    if trigger.contains(&occasion::code_written()) {
        // A change of a workflow or a manifest may count as code or not.
        maybe.push(Condition::Wrote(Wrote { except: vec!["*.{md,mdx,txt,rst}".into()], ..Wrote::default() }));
    }
    let only_reads = expects.iter().flat_map(|(expect, _)| &expect.any).all(|condition| {
        matches!(condition, Condition::Read(crate::language::Read { .. }) | Condition::Said(_))
    });
    let trigger = if only_reads && occasion_by_words(&trigger) { Vec::new() } else { trigger };
    if trigger.is_empty() && documents_only(&expects) {
        // Nobody can tell that it was due; done beside a change of code, it was done for it.
        maybe = vec![occasion::code_written()];
    }
    let order = match relation {
        Relation::Before
            if trigger.iter().any(|condition| {
                matches!(
                    condition,
                    Condition::Committed(_)
                        | Condition::Pushed(crate::language::Pushed { .. })
                        | Condition::Ran(_)
                )
            }) =>
        {
            Order::BeforeTrigger
        }
        Relation::After => Order::AfterTrigger,
        Relation::Before | Relation::When | Relation::Within | Relation::Unless => Order::Anytime,
    };
    let by_words = occasion_by_words(&trigger);
    let documents = expects
        .iter()
        .flat_map(|(expect, _)| &expect.any)
        .any(|condition| matches!(condition, Condition::Wrote(_)));
    let sure = expects.iter().all(|(_, sure)| *sure)
        && strength == Strength::Strong
        && !trigger.is_empty()
        && !(by_words && documents);
    let wanted: Vec<String> = expects.iter().map(|(expect, _)| any_in_words(&expect.any)).collect();
    let why = if trigger.is_empty() {
        format!("{} is what the line asks for", wanted.join(" and "))
    } else {
        format!("when {}, {} is expected", any_in_words(&trigger), wanted.join(" and "))
    };
    let languages = languages_of(expects.iter().flat_map(|(expect, _)| &expect.any));
    let trigger = if languages.is_empty() { trigger } else { narrowed_to(trigger, &languages) };
    Some(Check {
        trigger,
        maybe,
        scope: crate::language::Scope { paths: crate::language::globs(languages), ..Default::default() },
        expect: expects.into_iter().map(|(expect, _)| Expect { order, ..expect }).collect(),
        near: nears,
        unmet: if sure { Unmet::Missed } else { Unmet::Open },
        ..draft("on-occasion", why)
    })
}

/// Whether all that is expected is a change of some document.
fn documents_only(expects: &[(Expect, bool)]) -> bool {
    let is_document = |condition: &Condition| {
        let Condition::Wrote(wrote) = condition else { return false };
        let names = ["README", "CHANGELOG", "**/*.md"];
        wrote.paths.iter().all(|path| names.iter().any(|name| path.as_str().starts_with(name)))
    };
    expects.iter().flat_map(|(expect, _)| &expect.any).all(is_document)
}

/// The files that all expected programs are about, when each is about some.
fn languages_of<'c>(expected: impl Iterator<Item = &'c Condition>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for condition in expected {
        let Condition::Ran(ran) = condition else { return Vec::new() };
        let files = match (&ran.with, ran.command.is_empty()) {
            (Some(purpose), true) if purpose.as_str() == concepts::TYPES => concepts::TYPED_FILES,
            _ => concepts::files_of_command(&ran.command),
        };
        if files.is_empty() {
            return Vec::new();
        }
        found.extend(files.iter().map(|glob| (*glob).to_owned()));
    }
    found.sort();
    found.dedup();
    found
}

/// "After every change run `mypy`" is about changes of Python.
fn narrowed_to(trigger: Vec<Condition>, languages: &[String]) -> Vec<Condition> {
    let any_code = occasion::code_written();
    let narrow = |condition: Condition| {
        if condition == any_code {
            Condition::Wrote(Wrote { paths: crate::language::globs(languages.to_vec()), ..Wrote::default() })
        } else {
            condition
        }
    };
    trigger.into_iter().map(narrow).collect()
}

/// Whether an occasion is known by words in paths alone.
fn occasion_by_words(trigger: &[Condition]) -> bool {
    trigger.iter().any(|condition| matches!(condition, Condition::Wrote(wrote) if wrote.paths.is_empty() && !wrote.words.is_empty()))
}

crate::text::pattern!(
    HEADING_WHEN,
    r"\b(before|after|when|if|whenever) (?:you )?(?:every |each |any |all )?(.+)$"
);
crate::text::pattern!(
    HEADING_CHECKS,
    r"\b(?:required checks?|definition of done|quality gates?|verification|validation requirements|pre-?commit checks?|completion (?:checklist|criteria)|done criteria|mandatory checks?)\b"
);

/// "## Before committing", "## Required checks" above a list of commands.
fn heading_occasion(line: &ParsedLine) -> Option<Occasion> {
    line.headings.iter().rev().find_map(|heading| {
        let words = heading.to_lowercase();
        if let Some(found) = HEADING_WHEN.captures(&words) {
            let relation = match found.get(1)?.as_str() {
                "before" => Relation::Before,
                "after" => Relation::After,
                _ => Relation::When,
            };
            return occasion::of(
                line,
                &crate::line::When { relation, text: found.get(2)?.as_str().to_owned() },
            );
        }
        HEADING_CHECKS.is_match(&words).then(|| Occasion {
            any: vec![occasion::code_written()],
            strength: Strength::Strong,
            relation: Relation::After,
        })
    })
}

/// The first strong occasion decides what a miss is; the others only make doing it count. A weak one asks for nothing.
fn split_occasions(occasions: Vec<Occasion>) -> (Vec<Condition>, Vec<Condition>, Strength, Relation) {
    let Some(first) = occasions.iter().position(|occasion| occasion.strength == Strength::Strong) else {
        let relation = occasions.first().map_or(Relation::When, |occasion| occasion.relation);
        let weak = occasions.into_iter().flat_map(|occasion| occasion.any).collect();
        return (Vec::new(), weak, Strength::Weak, relation);
    };
    let relation = occasions[first].relation;
    let mut trigger = Vec::new();
    let mut maybe = Vec::new();
    for (at, occasion) in occasions.into_iter().enumerate() {
        if at == first {
            trigger.extend(occasion.any)
        } else if occasion.strength == Strength::Strong {
            maybe.extend(occasion.any)
        }
    }
    maybe.retain(|condition| !trigger.contains(condition));
    (dedup(trigger), dedup(maybe), Strength::Strong, relation)
}

crate::text::pattern!(
    REFERS,
    r"\b(?:follows?|see|described in|documented in|per|according to|as in|rules in|conventions in|guidelines in)\b"
);
crate::text::pattern!(
    BELONGS,
    r"\b(?:(?:must|should|need to|has to|have to) be (?:added to|listed in|documented in|registered in|declared in|recorded in|mentioned in|exported from|reflected in)|needs? (?:an? )?\w+ (?:\w+ )?in|goes? into|is added to|are added to)\b"
);
crate::text::pattern!(SUBJECT, r"^(.+?) (?:are|is|must|should|need|needs|get|gets|have to|has to)\b");
crate::text::pattern!(
    TO_VERIFY,
    r"\bto (?:verify|test|check|validate|review) (.*?changes?\b(?: (?:in|of|to|under) §\d+§)?)"
);
crate::text::pattern!(OF_CHANGES, r"^(.+?) changes?\b");

/// "Test desktop changes by …": the object names the occasion.
fn implied_occasion(line: &ParsedLine, directive: &Directive) -> Option<Occasion> {
    if directive.negative {
        return None;
    }
    let subject = match &directive.subject {
        Some(subject) => Some(subject.clone()),
        None if directive.verb.is_empty() => {
            SUBJECT.captures(&directive.object).and_then(|found| Some(found.get(1)?.as_str().to_owned()))
        }
        None => None,
    };
    if let Some(subject) = subject {
        if line.codes_in(&subject).is_empty() && !occasion::names_something(&subject) {
            return None;
        }
        let mut found =
            occasion::of(line, &crate::line::When { relation: Relation::When, text: subject.clone() })?;
        if line.codes_in(&subject).is_empty() && !occasion::is_plain_subject(&subject) {
            // "UI mockups": a thing of its own, not the files that one of its words stands for.
            found.strength = Strength::Weak;
        }
        return Some(found);
    }
    if let Some(found) = TO_VERIFY.captures(&directive.object).and_then(|found| found.get(1)) {
        return occasion::of(
            line,
            &crate::line::When { relation: Relation::After, text: found.as_str().to_owned() },
        );
    }
    if !matches!(directive.verb.as_str(), "test" | "verify" | "check" | "validate" | "review" | "document") {
        return None;
    }
    let object = OF_CHANGES.find(&directive.object)?.as_str().to_owned();
    occasion::of(line, &crate::line::When { relation: Relation::After, text: object })
}

fn dedup(conditions: Vec<Condition>) -> Vec<Condition> {
    let mut kept: Vec<Condition> = Vec::new();
    for condition in conditions {
        if !kept.contains(&condition) {
            kept.push(condition);
        }
    }
    kept
}

/// What a directive wants to see, each group by itself, and whether its absence is a miss.
fn expected(
    line: &ParsedLine,
    directive: &Directive,
    nears: &mut Vec<Condition>,
) -> Option<(Vec<Vec<Condition>>, bool)> {
    let codes = line.codes_in(&directive.object);
    let of_kind =
        |kind: CodeKind| codes.iter().filter(|code| code.kind == kind).copied().collect::<Vec<&Code>>();
    let plain = ParsedLine::plain(&directive.object);
    let named_tool = codes
        .iter()
        .find(|code| code.text.starts_with("mcp__") || directive.object.contains("§ tool"))
        .map(|code| code.text.trim_end_matches('*').to_owned())
        .filter(|_| matches!(directive.verb.as_str(), "use" | "call" | "prefer" | "run" | ""));
    let aside_tool = line
        .codes
        .iter()
        .find(|code| code.aside && code.text.starts_with("mcp__"))
        .map(|code| code.text.split("__").nth(1).unwrap_or(&code.text).to_owned());
    if let Some(tool) = tool_name(&plain).or(named_tool).or(aside_tool) {
        return Some((
            vec![vec![Condition::Used(crate::language::Used {
                tool: format!("*{tool}*").into(),
                input: None,
            })]],
            true,
        ));
    }
    let mut codes_run = of_kind(CodeKind::Command);
    if codes_run.is_empty() && matches!(directive.verb.as_str(), "run" | "execute" | "re-run" | "rerun") {
        // A tool that nobody here has heard of.
        codes_run = of_kind(CodeKind::Identifier)
            .into_iter()
            .filter(|code| {
                code.text.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_' | ' ' | ':'))
            })
            .collect();
    }
    let opens = matches!(directive.verb.as_str(), "open" | "create")
        && codes_run.iter().any(|code| code.text.contains(' '));
    if !codes_run.is_empty() && (is_run_verb(&directive.verb) || directive.verb.is_empty() || opens) {
        for code in &codes_run {
            nears.extend(near(code));
        }
        let mut each: Vec<Vec<Condition>> =
            codes_run.iter().flat_map(|code| commands(code)).map(|command| vec![command]).collect();
        if let [only] = each.as_mut_slice() {
            // A command in brackets behind it is another way to do the same.
            only.extend(
                line.codes_of(CodeKind::Command)
                    .into_iter()
                    .filter(|code| code.aside && code.text.contains(' '))
                    .map(command),
            );
        }
        let either = directive.object.contains(" or ");
        return Some((if either { vec![each.concat()] } else { each }, true));
    }
    let named: Vec<String> = text::words(&plain).into_iter().filter(|word| is_tool(word)).collect();
    if codes.is_empty() && !named.is_empty() && is_run_verb(&directive.verb) && directive.verb != "use" {
        // "Format with prettier": a tool that is named without a mark.
        let groups = named.into_iter().map(|name| vec![Condition::Ran(Ran::words(name))]).collect();
        return Some((groups, true));
    }
    let flags = of_kind(CodeKind::Flag);
    if let Some(flag) = flags.first() {
        let name = flag.text.split_whitespace().next().unwrap_or(&flag.text);
        let ran = Ran {
            with: Some(format!(r"(?:^|\s){}(?:[\s=]|$)", regex::escape(name)).into()),
            ..Ran::default()
        };
        return Some((
            vec![vec![Condition::Ran(ran)]],
            is_run_verb(&directive.verb) || directive.verb == "test",
        ));
    }
    let paths = of_kind(CodeKind::Path);
    let tests_below = is_edit_verb(&directive.verb)
        && text::content_stems(&plain).iter().any(|stem| stem == "test")
        && paths.iter().all(|code| occasion::is_directory(&code.text) && !code.text.contains("test"));
    if tests_below {
        let tests =
            Wrote { paths: crate::language::globs(concepts::TEST_GLOBS.iter().copied()), ..Wrote::default() };
        return Some((vec![vec![Condition::Wrote(tests)]], false));
    }
    let adds = directive.verb.is_empty() && BELONGS.is_match(&directive.object);
    if !paths.is_empty() && (is_edit_verb(&directive.verb) || adds) {
        let groups = paths
            .iter()
            .map(|code| {
                vec![Condition::Wrote(Wrote { paths: vec![code.text.clone().into()], ..Wrote::default() })]
            })
            .collect();
        return Some((groups, !codes.iter().any(|code| code.text.contains('<'))));
    }
    if !paths.is_empty()
        && (matches!(
            directive.verb.as_str(),
            "read" | "follow" | "see" | "consult" | "check" | "review" | "open" | "respect"
        ) || (directive.verb.is_empty() && REFERS.is_match(&directive.object)))
    {
        let paths: Vec<String> = paths.iter().map(|code| code.text.clone()).collect();
        return Some((vec![super::mentions(paths)], false));
    }
    if is_edit_verb(&directive.verb) && text::content_stems(&plain).iter().any(|stem| stem == "test") {
        let tests =
            Wrote { paths: crate::language::globs(concepts::TEST_GLOBS.iter().copied()), ..Wrote::default() };
        return Some((vec![vec![Condition::Wrote(tests)]], false));
    }
    if is_edit_verb(&directive.verb) {
        let documents = [
            ("changelog", "CHANGELOG*"),
            ("readme", "README*"),
            ("documentation", "**/*.md"),
            ("docs", "**/*.md"),
        ];
        if let Some((_, glob)) = documents.iter().find(|(word, _)| crate::line::contains_phrase(&plain, word))
        {
            return Some((
                vec![vec![Condition::Wrote(Wrote {
                    paths: vec![(*glob).to_owned().into()],
                    ..Wrote::default()
                })]],
                false,
            ));
        }
    }
    if is_run_verb(&directive.verb) && directive.verb != "use" {
        let phrase = format!("{} {plain}", directive.verb);
        if let Some((_, pattern)) = concepts::command_pattern(&phrase) {
            return Some((
                vec![vec![Condition::Ran(Ran { with: Some(pattern.to_owned().into()), ..Ran::default() })]],
                matches!(directive.verb.as_str(), "run" | "execute" | "lint" | "format"),
            ));
        }
    }
    None
}

/// Programs that check, test or format, and mean nothing else.
fn is_tool(word: &str) -> bool {
    !concepts::files_of_program(word).is_empty()
        && !matches!(
            word,
            "go" | "swift"
                | "dart"
                | "mix"
                | "flutter"
                | "cargo"
                | "ty"
                | "forge"
                | "zig"
                | "black"
                | "composer"
                | "buf"
        )
        || matches!(word, "pre-commit" | "prettier" | "husky" | "spotless")
}

/// The name before "MCP": "with Playwright MCP", "the Pencil MCP tools".
fn tool_name(plain: &str) -> Option<String> {
    let words = text::words(plain);
    let at = words.iter().position(|word| word == "mcp")?;
    let name = words.get(at.checked_sub(1)?)?;
    (!text::is_common(name)).then(|| name.clone())
}

/// `DROP TABLE`: words of a query language, written in capitals.
pub(crate) fn is_statement(code: &str) -> bool {
    code.len() >= 4 && code.chars().all(|c| c.is_ascii_uppercase() || c == ' ')
}

pub(crate) fn statement(code: &str) -> Condition {
    Condition::Ran(Ran {
        with: Some(
            format!(r"(?i)\b{}\b", regex::escape(code).replace("\\ ", r"\s+").replace(' ', r"\s+")).into(),
        ),
        ..Ran::default()
    })
}

/// "Never run `x`", "do not start Docker", "don't use `git stash`".
pub(crate) fn forbidden(line: &ParsedLine) -> Option<Check> {
    let directive = line.directives.iter().find(|directive| {
        directive.negative
            && (is_run_verb(&directive.verb)
                || matches!(directive.verb.as_str(), "start" | "launch" | "kill" | "deploy" | "delete"))
    })?;
    let codes = line.codes_in(&directive.object);
    let runs = matches!(directive.verb.as_str(), "run" | "execute" | "invoke" | "start");
    let is_command = |code: &Code| {
        code.kind == CodeKind::Command
            || (code.kind == CodeKind::Identifier
                && runs
                && code.text.contains(' ')
                && code.text.starts_with(|c: char| c.is_ascii_lowercase()))
    };
    let mut forbid: Vec<Condition> =
        codes.iter().filter(|code| is_command(code)).map(|code| command(code)).collect();
    if runs {
        forbid.extend(codes.iter().filter(|code| is_statement(&code.text)).map(|code| statement(&code.text)));
    }
    let plain = ParsedLine::plain(&directive.object);
    if forbid.is_empty() {
        let programs: Vec<String> = text::words(&plain)
            .into_iter()
            .filter(|word| {
                is_program(word)
                    && !matches!(
                        word.as_str(),
                        "go" | "make"
                            | "task"
                            | "just"
                            | "find"
                            | "next"
                            | "air"
                            | "wire"
                            | "stack"
                            | "node"
                            | "test"
                    )
            })
            .collect();
        let starts = matches!(directive.verb.as_str(), "start" | "launch" | "run");
        let uses =
            starts || matches!(directive.verb.as_str(), "use" | "call" | "execute" | "invoke" | "install");
        for program in programs {
            if !uses {
                // "Never push Docker images" forbids one thing that the program does.
                forbid.push(Condition::Ran(Ran::words(format!("{program} {}", directive.verb))));
                continue;
            }
            let with = (starts && (program == "docker" || program == "podman"))
                .then(|| r"\b(?:up|run|start|restart)\b".to_owned());
            let without = (program == "docker").then(|| r"\b(?:logs|ps|exec|inspect)\b".to_owned());
            forbid.push(Condition::Ran(Ran {
                command: program,
                bare: true,
                with: with.map(Into::into),
                without: without.map(Into::into),
                ..Ran::default()
            }));
        }
    }
    if forbid.is_empty() && starts_server(&directive.verb, &plain) {
        forbid.push(Condition::Ran(Ran { with: Some(r"\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:dev|start|serve)\b|\b(?:vite|next dev|nodemon|uvicorn|flask run|rails s)\b".into()), ..Ran::default() }));
    }
    if forbid.is_empty() && !line.says("and") && installs(&directive.verb, &plain) {
        forbid.extend(occasion::dependency_added());
    }
    if forbid.is_empty() {
        return None;
    }
    let mut expect = Vec::new();
    let mut nears = Vec::new();
    for other in line.directives.iter().filter(|other| !other.negative) {
        if let Some((groups, _)) = expected(line, other, &mut nears) {
            expect.extend(
                groups
                    .into_iter()
                    .filter(|any| any.iter().all(|condition| matches!(condition, Condition::Ran(_))))
                    .map(|any| Expect { any, order: Order::Anytime, since: crate::language::Since::Turn }),
            );
        }
    }
    let own: Vec<Condition> = expect.iter().flat_map(|expect: &Expect| expect.any.clone()).collect();
    forbid.retain(|condition| !own.contains(condition));
    Some(Check {
        expect,
        forbid,
        mixed: Mixed::Open,
        ..draft("forbidden-command", "the named command is not run".into())
    })
}

/// "Do not install packages."
fn installs(verb: &str, plain: &str) -> bool {
    verb == "install"
        && ["package", "packages", "dependencies", "libraries", "anything"]
            .iter()
            .any(|word| plain.contains(word))
}

fn starts_server(verb: &str, plain: &str) -> bool {
    matches!(verb, "start" | "run" | "launch")
        && ["dev server", "development server", "dev-server", "local server"]
            .iter()
            .any(|name| plain.contains(name))
}
