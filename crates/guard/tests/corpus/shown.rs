//! The ways in which a text is shown: by the tools of agents, by programs that number and mark lines, by logs, inside
//! other texts.

use super::placed::base64;
use super::{escaped, percent_encoded};

/// One way to show a text.
pub(crate) struct Way {
    pub(crate) name: &'static str,
    /// The whole text.
    pub(crate) text: fn(&str) -> String,
    /// A part of it that stands on one line.
    pub(crate) part: fn(&str) -> String,
}

const fn lines(name: &'static str, text: fn(&str) -> String) -> Way {
    Way { name, text, part: str::to_owned }
}

/// Ways that leave the lines as they are and put something before each of them.
pub(crate) const MARGINS: &[Way] = &[
    lines("claude code, arrow", |text| each(text, |n, line| format!("{n:>6}→{line}"))),
    lines("claude code, tab", |text| each(text, |n, line| format!("{n:>6}\t{line}"))),
    lines("short numbers and tab", |text| each(text, |n, line| format!("{n}\t{line}"))),
    lines("codex", |text| each(text, |n, line| format!("L{n}: {line}"))),
    lines("cat -n from 98", |text| each(text, |n, line| format!("{:>6}\t{line}", n + 97))),
    lines("nl", |text| each(text, |n, line| format!("{n:>6}  {line}"))),
    lines("grep -n", |text| each(text, |n, line| format!("{n}:{line}"))),
    lines("grep -n with context", |text| {
        each(text, |n, line| format!("{n}{}{line}", if n == 1 { ':' } else { '-' }))
    }),
    lines("grep -rn", |text| each(text, |n, line| format!("deploy/keys.txt:{n}:{line}"))),
    lines("ripgrep with context", |text| {
        each(text, |n, line| if n == 1 { format!("a/id_x:{n}:{line}") } else { format!("a/id_x-{n}-{line}") })
    }),
    lines("grep -C", |text| each(text, |_, line| format!("deploy/run.sh-{line}"))),
    lines("grep -nC", |text| each(text, |n, line| format!("run.sh-{}-{line}", n + 6))),
    lines("grep -nC, found below", |text| {
        format!("{}run.sh:90:exec app\n", each(text, |n, line| format!("run.sh-{}-{line}", n + 6)))
    }),
    lines("grep -nC of two places", |text| {
        let shown = each(text, |n, line| format!("conf/app.ini-{n}-{line}"));
        format!("conf/app.ini:3:[main]\n--\n{shown}--\nconf/app.ini-90-[end]\n")
    }),
    lines("grep -nC of windows", |text| {
        each(text, |n, line| {
            format!("C:\\app\\conf.d\\run.cmd{0}{n}{0}{line}", if n == 2 { ':' } else { '-' })
        })
    }),
    lines("ripgrep with a heading and context", |text| {
        format!("conf/app.ini\n{}", each(text, |n, line| format!("{}-{line}", n + 11)))
    }),
    lines("combined diff, removed", |text| each(text, |_, line| format!("--{line}"))),
    lines("combined diff, removed from one", |text| each(text, |_, line| format!("- {line}"))),
    lines("combined diff, removed from the other", |text| each(text, |_, line| format!(" -{line}"))),
    lines("combined diff, added and removed", |text| each(text, |_, line| format!("+-{line}"))),
    lines("combined diff, added", |text| each(text, |_, line| format!("++{line}"))),
    lines("numbered diff, removed", |text| each(text, |n, line| format!("{n:>6}→-{line}"))),
    lines("diff, both", |text| {
        format!(
            "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n name: x\n{}+ok: 1\n",
            each(text, |_, line| format!("-{line}"))
        )
    }),
    lines("git show", |text| {
        format!(
            "commit 3f2a91bc77de3f2a91bc77de3f2a91bc77de3f2a\nAuthor: Bob <bob@host.test>\n\n    Change it\n\n\
             diff --git a/x b/x\nindex 3f2a91b..91bc77d 100644\n--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n{}",
            each(text, |_, line| format!("-{line}")) + &each(text, |_, line| format!("+{line}"))
        )
    }),
    lines("fence", |text| format!("So:\n\n```yaml\n{text}\n```\n")),
    lines("fence in a list", |text| {
        format!("- So:\n\n  ```\n{}  ```\n", each(text, |_, line| format!("  {line}")))
    }),
    lines("numbers with a bar", |text| each(text, |n, line| format!("{n:>5}| {line}"))),
    lines("numbers with a colon", |text| each(text, |n, line| format!("{n}: {line}"))),
    lines("log in brackets", |text| {
        each(text, |n, line| format!("[2024-05-06 07:08:{:02}] [INFO] {line}", n % 60))
    }),
    lines("diff, added", |text| format!("@@ -0,0 +1,9 @@\n{}", each(text, |_, line| format!("+{line}")))),
    lines("diff, removed", |text| format!("@@ -1,9 +0,0 @@\n{}", each(text, |_, line| format!("-{line}")))),
    lines("diff, unchanged", |text| each(text, |_, line| format!(" {line}"))),
    lines("git blame", |text| {
        each(text, |n, line| {
            format!("3f2a91bc (Bob Smith 2024-05-06 07:08:{:02} +0200 {n:>3}) {line}", n % 60)
        })
    }),
    lines("git blame of several", |text| {
        each(text, |n, line| {
            let (hash, author) = if n % 2 == 0 { ("^3f2a91b", "Bob") } else { ("91bc77de", "Ann Lee") };
            format!("{hash} ({author:<8} 2024-05-06 07:08:09 +0200 {n:>3}) {line}")
        })
    }),
    lines("log", |text| {
        each(text, |n, line| format!("2024-05-06T07:08:{:02}.{n:03}Z  INFO app: {line}", n % 60))
    }),
    lines("syslog", |text| {
        each(text, |n, line| format!("May  6 07:08:{:02} web-1 app[812]: {line}", n % 60))
    }),
    lines("kernel log", |text| each(text, |n, line| format!("[{n:>5}.{:06}] {line}", n * 7919 % 1_000_000))),
    lines("docker compose", |text| each(text, |_, line| format!("web-1  | {line}"))),
    lines("bat", |text| each(text, |n, line| format!("{n:>4} │ {line}"))),
    lines("table of numbers", |text| each(text, |n, line| format!("{n:>4} | {line}"))),
    lines("quotation", |text| each(text, |_, line| format!("> {line}"))),
    lines("quotation of a quotation", |text| each(text, |_, line| format!("> > {line}"))),
    lines("comment with a hash", |text| each(text, |_, line| format!("# {line}"))),
    lines("comment with slashes", |text| each(text, |_, line| format!("    // {line}"))),
    lines("comment with stars", |text| format!("/**\n{} */\n", each(text, |_, line| format!(" * {line}")))),
    lines("numbered quotation", |text| each(text, |n, line| format!("> {n:>6}→{line}"))),
    lines("numbered comment", |text| each(text, |n, line| format!("{n:>6}\t# {line}"))),
    lines("yaml block", |text| format!("key: |\n{}port: 80\n", each(text, |_, line| format!("    {line}")))),
    lines("numbered yaml block", |text| {
        format!("     1\tkey: |\n{}", each(text, |n, line| format!("{:>6}\t    {line}", n + 1)))
    }),
    lines("here-document", |text| {
        format!("cat > file <<'EOF'\n{}EOF\nchmod 600 file\n", each(text, |_, line| line.to_owned()))
    }),
    lines("numbered, after prose", |text| {
        format!("Here is the file:\n\n{}\n\nThat was it.", each(text, |n, line| format!("{n:>6}→{line}")))
    }),
    lines("cat -A", |text| each(text, |_, line| format!("{line}$"))),
    lines("box", |text| each(text, |_, line| format!("│ {line:<72} │"))),
    lines("colours", |text| each(text, |_, line| format!("\u{1b}[32m{line}\u{1b}[0m"))),
    lines("coloured numbers", |text| {
        each(text, |n, line| format!("\u{1b}[38;5;238m{n:>4}\u{1b}[0m {line}\u{1b}[K"))
    }),
];

