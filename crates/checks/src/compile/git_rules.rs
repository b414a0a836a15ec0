//! Rules about commits, branches, pushes and pull requests.

use crate::language::{BranchedAs, Check, Committed, Condition, Expect, Mixed, Unmet};
use crate::line::{CodeKind, ParsedLine};
use crate::text::pattern;

use super::{messages, occasion};

const TRUNK: &str = "main|master|trunk";

pattern!(PROTECTED, r"\b(?:commit\w*|push\w*|work|merge[ds]?|directly|changes?|lands?|develop)\b");
pattern!(BRANCH_WORD, r"\b(?:main|master|trunk|default branch|develop|production)\b");

/// The first git rule that the line is.
pub(crate) fn compile(line: &ParsedLine) -> Option<Check> {
    commit_flags(line)
        .or_else(|| tag_name(line))
        .or_else(|| branch_name(line))
        .or_else(|| branch_base(line))
        .or_else(|| protected_branch(line))
        .or_else(|| messages::pull_request(line))
        .or_else(|| messages::commit_message(line))
}

/// The line with its code written out, in lower case: branch names stand in backticks as often as not.
fn spelled(line: &ParsedLine) -> String {
    line.unmask(&line.masked).to_lowercase()
}

fn protected_branch(line: &ParsedLine) -> Option<Check> {
    let text = spelled(line);
    let forbids = forbids_directly(&text) || forbids_by(line);
    let named = ["main", "master", "trunk"]
        .into_iter()
        .find(|name| crate::line::contains_phrase(&text, name))
        .or_else(|| BRANCH_WORD.find(&text).map(|found| found.as_str()))
        .unwrap_or("main")
        .to_owned();
    let wants_branch = (line.says_any(&[
        "feature branch",
        "feature branches",
        "separate branch",
        "own branch",
        "topic branch",
        "new branch",
    ]) || text.contains("branch"))
        && forbids;
    let asks = line.says_any(&[
        "feature branch",
        "feature branches",
        "separate branch",
        "topic branch",
        "dedicated branch",
        "new branch for",
    ]) && line.directives.iter().any(|directive| {
        !directive.negative
            && matches!(
                directive.verb.as_str(),
                "commit" | "work" | "create" | "use" | "develop" | "start" | "push" | "make" | "open" | "do"
            )
    });
    if !(forbids || wants_branch || asks) {
        return None;
    }
    let trunk = if matches!(named.as_str(), "default branch" | "main" | "master" | "trunk") {
        TRUNK.to_owned()
    } else {
        format!("{TRUNK}|{named}")
    };
    let mut good = vec![
        Condition::Committed(Committed { not_branch: Some(trunk.clone().into()), ..Committed::default() }),
        Condition::Pushed(crate::language::Pushed {
            branch: None,
            not_branch: Some(trunk.clone().into()),
            ..crate::language::Pushed::default()
        }),
    ];
    good.extend(occasion::pull_request());
    let commit =
        Condition::Committed(Committed { branch: Some(trunk.clone().into()), ..Committed::default() });
    let push = Condition::Pushed(crate::language::Pushed {
        branch: Some(trunk.into()),
        not_branch: None,
        ..crate::language::Pushed::default()
    });
    Some(Check {
        trigger: vec![
            Condition::Committed(Committed::default()),
            Condition::Pushed(crate::language::Pushed {
                branch: None,
                not_branch: None,
                ..crate::language::Pushed::default()
            }),
            good[2].clone(),
        ],
        expect: vec![Expect {
            any: good,
            order: crate::language::Order::Anytime,
            since: crate::language::Since::Turn,
        }],
        forbid: vec![commit, push],
        mixed: Mixed::Missed,
        ..draft("protected-branch", format!("commits and pushes go to another branch than `{named}`"))
    })
}

pattern!(
    KEPT_OFF,
    r"\b(?:never|not|no|don't|nothing)\b[^.;:]{0,60}\b(?:on|to|onto|into|at) (?:the )?(?:main|master|trunk|develop|default branch|production)\b"
);

/// "main is protected", "no direct commits".
fn forbids_directly(text: &str) -> bool {
    (BRANCH_WORD.is_match(text) && text.contains("protected"))
        || (KEPT_OFF.is_match(text) && PROTECTED.is_match(text))
        || text.contains("no direct commit")
        || text.contains("no direct push")
}

fn forbids_by(line: &ParsedLine) -> bool {
    line.directives.iter().any(|directive| {
        let object = line.unmask(&directive.object).to_lowercase();
        let whole = format!("{} {object}", directive.verb);
        directive.negative && PROTECTED.is_match(&whole) && BRANCH_WORD.is_match(&whole)
    })
}

