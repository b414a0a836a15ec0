//! Rules about the words of a commit and of a pull request's title.

use crate::language::{Check, Committed, Condition, Expect, Mixed, Ran};
use crate::line::{CodeKind, ParsedLine};
use crate::text::pattern;

use super::languages;

pattern!(
    LENGTH,
    r"(?:under|below|at most|max(?:imum)?(?: of)?|within|than|≤|<=?|up to|limit(?:ed)? to|exceeds?|over|to)\s+(\d+)\s*(?:char|characters|chars)?"
);
pattern!(
    CONVENTIONAL,
    r"conventional[ -]?commits?|conventional[ -]commit|`?type\(|\bfeat:|\bfix:|semantic commit|<type>"
);
pattern!(
    ABOUT_COMMITS,
    r"\bcommit(?:s|ting)?\b|\bsubject lines?\b|\bsummary lines?\b|\bcommit[- ](?:message|subject|title)s?\b|co-?author"
);
pattern!(
    AGENT_NAME,
    r"\bclaude\b|anthropic|\bmention(?:ing)? (?:of )?ai\b|\bai (?:assistance|attribution|tools?)\b|\bthe agent\b"
);
pattern!(
    TITLE,
    r"\b(?:pr|pull request|merge request|mr) titles?\b|\btitles? of (?:the )?(?:prs?|pull requests?)\b"
);

/// The head of a conventional commit.
const CONVENTIONAL_TYPES: &str = "feat|fix|docs|doc|style|refactor|perf|test|tests|build|ci|chore|revert|wip|release|deps|security|i18n|merge";

const IMPERATIVE: &str = r"^(?:\w+(?:\([^)]*\))?!?: |\[[^\]]+\] )?(?i:add|fix|update|remove|use|make|move|rename|refactor|implement|improve|allow|handle|support|change|drop|bump|introduce|ensure|prevent|avoid|document|test|set|create|delete|clean|convert|replace|extract|merge|revert|enable|disable|simplify|correct|include|skip|show|hide|restore|split|wire|expose|address|apply|reduce|run|pin|upgrade|migrate|release|build|register|return|limit|log|check|validate|adjust|tweak|switch|keep|let|stop|start|report|reject|accept|cache|render|format|lint|expand|align|define|write|read|parse|load|store|save|send|mark|track|tighten|harden|guard|speed|init|initialize|configure|explain|describe|rework|rewrite|reorder|resolve|wrap|unify|turn|pass|propagate|deprecate|redirect|retry|emit|print|group|sort|filter|trim|cover|polish|integrate|publish|prepare|declare|export|import|link|list|generate|regenerate|sync|patch)\b";

/// What one rule asks of a message.
struct Need {
    expression: String,
    /// Whether the expression is what must not be there.
    forbidden: bool,
    why: &'static str,
}

/// "Conventional Commits", "imperative, below 72 characters", "in English", "no attribution": any of them, and several at once.
pub(crate) fn commit_message(line: &ParsedLine) -> Option<Check> {
    let text = line.unmask(&line.masked).to_lowercase();
    let heading = line.headings.last().is_some_and(|heading| {
        let heading = heading.to_lowercase();
        heading.contains("commit") && !heading.contains("pre-commit") && !heading.contains("before commit")
    });
    let names_types = line.codes.iter().any(|code| matches!(code.text.as_str(), "feat:" | "fix:"));
    if !(ABOUT_COMMITS.is_match(&line.masked)
        || text.contains("co-author")
        || text.contains("git commit -s")
        || heading
        || names_types)
        || TITLE.is_match(&text)
    {
        return None;
    }
    let needs = needs(line, &text, heading);
    if needs.is_empty() {
        return None;
    }
    let sign_off = needs.iter().any(|need| need.why == SIGNED);
    let with = |need: &Need, good: bool| {
        let mut commit = Committed::default();
        let says = need.forbidden != good;
        *(if says { &mut commit.message } else { &mut commit.not_message }) =
            Some(need.expression.clone().into());
        if need.why == SIGNED && !good {
            commit.without = Some(SIGN_FLAG.into());
        }
        Condition::Committed(commit)
    };
    let mut expect: Vec<Expect> = needs.iter().map(|need| Expect::one(with(need, true))).collect();
    if sign_off {
        let flag = Committed { with: Some(SIGN_FLAG.into()), ..Committed::default() };
        expect.iter_mut().for_each(|expect| expect.any.push(Condition::Committed(flag.clone())));
    }
    Some(Check {
        testable: true,
        family: "commit-message".into(),
        trigger: vec![Condition::Committed(Committed {
            message: Some(r"\S".into()),
            ..Committed::default()
        })],
        forbid: needs.iter().map(|need| with(need, false)).collect(),
        mixed: if needs.len() > 1 { Mixed::Missed } else { Mixed::Open },
        why: needs.iter().map(|need| need.why).collect::<Vec<_>>().join(", "),
        expect,
        ..Check::default()
    })
}

