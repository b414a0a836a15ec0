//! The verbs of rules.

const IMPERATIVES: &[&str] = &[
    "run",
    "use",
    "add",
    "update",
    "make",
    "keep",
    "write",
    "commit",
    "verify",
    "test",
    "check",
    "ask",
    "create",
    "rebuild",
    "regenerate",
    "import",
    "move",
    "open",
    "start",
    "prefer",
    "avoid",
    "ensure",
    "fix",
    "read",
    "follow",
    "name",
    "put",
    "place",
    "include",
    "document",
    "format",
    "lint",
    "call",
    "pass",
    "wrap",
    "return",
    "set",
    "bump",
    "switch",
    "pull",
    "push",
    "squash",
    "rebase",
    "mention",
    "explain",
    "stop",
    "wait",
    "edit",
    "modify",
    "touch",
    "change",
    "delete",
    "remove",
    "store",
    "log",
    "print",
    "implement",
    "suggest",
    "generate",
    "build",
    "deploy",
    "release",
    "merge",
    "install",
    "define",
    "declare",
    "handle",
    "catch",
    "throw",
    "raise",
    "validate",
    "mock",
    "cover",
    "capture",
    "clear",
    "bind",
    "let",
    "prefix",
    "tag",
    "sign",
    "translate",
    "hardcode",
    "hard-code",
    "skip",
    "bypass",
    "disable",
    "enable",
    "import",
    "export",
    "extend",
    "split",
    "group",
    "sort",
    "order",
    "limit",
    "restart",
    "reload",
    "execute",
    "invoke",
    "confirm",
    "review",
    "refactor",
    "rename",
    "copy",
    "introduce",
    "leave",
    "assume",
    "guess",
    "begin",
    "end",
    "finish",
    "consult",
    "see",
    "remember",
    "treat",
    "respect",
    "answer",
    "reply",
    "respond",
    "speak",
    "describe",
    "list",
    "show",
    "reference",
    "link",
    "note",
    "record",
    "track",
    "fetch",
    "expose",
    "render",
    "style",
    "apply",
    "inject",
    "cut",
    "branch",
    "stage",
    "amend",
    "force",
    "scope",
    "cache",
    "batch",
    "parse",
    "serialize",
    "encode",
    "decode",
    "encrypt",
    "hash",
    "escape",
    "sanitize",
    "compile",
    "do",
    "don't",
    "dont",
    "never",
    "always",
    "not",
    "no",
    "must",
    "should",
    "please",
    "also",
    "first",
    "only",
    "try",
    "work",
    "report",
    "sync",
    "extract",
    "inline",
    "duplicate",
    "repeat",
    "hide",
    "reuse",
    "combine",
    "separate",
    "isolate",
    "convert",
    "migrate",
    "upgrade",
    "downgrade",
    "pin",
    "lock",
    "vendor",
    "spawn",
    "launch",
    "resolve",
    "close",
    "clean",
    "zero",
    "reset",
    "initialize",
    "configure",
    "annotate",
    "comment",
    "type",
    "cast",
    "assert",
    "expect",
    "measure",
    "profile",
    "benchmark",
    "plan",
    "propose",
    "discuss",
    "summarize",
    "bring",
    "take",
    "give",
    "go",
    "get",
    "have",
    "hold",
    "contain",
    "depend",
    "rely",
    "access",
    "leak",
    "ship",
    "provide",
    "supply",
    "wipe",
    "thread",
    "stick",
    "persist",
    "rerun",
    "register",
    "be",
    "favor",
    "favour",
    "choose",
    "reach",
    "save",
    "colocate",
    "co-locate",
    "omit",
    "organize",
    "ignore",
    "silence",
    "suppress",
    "inspect",
    "outline",
    "destroy",
    "alter",
    "redact",
    "publish",
    "mark",
    "attach",
    "squash-merge",
    "default",
    "await",
    "rethrow",
    "lowercase",
    "indent",
    "co-author",
    "advertise",
    "attribute",
    "author",
    "emit",
    "assign",
    "instantiate",
    "subclass",
    "inherit",
    "override",
    "swallow",
    "mutate",
    "nest",
    "abbreviate",
    "shorten",
    "reformat",
    "stash",
    "checkout",
    "cherry-pick",
    "untrack",
    "upload",
    "download",
    "re-run",
    "retry",
    "schedule",
    "trigger",
    "monitor",
    "query",
    "select",
    "index",
    "paginate",
    "cite",
    "quote",
    "greet",
    "apologize",
    "praise",
    "restate",
    "rewrite",
    "preserve",
    "retain",
];

/// Whether this word can open an instruction.
pub(crate) fn is_imperative(word: &str) -> bool {
    IMPERATIVES.contains(&word)
}

/// Whether this verb asks for a command to be run.
pub(crate) fn is_run_verb(verb: &str) -> bool {
    matches!(
        verb,
        "run"
            | "execute"
            | "rebuild"
            | "regenerate"
            | "verify"
            | "test"
            | "check"
            | "lint"
            | "format"
            | "build"
            | "generate"
            | "invoke"
            | "call"
            | "use"
            | "validate"
            | "compile"
            | "start"
            | "restart"
            | "install"
            | "sync"
            | "deploy"
            | "launch"
            | "release"
            | "confirm"
            | "ensure"
            | "type"
            | "benchmark"
            | "migrate"
            | "make"
            | "clean"
            | "push"
            | "squash"
            | "rebase"
            | "fetch"
            | "pull"
            | "stage"
            | "merge"
    )
}

/// Whether this verb asks for a file to be changed.
pub(crate) fn is_edit_verb(verb: &str) -> bool {
    matches!(
        verb,
        "update"
            | "add"
            | "edit"
            | "modify"
            | "touch"
            | "change"
            | "write"
            | "create"
            | "extend"
            | "keep"
            | "document"
            | "record"
            | "capture"
            | "note"
            | "track"
            | "log"
            | "bump"
            | "delete"
            | "remove"
            | "commit"
            | "list"
            | "reference"
            | "mention"
            | "rename"
            | "move"
            | "put"
            | "place"
            | "store"
            | "register"
            | "include"
            | "describe"
            | "link"
            | "sync"
            | "amend"
            | "ship"
            | "provide"
    )
}

/// The verb of a word as it opens an instruction: `editing` is `edit`.
pub(crate) fn base_form(word: &str) -> String {
    if is_imperative(word) {
        return word.to_owned();
    }
    let Some(stem) = word.strip_suffix("ing") else { return word.to_owned() };
    for candidate in [
        stem.to_owned(),
        format!("{stem}e"),
        stem.get(..stem.len().saturating_sub(1)).unwrap_or("").to_owned(),
    ] {
        if word != candidate && is_imperative(&candidate) {
            return candidate;
        }
    }
    word.to_owned()
}

/// `adding` → `add`; nothing for a word that is no such form of a verb of rules.
pub(crate) fn base_of_gerund(word: &str) -> Option<String> {
    Some(base_form(word)).filter(|base| base != word)
}