fn draft(family: &str, why: String) -> Check {
    Check { testable: true, family: family.to_owned(), why, ..Check::default() }
}

fn branch_name(line: &ParsedLine) -> Option<Check> {
    let about = line.says_any(&["branch", "branches", "branch name", "branch names"])
        && line.says_any(&[
            "name",
            "named",
            "naming",
            "prefix",
            "prefixes",
            "pattern",
            "format",
            "prefixed",
            "called",
            "convention",
            "look like",
            "follow",
            "of the form",
            "start with",
            "starts with",
            "begin with",
        ]);
    let about_commit = line.says_any(&["commit message", "commit messages"]);
    if !about || about_commit {
        return None;
    }
    let names: Vec<String> = line
        .codes
        .iter()
        .filter(|code| code.kind != CodeKind::Command && code.kind != CodeKind::Flag)
        .filter_map(|code| name_expression(&code.text))
        .collect();
    if names.is_empty() {
        return None;
    }
    let expression = names.join("|");
    Some(Check {
        trigger: vec![Condition::Branched(BranchedAs::default())],
        expect: vec![Expect::one(Condition::Branched(BranchedAs {
            name: Some(expression.clone().into()),
            ..BranchedAs::default()
        }))],
        forbid: vec![Condition::Branched(BranchedAs {
            not_name: Some(expression.into()),
            ..BranchedAs::default()
        })],
        unmet: Unmet::Missed,
        ..draft("branch-name", "a new branch is named as the line says".into())
    })
}

pattern!(TICKET, r"\b[A-Z]{2,}-\d+");

/// `feat/`, `<type>/<slug>`, `feature/JIRA-123-description` as an expression.
fn name_expression(code: &str) -> Option<String> {
    if !code.contains(['/', '-', '<']) && code.len() < 2 {
        return None;
    }
    let mut out = String::new();
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match c {
            '<' | '{' | '[' => {
                let close = match c {
                    '<' => '>',
                    '{' => '}',
                    _ => ']',
                };
                for inner in chars.by_ref() {
                    if inner == close {
                        break;
                    }
                }
                out.push_str("[^/]+");
            }
            '*' => out.push_str(".+"),
            other => out.push_str(&regex::escape(&other.to_string())),
        }
    }
    if code.ends_with(['/', '-', '_']) {
        out.push_str(".+");
    } else if !code.contains(['<', '*', '{', '[']) {
        // An example: its prefix is the rule; a ticket number stands for any.
        if let Some(ticket) = TICKET.find(code) {
            let before = regex::escape(code.get(..ticket.start()).unwrap_or(""));
            return Some(format!(r"{before}[A-Za-z]+-\d+[-_/].+"));
        }
        let prefix = code.split_once('/')?.0;
        out = format!("{}/.+", regex::escape(prefix));
    }
    Some(out)
}

/// "Release tags are named `v<version>`".
fn tag_name(line: &ParsedLine) -> Option<Check> {
    if !line.says_any(&["tag", "tags"])
        || !line.says_any(&["named", "name", "naming", "format", "prefix", "look like", "form"])
        || line.says_any(&["branch", "branches"])
    {
        return None;
    }
    let names: Vec<String> =
        line.codes_of(CodeKind::Template).iter().filter_map(|code| name_expression(&code.text)).collect();
    let name = format!(
        r"\btag\s+(?:-\S+\s+)*(?:{})(?:\s|$)",
        if names.is_empty() { return None } else { names.join("|").replace("[^/]+", r"[^/\s]+") }
    );
    let made = |with: Option<String>, without: Option<String>| {
        Condition::Ran(crate::language::Ran {
            command: "git tag".into(),
            with: with.map(Into::into),
            without: without.map(Into::into),
            ..Default::default()
        })
    };
    let creates = r"\btag\s+(?:-(?:a|s|m|f|am)\s+)*[^-\s]".to_owned();
    Some(Check {
        trigger: vec![made(
            Some(creates.clone()),
            Some(r"\s-(?:l|d|n)\b|--list|--sort|--points-at|--contains".into()),
        )],
        expect: vec![Expect::one(made(Some(name), None))],
        unmet: Unmet::Missed,
        ..draft("tag-name", "a new tag is named as the line says".into())
    })
}

pattern!(
    FROM_TRUNK,
    r"\b(?:from|off|off of|based on|on top of|starting (?:at|from)|cut from)(?: of)? (?:an? |the )?(?:fresh |latest |updated |up-to-date |up to date |current |clean |newest |most recent )?`?(?:origin/)?(?:main|master|develop|trunk|default branch)\b"
);

pattern!(
    PULL_FIRST,
    r"\b(?:pull|fetch|sync|update)\b.{0,40}\bbefore (?:you )?(?:creat\w+|start\w*|cut\w*|open\w*|mak\w+|branch\w*)\b.{0,20}"
);