const SIGNED: &str = "commit messages are signed off";
const SIGN_FLAG: &str = r"(?:^|\s)(?:-s|--signoff|-s\w|-\w+s)(?:\s|$)";

fn needs(line: &ParsedLine, text: &str, heading: bool) -> Vec<Need> {
    let negative = line.directives.iter().any(|directive| directive.negative);
    let mut needs: Vec<Need> = Vec::new();
    let mut need = |expression: String, why, forbidden| needs.push(Need { expression, forbidden, why });
    if CONVENTIONAL.is_match(text) && !text.contains("not use conventional") {
        need(conventional_head(), "commit messages have the form `type(scope): text`", false);
    } else if let Some(prefix) = message_prefix(line) {
        need(prefix, "commit messages begin as the line says", false);
    }
    let about_size = text.contains("char")
        || text.contains("subject")
        || text.contains("title")
        || text.contains("message")
        || heading;
    if let Some(most) = LENGTH
        .captures(text)
        .and_then(|found| found.get(1)?.as_str().parse::<u32>().ok())
        .filter(|most| about_size && (20..=200).contains(most))
    {
        need(format!(r"^[^\n]{{1,{most}}}(?:\n|$)"), "the first line of a commit message is short", false);
    }
    if text.contains("imperative") {
        need(IMPERATIVE.to_owned(), "commit messages are in the imperative", false);
    }
    if (negative || text.contains("without"))
        && AGENT_NAME.is_match(text)
        && !text.contains("co-author")
        && !text.contains("coauthor")
    {
        need(r"(?i)\bclaude\b|anthropic|generated with".to_owned(), "commit messages name no agent", true);
    } else if negative && AGENT_NAME.is_match(text) {
        need(
            r"(?i)\bclaude\b|anthropic|generated with|co-authored-by:.*(?:copilot|codex|gpt|gemini|cursor|bot)".to_owned(),
            "commit messages name no agent",
            true,
        );
    } else if ["co-authored", "coauthor", "co-author", "attribution", "generated with", "ai-generated"]
        .iter()
        .any(|word| text.contains(word))
    {
        let forbidden = negative || text.contains("without") || text.contains("no ");
        need(
            r"(?i)co-authored-by:.*(?:claude|anthropic|copilot|codex|gpt|gemini|cursor|bot)|generated with"
                .to_owned(),
            "commit messages name no agent as author",
            forbidden,
        );
    }
    if ["signed-off", "sign off", "sign-off", "signoff", "dco"].iter().any(|word| text.contains(word))
        || text.contains("commit -s")
    {
        need(r"(?i)signed-off-by:".to_owned(), SIGNED, negative);
    }
    if negative
        && (text.contains("period at the end")
            || text.contains("periods at the end")
            || text.contains("trailing period")
            || text.contains("full stop")
            || text.contains("end with a period"))
    {
        need(r"^[^\n]*\.\s*(?:\n|$)".to_owned(), "the first line ends without a period", true);
    }
    if negative
        && text.contains("emoji")
        && !line.says_any(&["code", "responses", "response", "answers", "anywhere", "docs", "files"])
    {
        need(super::content::EMOJI.to_owned(), "commit messages hold no emoji", true);
    }
    if let Some(language) = languages::named(text)
        .filter(|_| !line.says_any(&["comment", "comments", "docs", "documentation", "answer", "answers"]))
        .filter(|_| text.contains("message") || text.contains("commits") || heading)
    {
        match language.foreign() {
            Some(foreign) => need(foreign, "commit messages are in the named language", true),
            None => need(language.telling(), "commit messages are in the named language", false),
        }
    }
    let issue = ["issue", "ticket", "jira"].iter().any(|word| text.contains(word));
    if needs.is_empty() && issue && line.says_any(&["reference", "include", "mention", "number", "id", "key"])
    {
        needs.push(Need {
            expression: r"#\d+|\b[A-Z][A-Z0-9]+-\d+\b".to_owned(),
            forbidden: false,
            why: "commit messages name an issue",
        });
    }
    let one_line = ["single line", "one line", "one-line", "one-liner", "single-line"]
        .iter()
        .any(|word| text.contains(word));
    if needs.is_empty() && one_line && !negative {
        needs.push(Need {
            expression: r"^[^\n]+$".to_owned(),
            forbidden: false,
            why: "commit messages have one line",
        });
    }
    needs
}

