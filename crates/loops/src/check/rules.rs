//! The rules, in the order in which their findings are shown.

use subcortex_known_agents::headless::PermissionMode;

use super::wording::says_what_not_to_do;
use super::{Finding, Severity, Subject};
use crate::cadence::LoopCadence;
use crate::config::{KEYS, Tier, Value, is_name};
use crate::pattern;
use crate::placeholder::is_placeholder;
use crate::scope;

/// How many globs a scope may have.
const MAX_GLOBS: usize = 256;

/// One rule.
pub(super) struct Rule {
    /// The lowest tier that it applies to.
    pub(super) from_tier: Tier,
    /// What it finds; nothing when it is passed.
    pub(super) test: fn(&Subject<'_>) -> Vec<Finding>,
}

const fn for_all(test: fn(&Subject<'_>) -> Vec<Finding>) -> Rule {
    Rule { from_tier: Tier::L1, test }
}

const fn from(from_tier: Tier, test: fn(&Subject<'_>) -> Vec<Finding>) -> Rule {
    Rule { from_tier, test }
}

pub(super) const RULES: [Rule; 20] = [
    for_all(flat),
    for_all(known_keys),
    for_all(name),
    for_all(name_of_folder),
    for_all(tier),
    for_all(|subject| filled(subject, "goal", "goal: Say what is wrong in docs/. Do not edit anything.")),
    for_all(scope),
    for_all(|subject| filled(subject, "escalation", "escalation: Open an issue and stop.")),
    for_all(|subject| filled(subject, "kill_switch", "kill_switch: .loops/PAUSED")),
    for_all(permission_mode),
    from(Tier::L2, |subject| filled(subject, "verify", "verify: make test")),
    from(Tier::L2, |subject| filled(subject, "guard", "guard: git diff --quiet HEAD -- .github")),
    from(Tier::L2, worktree),
    for_all(pattern),
    for_all(cadence),
    for_all(budget_tokens),
    for_all(mode_fits_tier),
    for_all(goal_limits),
    from(Tier::L2, land_via),
    from(Tier::L3, isolation),
];

/// A value that has to be there and to be meant.
fn filled(subject: &Subject<'_>, key: &'static str, example: &str) -> Vec<Finding> {
    let what = match subject.config.text(key) {
        None => format!("`{key}` is missing"),
        Some(text) if is_placeholder(text) => format!("`{key}` is still a placeholder"),
        Some(_) => return Vec::new(),
    };
    error(subject, key, key, what, format!("write it like `{example}`"))
}

fn flat(subject: &Subject<'_>) -> Vec<Finding> {
    let nested = subject.config.entries().filter(|(_, value)| matches!(value, Value::Nested));
    nested
        .flat_map(|(key, _)| {
            let what = format!("`{key}` holds keys of its own, and a config is flat");
            error(subject, "flat", key, what, "write each key at the left margin, with one value".into())
        })
        .collect()
}

fn known_keys(subject: &Subject<'_>) -> Vec<Finding> {
    let unknown = subject.config.entries().filter(|(key, _)| !KEYS.contains(key));
    unknown
        .flat_map(|(key, _)| {
            let hint = match subcortex_yaml::nearest(key, &KEYS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys known here: {}", KEYS.join(", ")),
            };
            error(subject, "keys", key, format!("unknown key `{key}`, which has no effect"), hint)
        })
        .collect()
}

fn name(subject: &Subject<'_>) -> Vec<Finding> {
    let found = filled(subject, "name", "name: nightly-scan");
    match subject.config.text("name") {
        Some(name) if found.is_empty() && !is_name(name) => {
            let why = format!("the name `{name}` cannot be part of a branch");
            let hint = "use at most 64 letters, digits, `-` and `_`".into();
            error(subject, "name", "name", why, hint)
        }
        Some(_) | None => found,
    }
}

fn name_of_folder(subject: &Subject<'_>) -> Vec<Finding> {
    match subject.config.text("name") {
        Some(name) if name != subject.dir_name && !is_placeholder(name) => {
            let what = format!("the name is `{name}`, but the folder is called `{}`", subject.dir_name);
            error(subject, "name_of_folder", "name", what, "rename one of them".into())
        }
        Some(_) | None => Vec::new(),
    }
}

fn tier(subject: &Subject<'_>) -> Vec<Finding> {
    let found = filled(subject, "tier", "tier: L1");
    if !found.is_empty() || subject.config.tier().is_some() {
        return found;
    }
    let what = format!("`{}` is no tier", subject.config.text("tier").unwrap_or_default());
    error(subject, "tier", "tier", what, "write L1 (looks), L2 (proposes) or L3 (acts, isolated)".into())
}

fn scope(subject: &Subject<'_>) -> Vec<Finding> {
    let mut globs = subject.config.items("scope");
    // Each is looked up on the disk: what is wrong with the first is enough.
    let more = globs.len().saturating_sub(MAX_GLOBS);
    globs.truncate(MAX_GLOBS);
    let hint = || "name folders or kinds of files, such as `scope: src/**, docs/*.md`".to_owned();
    if globs.is_empty() {
        return error(subject, "scope", "scope", "`scope` is missing".into(), hint());
    }
    let problem = |glob: &&str| match is_placeholder(glob) {
        true => Some("`scope` is still a placeholder".to_owned()),
        false => scope::problem_with(glob, subject.root, subject.disk)
            .map(|why| format!("`{glob}` is in the scope, but {why}")),
    };
    let too_many =
        (more > 0).then(|| format!("`scope` has {more} globs more than the {MAX_GLOBS} that are read"));
    let problems = globs.iter().filter_map(problem).chain(too_many);
    problems.flat_map(|what| error(subject, "scope", "scope", what, hint())).collect()
}

/// Without one the safest is assumed, so only a wrong word is an error.
fn permission_mode(subject: &Subject<'_>) -> Vec<Finding> {
    let hint = format!("write one of {}", words(|_| true));
    match (subject.config.value("permission_mode"), subject.config.text("permission_mode")) {
        (_, Some(mode)) if PermissionMode::parse(mode).is_some() => Vec::new(),
        (_, Some(mode)) => {
            let what = format!("`{mode}` is no permission_mode");
            error(subject, "permission_mode", "permission_mode", what, hint)
        }
        (Value::Nothing | Value::Text(_), None) => {
            let what = "`permission_mode` is missing, so `plan` is assumed".into();
            warning(subject, "permission_mode", "permission_mode", what, hint)
        }
        (Value::List(_) | Value::Nested, None) => {
            let what = "`permission_mode` is not one word".into();
            error(subject, "permission_mode", "permission_mode", what, hint)
        }
    }
}

fn worktree(subject: &Subject<'_>) -> Vec<Finding> {
    let found = filled(subject, "worktree", "worktree: true");
    match subject.config.text("worktree") {
        Some("false" | "no" | "none") => {
            let what = "from L2 on a loop works in a worktree of its own".into();
            error(subject, "worktree", "worktree", what, "write `worktree: true`".into())
        }
        Some(_) | None => found,
    }
}

fn pattern(subject: &Subject<'_>) -> Vec<Finding> {
    let hint = format!("write one of {}", pattern::names().collect::<Vec<_>>().join(", "));
    let what = match subject.config.text("pattern") {
        Some(name) if pattern::named(name).is_some() => return Vec::new(),
        Some(name) => format!("`{name}` is no pattern, so its priority among loops is the lowest"),
        None => "`pattern` is missing, so its priority among loops is the lowest".into(),
    };
    warning(subject, "pattern", "pattern", what, hint)
}

/// A missing cadence leaves a loop that is run by hand; one that cannot be is a mistake.
fn cadence(subject: &Subject<'_>) -> Vec<Finding> {
    let hint = || "write a duration (`cadence: 6h`) or a pattern (`cadence: \"0 9 * * 1-5\"`)".to_owned();
    let Some(text) = subject.config.text("cadence") else {
        let what = "`cadence` is missing, so it only runs by hand".into();
        return warning(subject, "cadence", "cadence", what, hint());
    };
    match LoopCadence::parse(text, subject.zone) {
        Ok(_) => Vec::new(),
        Err(why) => error(subject, "cadence", "cadence", format!("cadence is `{text}`, but {why}"), hint()),
    }
}

fn budget_tokens(subject: &Subject<'_>) -> Vec<Finding> {
    let hint = || "write how many tokens a run may write, such as `budget_tokens: 20000`".to_owned();
    match (subject.config.budget_tokens(), subject.config.text("budget_tokens")) {
        (Some(_), _) => Vec::new(),
        (None, Some(text)) => {
            let what = format!("budget_tokens is `{text}`, but it must be a whole number above 0");
            error(subject, "budget_tokens", "budget_tokens", what, hint())
        }
        (None, None) => {
            let what = "`budget_tokens` is missing, so nothing ends a run that goes on and on".into();
            warning(subject, "budget_tokens", "budget_tokens", what, hint())
        }
    }
}

fn mode_fits_tier(subject: &Subject<'_>) -> Vec<Finding> {
    let (Some(tier), Some(mode)) = (subject.config.tier(), subject.config.permission_mode()) else {
        return Vec::new();
    };
    if tier.suits(mode) {
        return Vec::new();
    }
    let refused = if tier.forbids(mode) { ", and no run starts like that" } else { "" };
    let what = format!("the mode `{}` does not fit the tier {tier:?}{refused}", mode.word());
    let hint = format!("write one of {}", words(|mode| tier.suits(mode)));
    warning(subject, "mode_fits_tier", "permission_mode", what, hint)
}

fn words(is_meant: impl Fn(PermissionMode) -> bool) -> String {
    let meant = PermissionMode::ALL.into_iter().filter(|mode| is_meant(*mode));
    meant.map(PermissionMode::word).collect::<Vec<_>>().join(", ")
}

fn goal_limits(subject: &Subject<'_>) -> Vec<Finding> {
    match subject.config.text("goal") {
        Some(goal) if !is_placeholder(goal) && !says_what_not_to_do(goal) => {
            let what = "the goal does not say what *not* to do".into();
            warning(
                subject,
                "goal_limits",
                "goal",
                what,
                "add a sentence such as `Do not edit tests.`".into(),
            )
        }
        Some(_) | None => Vec::new(),
    }
}

fn land_via(subject: &Subject<'_>) -> Vec<Finding> {
    let mut found = filled(subject, "land_via", "land_via: pull request");
    found.iter_mut().for_each(|finding| finding.severity = Severity::Warning);
    found
}

fn isolation(subject: &Subject<'_>) -> Vec<Finding> {
    if subject.config.names_isolation() {
        return Vec::new();
    }
    let what = "nothing says what an L3 loop is isolated by".into();
    warning(subject, "isolation", "tier", what, "name it, such as `command: [podman, run, …]`".into())
}

fn error(s: &Subject<'_>, check: &'static str, key: &str, what: String, hint: String) -> Vec<Finding> {
    vec![Finding { check, severity: Severity::Error, line: s.config.line(key), what, hint }]
}

fn warning(s: &Subject<'_>, check: &'static str, key: &str, what: String, hint: String) -> Vec<Finding> {
    vec![Finding { check, severity: Severity::Warning, line: s.config.line(key), what, hint }]
}