/// Ways that write characters differently, or put the text inside another.
pub(crate) const ENCODINGS: &[Way] = &[
    Way { name: "json", text: json, part: escaped },
    Way { name: "json in json", text: |text| json(&json(text)), part: |part| escaped(&escaped(part)) },
    Way {
        name: "json in json in json",
        text: |text| json(&json(&json(text))),
        part: |part| escaped(&escaped(&escaped(part))),
    },
    Way {
        name: "edit in json",
        text: |text| {
            format!(
                "{{\"name\":\"Edit\",\"input\":{{\"file_path\":\"/a/x\",\"old_string\":\"a\",\"new_string\":\"{}\"}}}}",
                escaped(text)
            )
        },
        part: escaped,
    },
    Way { name: "diff in json", text: |text| json(&each(text, |_, line| format!("-{line}"))), part: escaped },
    Way {
        name: "grep in json",
        text: |text| json(&each(text, |n, line| format!("run.sh-{n}-{line}"))),
        part: escaped,
    },
    Way { name: "numbered in json", text: |text| json(&numbered(text)), part: escaped },
    Way {
        name: "numbered in json in json",
        text: |text| json(&json(&numbered(text))),
        part: |part| escaped(&escaped(part)),
    },
    Way { name: "json, numbered", text: |text| numbered(&json(text)), part: escaped },
    Way {
        name: "percent encoding",
        text: |text| format!("body={}", percent_encoded(text)),
        part: percent_encoded,
    },
    Way {
        name: "percent encoding, twice",
        text: |text| format!("body={}", percent_encoded(&percent_encoded(text))),
        part: |part| percent_encoded(&percent_encoded(part)),
    },
    Way {
        name: "unicode escapes",
        text: |text| format!("{{\"text\": \"{}\"}}", unicode(text)),
        part: unicode,
    },
];