fn conventional_head() -> String {
    format!(r"^(?:{CONVENTIONAL_TYPES})(?:\([^)\n]+\))?!?: \S")
}

/// A required beginning of the message: "prefix commit messages with `[api]`".
fn message_prefix(line: &ParsedLine) -> Option<String> {
    if !line.says_any(&[
        "prefix",
        "prefixed",
        "start with",
        "starts with",
        "begin with",
        "begins with",
        "format",
        "form",
        "follow",
        "of the form",
    ]) {
        return None;
    }
    let heads: Vec<String> = line
        .codes
        .iter()
        .filter(|code| matches!(code.kind, CodeKind::Template | CodeKind::Identifier))
        .filter_map(|code| {
            let head = code.text.split(['<', '{', '*']).next().unwrap_or("");
            let literal = if head.trim().is_empty() { return None } else { head };
            let example = literal.split_once(": ").filter(|(kind, _)| *kind == "type");
            if example.is_some() {
                return Some(r"\w+(?:\([^)\n]+\))?!?: ".to_owned());
            }
            Some(regex::escape(literal.trim_end_matches("...")))
        })
        .collect();
    (!heads.is_empty()).then(|| format!("^(?:{})", heads.join("|")))
}

/// "PR titles follow Conventional Commits", "open pull requests as drafts".
pub(crate) fn pull_request(line: &ParsedLine) -> Option<Check> {
    let text = line.unmask(&line.masked).to_lowercase();
    let opened = |with: Option<String>, without: Option<String>| {
        Condition::Ran(Ran {
            command: "gh pr create".into(),
            with: with.map(Into::into),
            without: without.map(Into::into),
            ..Ran::default()
        })
    };
    let (good, bad, why) = if TITLE.is_match(&text) && CONVENTIONAL.is_match(&text) {
        let title = format!(r#"--title[= ]["']?(?:{CONVENTIONAL_TYPES})(?:\([^)]+\))?!?: "#);
        (
            opened(Some(title.clone()), None),
            opened(Some(r"--title[= ]".into()), Some(title)),
            "pull requests are titled `type(scope): text`",
        )
    } else if line.says_any(&["draft", "drafts", "draft pr", "--draft"])
        && line.says_any(&["pr", "prs", "pull request", "pull requests"])
    {
        let draft = r"(?:^|\s)(?:--draft|-d)(?:\s|$)".to_owned();
        let (as_draft, plain) = (opened(Some(draft.clone()), None), opened(None, Some(draft)));
        let negative = line.directives.iter().any(|directive| directive.negative);
        if negative {
            (plain, as_draft, "pull requests are opened for review")
        } else {
            (as_draft, plain, "pull requests are opened as drafts")
        }
    } else {
        return None;
    };
    Some(Check {
        testable: true,
        family: "pull-request".into(),
        expect: vec![Expect::one(good)],
        forbid: vec![bad],
        why: why.into(),
        ..Check::default()
    })
}