/// "Always pull before creating a branch", whatever it starts from.
fn fresh_start() -> Check {
    let pulled =
        ["git pull", "git fetch"].map(|command| Condition::Ran(crate::language::Ran::words(command)));
    Check {
        trigger: vec![Condition::Branched(BranchedAs::default())],
        expect: vec![Expect {
            any: pulled.to_vec(),
            order: crate::language::Order::BeforeTrigger,
            since: crate::language::Since::Turn,
        }],
        forbid: vec![Condition::Branched(BranchedAs { fresh: Some(false), ..BranchedAs::default() })],
        ..draft("branch-base", "a new branch starts from an up-to-date one".into())
    }
}

fn branch_base(line: &ParsedLine) -> Option<Check> {
    let text = spelled(line);
    if text.contains("branch") && PULL_FIRST.is_match(&text) && !FROM_TRUNK.is_match(&text) {
        return Some(fresh_start());
    }
    if !text.contains("branch") || !FROM_TRUNK.is_match(&text) {
        return None;
    }
    let base = if text.contains("develop") && !text.contains("main") {
        "develop".to_owned()
    } else {
        TRUNK.to_owned()
    };
    let wants_fresh = text.contains("latest")
        || text.contains("pull")
        || text.contains("up-to-date")
        || text.contains("up to date")
        || text.contains("updated")
        || text.contains("fetch");
    let good = BranchedAs {
        from: Some(base.clone().into()),
        fresh: wants_fresh.then_some(true),
        ..BranchedAs::default()
    };
    let mut forbid = vec![Condition::Branched(BranchedAs {
        not_from: Some(base.clone().into()),
        ..BranchedAs::default()
    })];
    if wants_fresh {
        forbid.push(Condition::Branched(BranchedAs {
            from: Some(base.into()),
            fresh: Some(false),
            ..BranchedAs::default()
        }));
    }
    Some(Check {
        trigger: vec![Condition::Branched(BranchedAs::default())],
        expect: vec![Expect::one(Condition::Branched(good))],
        forbid,
        mixed: if line.directives.iter().any(|directive| directive.negative) {
            Mixed::Missed
        } else {
            Mixed::Open
        },
        ..draft("branch-base", "a new branch starts from the up-to-date trunk".into())
    })
}

/// "Let the hook run; do not bypass it with `--no-verify`", "never force-push", "never amend".
fn commit_flags(line: &ParsedLine) -> Option<Check> {
    let text = spelled(line);
    let negative = line.directives.iter().any(|directive| directive.negative);
    let bypass = text.contains("--no-verify")
        || ((text.contains("bypass") || text.contains("skip")) && text.contains("hook"));
    if bypass && (negative || text.contains("only with")) {
        let flag = r"(?:^|\s)(?:--no-verify|-n)(?:\s|$)|HUSKY=0|SKIP=";
        return Some(Check {
            trigger: vec![Condition::Committed(Committed::default())],
            expect: vec![Expect::one(Condition::Committed(Committed {
                without: Some(flag.into()),
                ..Committed::default()
            }))],
            forbid: vec![Condition::Committed(Committed { with: Some(flag.into()), ..Committed::default() })],
            mixed: Mixed::Missed,
            ..draft("hook-bypass", "commits run their hooks".into())
        });
    }
    if negative
        && (text.contains("force push")
            || text.contains("force-push")
            || text.contains("push --force")
            || text.contains("push -f"))
    {
        let force = Condition::Ran(crate::language::Ran {
            command: "git push".into(),
            with: Some(r"(?:--force|-f\b|--force-with-lease|\s\+\S)".into()),
            ..Default::default()
        });
        return Some(Check { forbid: vec![force], ..draft("force-push", "no force push".into()) });
    }
    if negative && text.contains("amend") && text.contains("commit") {
        let amend = Condition::Committed(Committed { with: Some("--amend".into()), ..Committed::default() });
        return Some(Check { forbid: vec![amend], ..draft("no-amend", "commits are not amended".into()) });
    }
    if text.contains("git add") && negative {
        let broad = Condition::Ran(crate::language::Ran {
            command: "git add".into(),
            with: Some(r"add\s+(?:-A|--all|\.)(?:\s|$)".into()),
            ..Default::default()
        });
        let exact = Condition::Ran(crate::language::Ran {
            command: "git add".into(),
            without: Some(r"add\s+(?:-A|--all|\.)(?:\s|$)".into()),
            ..Default::default()
        });
        return Some(Check {
            expect: vec![Expect::one(exact)],
            forbid: vec![broad],
            ..draft("git-add", "files are staged by name".into())
        });
    }
    None
}