/// Ways that hide characters between those of a secret.
pub(crate) const SPLITS: &[Way] = &[
    Way {
        name: "split by zero width",
        text: |text| split(text, "\u{200b}"),
        part: |part| split(part, "\u{200b}"),
    },
    Way {
        name: "split by colours",
        text: |text| split(text, "\u{1b}[0m\u{1b}[1;31m"),
        part: |part| split(part, "\u{1b}[0m\u{1b}[1;31m"),
    },
    Way {
        name: "split by escaped zero width",
        text: |text| split(text, "\\u200b"),
        part: |part| split(part, "\\u200b"),
    },
];

/// Ways that break base64 of the whole text into lines.
pub(crate) fn base64_lines(text: &str, columns: usize) -> String {
    let encoded = base64(text);
    encoded.as_bytes().chunks(columns).map(|line| String::from_utf8_lossy(line).into_owned() + "\n").collect()
}

pub(crate) fn numbered(text: &str) -> String {
    each(text, |n, line| format!("{n:>6}→{line}"))
}

fn json(text: &str) -> String {
    format!("{{\"type\":\"tool_result\",\"content\":\"{}\",\"is_error\":false}}", escaped(text))
}

fn each(text: &str, show: impl Fn(usize, &str) -> String) -> String {
    text.lines().enumerate().map(|(index, line)| show(index + 1, line) + "\n").collect()
}

fn unicode(text: &str) -> String {
    text.chars().map(|character| format!("\\u{:04x}", u32::from(character))).collect()
}

/// Something between every five characters of words.
fn split(text: &str, between: &str) -> String {
    let mut shown = String::new();
    for (index, character) in text.chars().enumerate() {
        if index > 0 && index % 5 == 0 && character.is_ascii_alphanumeric() {
            shown.push_str(between);
        }
        shown.push(character);
    }
    shown
}
