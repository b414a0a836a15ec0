//! Ways in which agents, programs and people show a file with a private key, beside those of [`shown`](super::shown).

use super::placed::base64;
use super::shown::{base64_lines, numbered};
use super::{escaped, percent_encoded};

/// A way to show a file, by its name.
pub(crate) type Format = (&'static str, fn(&str) -> String);

pub(crate) const FORMATS: &[Format] = &[
    ("plain", str::to_owned),
    ("windows", |text| text.replace('\n', "\r\n")),
    ("old mac", |text| text.replace('\n', "\r")),
    ("empty lines between", |text| text.replace('\n', "\n\n")),
    ("blanks behind", |text| each(text, |_, line| format!("{line}   "))),
    ("tabs before", |text| each(text, |_, line| format!("\t\t{line}"))),
    ("terminal of 40 columns", |text| folded(text, 40, "")),
    ("terminal of 40 columns, hanging", |text| folded(text, 40, "    ")),
    ("terminal of 50 columns, numbered", |text| folded(&numbered(text), 50, "")),
    ("read tool in json", |text| json(&numbered(text))),
    ("read tool with tabs in json in json", |text| {
        json(&json(&each(text, |n, line| format!("{n:>6}\t{line}"))))
    }),
    ("read tool of windows lines", |text| numbered(text).replace('\n', "\r\n")),
    ("read tool, ranges", |text| each(text, |n, line| format!("{:>5}→{line}", n + 1199))),
    ("numbers with dots", |text| each(text, |n, line| format!("{n}. {line}"))),
    ("numbers with zeros", |text| each(text, |n, line| format!("{n:04}: {line}"))),
    ("numbers in brackets", |text| each(text, |n, line| format!("[{n}] {line}"))),
    ("number of the view tool", |text| {
        format!(
            "Here's the result of running `cat -n` on /k:\n{}",
            each(text, |n, line| format!("{n:>6}\t{line}"))
        )
    }),
    ("grep of several files", |text| each(text, |n, line| format!("./a/{}.pem:{line}", n % 3))),
    ("grep with path and context", |text| each(text, |n, line| format!("/home/bob/.ssh/id_rsa-{n}-{line}"))),
    ("ripgrep with a heading", |text| {
        format!("deploy/id_rsa\n{}", each(text, |n, line| format!("{n}:{line}")))
    }),
    ("ripgrep with columns", |text| each(text, |n, line| format!("id_rsa:{n}:1:{line}"))),
    ("ack", |text| each(text, |n, line| format!("id_rsa:{n}:{}:{line}", n * 65))),
    ("apply_patch", |text| {
        format!(
            "*** Begin Patch\n*** Add File: id\n{}*** End Patch\n",
            each(text, |_, line| format!("+{line}"))
        )
    }),
    ("git show", |text| {
        format!(
            "diff --git a/id b/id\nnew file mode 100600\n--- /dev/null\n+++ b/id\n@@ -0,0 +1,27 @@\n{}",
            each(text, |_, line| format!("+{line}"))
        )
    }),
    ("word diff", |text| each(text, |_, line| format!("{{+{line}+}}"))),
    ("merge conflict", |text| format!("<<<<<<< HEAD\n{text}=======\nnone\n>>>>>>> other\n")),
    ("combined diff", |text| each(text, |_, line| format!("++{line}"))),
    ("numbered diff", |text| each(text, |n, line| format!("{n:>4} + {line}"))),
    ("log with a level", |text| {
        each(text, |n, line| format!("12:00:{:02}.123 DEBUG [main] c.e.Key - {line}", n % 60))
    }),
    ("pod logs", |text| each(text, |_, line| format!("[pod/api-5d9c7/api] {line}"))),
    ("container log file", |text| {
        each(text, |n, line| {
            format!(
                "{{\"log\":\"{line}\\n\",\"stream\":\"stdout\",\"time\":\"2026-01-02T03:04:{:02}.5Z\"}}",
                n % 60
            )
        })
    }),
    ("container runtime log", |text| {
        each(text, |n, line| format!("2026-01-02T03:04:{:02}.123456789Z stdout F {line}", n % 60))
    }),
    ("actions log", |text| {
        each(text, |n, line| format!("build\tRun\t2026-01-02T03:04:{:02}.1234567Z {line}", n % 60))
    }),
    ("journal", |text| each(text, |n, line| format!("Jan 02 03:04:{:02} host app[9]: {line}", n % 60))),
    ("python traceback", |text| each(text, |_, line| format!("E       {line}"))),
    ("assertion diff", |text| each(text, |_, line| format!("E         - {line}"))),
    ("compiler's margin", |text| each(text, |n, line| format!("{n:>3} |     {line}"))),
    ("editor with tildes", |text| format!("{}~\n~\n", each(text, |n, line| format!("{n:>3} {line}")))),
    ("box with a shadow", |text| each(text, |_, line| format!("┃ {line:<78} ┃░"))),
    ("tree", |text| each(text, |_, line| format!("│   ├── {line}"))),
    ("bullets", |text| each(text, |_, line| format!("  - {line}"))),
    ("mail", |text| each(text, |_, line| format!(">> | {line}"))),
    ("quoted printable", |text| {
        text.replace('=', "=3D")
            .lines()
            .map(|line| folded(line, 40, "").replace('\n', "=\n").trim_end_matches("=\n").to_owned() + "\n")
            .collect()
    }),
    ("ldif", |text| format!("key:: {}\n", base64_lines(text, 70).trim_end().replace('\n', "\n "))),
    ("one line, escaped", |text| format!("KEY=\"{}\"\n", text.replace('\n', "\\n"))),
    ("one line, escaped twice", |text| format!("KEY=\"{}\"\n", text.replace('\n', "\\\\n"))),
    ("one line, windows escapes", |text| format!("KEY=\"{}\"\n", text.replace('\n', "\\r\\n"))),
    ("one line, blanks", |text| format!("KEY='{}'\n", text.trim_end().replace('\n', " "))),
    ("one line, nothing between", |text| text.replace('\n', "") + "\n"),
    ("one line, breaks of html", |text| format!("<td>{}</td>\n", text.replace('\n', "<br>"))),
    ("one line, bars", |text| text.replace('\n', "|") + "\n"),
    ("one line, commas", |text| text.replace('\n', ",") + "\n"),
    ("one line, marks of the end", |text| text.replace('\n', "↵") + "\n"),
    ("shell with escapes", |text| format!("export KEY=$'{}'\n", text.replace('\n', "\\n"))),
    ("shell on many lines", |text| format!("export KEY=\"{text}\"\n")),
    ("bytes of python", |text| format!("b'{}'\n", text.replace('\n', "\\n"))),
    ("list of python", |text| {
        format!("[{}]\n", text.lines().map(|line| format!("'{line}\\n'")).collect::<Vec<_>>().join(", "))
    }),
    ("strings of python", |text| {
        format!("KEY = (\n{})\n", each(text, |_, line| format!("    \"{line}\\n\"")))
    }),
    ("strings of javascript", |text| each(text, |_, line| format!("  '{line}\\n' +"))),
    ("strings of go", |text| format!("key := `{text}`\n")),
    ("strings of c", |text| each(text, |_, line| format!("\t\"{line}\\n\" \\"))),
    ("array of bash", |text| {
        format!("KEY=({})\n", text.lines().map(|line| format!("\"{line}\"")).collect::<Vec<_>>().join(" "))
    }),
    ("terraform", |text| format!("  key = <<-EOT\n{}  EOT\n", each(text, |_, line| format!("    {line}")))),
    ("yaml, indented by eight", |text| {
        format!("a:\n  b:\n    key: |-\n{}", each(text, |_, line| format!("        {line}")))
    }),
    ("yaml, folded", |text| format!("key: >\n{}", each(text, |_, line| format!("  {line}\n")))),
    ("yaml, quoted", |text| format!("key: \"{}\"\n", text.replace('\n', "\\n"))),
    ("yaml, quoted over lines", |text| format!("key: \"{}\"\n", text.replace('\n', "\\n\\\n  "))),
    ("yaml list", |text| each(text, |_, line| format!("  - \"{line}\""))),
    ("toml on many lines", |text| format!("key = \"\"\"\n{text}\"\"\"\n")),
    ("properties", |text| format!("key={}\n", text.trim_end().replace('\n', "\\n\\\n  "))),
    ("xml with cdata", |text| format!("<key><![CDATA[{text}]]></key>\n")),
    ("xml with entities", |text| format!("<key>{}</key>\n", text.replace('\n', "&#xA;"))),
    ("csv over lines", |text| format!("1,bob,\"{text}\",yes\n")),
    ("sql", |text| format!("INSERT INTO keys VALUES (1, E'{}');\n", text.replace('\n', "\\n"))),
    ("json", json),
    ("json, pretty", |text| format!("{{\n  \"key\": \"{}\",\n  \"port\": 80\n}}\n", escaped(text))),
    ("json list", |text| {
        format!(
            "{{\"lines\": [{}]}}\n",
            text.lines().map(|line| format!("\"{line}\"")).collect::<Vec<_>>().join(", ")
        )
    }),
    ("json list, pretty", |text| format!("[\n{}]\n", each(text, |_, line| format!("  \"{line}\",")))),
    ("json in json in json in json", |text| json(&json(&json(&json(text))))),
    ("json in a command", |text| format!("curl -d '{{\"key\": \"{}\"}}' https://api.test\n", escaped(text))),
    ("json in percent encoding", |text| format!("body={}\n", percent_encoded(&json(text)))),
    ("percent encoding", |text| format!("https://api.test/?key={}\n", percent_encoded(text))),
    ("recording of a terminal", |text| each(text, |n, line| format!("[{n}.5, \"o\", \"{line}\\r\\n\"]"))),
    ("strace", |text| format!("write(1, \"{}\", 1679) = 1679\n", text.replace('\n', "\\n"))),
    ("strace of lines", |text| {
        each(text, |_, line| format!("write(1, \"{line}\\n\", {}) = {}", line.len() + 1, line.len() + 1))
    }),
    ("debug print", |text| format!("Config {{ key: Some({text:?}), port: 80 }}\n")),
    ("debug print in json", |text| json(&format!("Config {{ key: Some({text:?}), port: 80 }}"))),
    ("ansible", |text| format!("ok: [h] => {{\"stdout\": \"{}\", \"rc\": 0}}\n", escaped(text))),
    ("base64 on one line", |text| format!("{}\n", base64(text))),
    ("base64 of base64", |text| format!("{}\n", base64(&base64(text)))),
    ("base64 for addresses", |text| {
        format!("{}\n", base64(text).replace('+', "-").replace('/', "_").trim_end_matches('='))
    }),
    ("base64 in lines", |text| base64_lines(text, 76)),
    ("base64 in lines, numbered", |text| numbered(&base64_lines(text, 76))),
    ("base64 in a secret of kubernetes", |text| format!("data:\n  tls.key: {}\n", base64(text))),
    ("base64 in folded yaml", |text| {
        format!("data:\n  key: >-\n{}", each(&base64_lines(text, 76), |_, line| format!("    {line}")))
    }),
    ("base64 in json in json", |text| json(&json(&base64_lines(text, 76)))),
    ("address of data", |text| format!("data:application/x-pem-file;base64,{}\n", base64(text))),
    ("xxd -p", |text| {
        hex(text)
            .as_bytes()
            .chunks(60)
            .map(|line| String::from_utf8_lossy(line).into_owned() + "\n")
            .collect()
    }),
    ("hexadecimal on one line", |text| format!("{}\n", hex(text))),
    ("hexadecimal with colons", |text| format!("{}\n", spaced(text, ":"))),
    ("hexadecimal escapes", |text| {
        text.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>() + "\n"
    }),
    ("numbers in a list", |text| {
        format!("[{}]\n", text.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(", "))
    }),
    ("entities of html", |text| text.bytes().map(|byte| format!("&#{byte};")).collect::<String>() + "\n"),
    ("unicode escapes", |text| {
        text.bytes().map(|byte| format!("\\u00{byte:02x}")).collect::<String>() + "\n"
    }),
    ("head -n 4", |text| text.lines().take(4).map(|line| line.to_owned() + "\n").collect()),
    ("without its first line", |text| text.lines().skip(1).map(|line| line.to_owned() + "\n").collect()),
    ("without its last line", |text| {
        text.lines()
            .rev()
            .skip(1)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .map(|line| line.to_owned() + "\n")
            .collect()
    }),
    ("tail -n 4", |text| {
        text.lines().skip(text.lines().count().saturating_sub(4)).map(|line| line.to_owned() + "\n").collect()
    }),
    ("the tail, numbered", |text| {
        let skipped = text.lines().count().saturating_sub(5);
        text.lines().enumerate().skip(skipped).map(|(n, line)| format!("{:>6}→{line}\n", n + 1)).collect()
    }),
    ("colours in the middle", |text| {
        each(text, |_, line| {
            let middle = line.len() / 2;
            format!("\u{1b}[1m{}\u{1b}[31m{}\u{1b}[0m", &line[..middle], &line[middle..])
        })
    }),
    ("characters of no width", |text| {
        each(text, |_, line| {
            let middle = line.len() / 2;
            format!("{}\u{200b}{}", &line[..middle], &line[middle..])
        })
    }),
];

fn each(text: &str, show: impl Fn(usize, &str) -> String) -> String {
    text.lines().enumerate().map(|(index, line)| show(index + 1, line) + "\n").collect()
}

/// Lines broken where a terminal ends; what goes on begins with `before`.
fn folded(text: &str, columns: usize, before: &str) -> String {
    let fold = |line: &str| {
        let characters: Vec<char> = line.chars().collect();
        characters.chunks(columns).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>()
    };
    text.lines().map(|line| fold(line).join(&format!("\n{before}")) + "\n").collect()
}

fn json(text: &str) -> String {
    format!("{{\"type\":\"tool_result\",\"content\":\"{}\",\"is_error\":false}}\n", escaped(text))
}

fn hex(text: &str) -> String {
    spaced(text, "")
}

fn spaced(text: &str, between: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(between)
}
