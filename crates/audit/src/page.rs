//! The report as one page that needs nothing else: no script, no font, no picture from elsewhere.
//!
//! The page forbids scripts and every request by its own content policy, so text from a session could do nothing even
//! if it came through unescaped. The rules stand in the order of the file, as in a report of test coverage.

use std::fmt::Write as _;

use jiff::Timestamp;
use subcortex_guard::{Redactor, escape_for_display};

use crate::report::{Finding, Quote, Report, RuleReport, Standing, TurnCounts};
use crate::words::{day, left_out_headless, looked_at, n_of, short, without_mark};

/// What the page says about who made it; a file that says so may be replaced by a newer page.
pub const GENERATOR: &str = r#"<meta name="generator" content="subcortex audit">"#;

/// How many quotes of one kind are shown for one rule.
const MAX_QUOTES: usize = 20;
/// How many sentences that no rule covers are shown.
const MAX_SAID: usize = 200;

/// How rules and what is said of them look, on this page and on others.
pub const STYLE: &str = include_str!("page.css");

/// The report as an HTML page. `name` is what the rules file is called.
pub fn page(report: &Report, name: &str, made_at: Timestamp) -> String {
    let mut html = String::new();
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let (folder, name) = (escaped(folder), escaped(file));
    put(
        &mut html,
        format_args!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{GENERATOR}\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{name}, audited</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n"
        ),
    );
    head(&mut html, report, &folder, &name);
    filters(&mut html, report);
    put(&mut html, format_args!("<main>\n"));
    rules(&mut html, report);
    said(&mut html, report);
    put(&mut html, format_args!("</main>\n"));
    foot(&mut html, report, made_at);
    put(&mut html, format_args!("</body>\n</html>\n"));
    html
}

fn put(html: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ok = html.write_fmt(text);
}

fn head(html: &mut String, report: &Report, folder: &str, name: &str) {
    let folder =
        if folder.is_empty() { String::new() } else { format!("<div class=\"folder\">{folder}/</div>\n") };
    let looked_at = escaped(&looked_at(report));
    put(html, format_args!("<header>\n{folder}<h1>{name}</h1>\n<p>held against {looked_at}</p>\n"));
    let total = report.rules.len().max(1) as f64;
    put(
        html,
        format_args!(
            "<svg class=\"bar whole\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
        ),
    );
    let mut at = 0.0;
    for (standing, class, ..) in Standing::SHOWN {
        let width = 100.0 * report.count(standing) as f64 / total;
        put(html, format_args!("<rect class=\"{class}\" x=\"{at:.2}\" width=\"{width:.2}\" height=\"4\"/>"));
        at += width;
    }
    put(html, format_args!("</svg>\n</header>\n"));
}

/// One choice a standing. What is chosen hides the other rules, by style alone.
fn filters(html: &mut String, report: &Report) {
    put(html, format_args!("<fieldset class=\"filters\">\n<legend>Show</legend>\n"));
    let n = report.rules.len();
    put(
        html,
        format_args!(
            "<label class=\"all\"><input type=\"radio\" name=\"show\" id=\"show-all\" checked><b>{n}</b> <span>{}</span></label>\n",
            if n == 1 { "rule" } else { "rules" }
        ),
    );
    for (standing, class, words, meaning) in Standing::SHOWN {
        let n = report.count(standing);
        put(
            html,
            format_args!(
                "<label class=\"{class}\" title=\"{meaning}\"><input type=\"radio\" name=\"show\" id=\"show-{class}\"><b>{n}</b> <span>{words}</span></label>\n"
            ),
        );
    }
    put(html, format_args!("</fieldset>\n"));
}

fn rules(html: &mut String, report: &Report) {
    let mut headings: &[String] = &[];
    let mut is_open = false;
    // The title of the file would stand above every group.
    let title = report.rules.first().and_then(|outcome| outcome.rule.headings.first());
    let is_title = report.rules.iter().all(|outcome| outcome.rule.headings.first() == title);
    for outcome in &report.rules {
        if !is_open || outcome.rule.headings != headings {
            if is_open {
                put(html, format_args!("</section>\n"));
            }
            headings = &outcome.rule.headings;
            is_open = true;
            put(html, format_args!("<section class=\"group\">\n"));
            let path: Vec<String> =
                headings.iter().skip(usize::from(is_title)).map(|heading| escaped(heading)).collect();
            if !path.is_empty() {
                put(html, format_args!("<h2>{}</h2>\n", path.join(" <i>›</i> ")));
            }
        }
        rule(html, outcome);
    }
    if is_open {
        put(html, format_args!("</section>\n"));
    }
    if report.rules.is_empty() {
        put(html, format_args!("<p class=\"none\">The file holds no rules.</p>\n"));
    }
}

fn rule(html: &mut String, outcome: &RuleReport) {
    let standing = outcome.standing();
    let text = Redactor::new().text(without_mark(&outcome.rule.text)).into_owned();
    put(
        html,
        format_args!(
            "<details class=\"rule {}\" id=\"L{line}\">\n<summary><span class=\"line\">{line}</span><span class=\"text\">{}</span><span class=\"score\">",
            standing.class(),
            with_code(&text),
            line = outcome.rule.line,
        ),
    );
    score(html, outcome, standing);
    put(html, format_args!("</span></summary>\n<div class=\"more\">\n"));
    let check = &outcome.rule.check;
    // These repeat words of the rule, which may hold a secret as well.
    let clean = |text: &str| with_code(&Redactor::new().text(text));
    let understood = if check.testable { "Understood as" } else { "Not testable" };
    put(html, format_args!("<p class=\"why\"><b>{understood}:</b> {}</p>\n", clean(&check.why)));
    if let Some(doubt) = &outcome.doubt {
        put(html, format_args!("<p class=\"reword\"><b>Not trusted:</b> {}</p>\n", clean(doubt)));
    }
    if let Some(reword) = &check.reword {
        put(html, format_args!("<p class=\"reword\"><b>Reword:</b> {}</p>\n", clean(reword)));
    }
    for finding in Finding::ALL {
        quotes(html, outcome, finding);
    }
    if outcome.quotes.is_empty() && check.testable && outcome.doubt.is_none() {
        put(html, format_args!("<p class=\"none\">It never came up.</p>\n"));
    }
    put(html, format_args!("</div>\n</details>\n"));
}

/// A bar and what it says in words.
fn score(html: &mut String, outcome: &RuleReport, standing: Standing) {
    let TurnCounts { followed, missed, .. } = outcome.turns;
    if followed + missed > 0 {
        let total = (followed + missed) as f64;
        let width = 100.0 * followed as f64 / total;
        put(
            html,
            format_args!(
                "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"followed\" width=\"{width:.2}\" height=\"8\"/><rect class=\"missed\" x=\"{width:.2}\" width=\"{:.2}\" height=\"8\"/></svg><b class=\"percent\">{}%</b>",
                100.0 - width,
                outcome.followed_percent().unwrap_or_default(),
            ),
        );
    }
    let counts: Vec<String> = [Finding::Contradicted, Finding::Followed, Finding::Missed, Finding::Unclear]
        .into_iter()
        .map(|finding| (finding.word(), outcome.turns.of(finding)))
        .filter(|(_, n)| *n > 0)
        .map(|(word, n)| format!("<span class=\"{word}\">{n} {word}</span>"))
        .collect();
    let words = match standing {
        Standing::Untestable => "not testable".to_owned(),
        Standing::Doubted => "not trusted".to_owned(),
        Standing::Waiting => "never came up".to_owned(),
        Standing::Contradicted | Standing::Missed | Standing::Followed | Standing::Unclear => {
            counts.join(" ")
        }
    };
    put(html, format_args!("<span class=\"counts\">{words}</span>"));
}

fn quotes(html: &mut String, outcome: &RuleReport, finding: Finding) {
    let n = outcome.turns.of(finding);
    if n == 0 {
        return;
    }
    let word = finding.word();
    put(html, format_args!("<h3 class=\"{word}\">{word} in {}</h3>\n<ul>\n", n_of(n, "turn", "turns")));
    let mut shown = 0;
    for quote in outcome.quotes_of(finding).take(MAX_QUOTES) {
        put_quote(html, quote, &outcome.rule.check.why);
        shown += 1;
    }
    if n > shown {
        put(html, format_args!("<li class=\"none\">… and {} before these</li>\n", n - shown));
    }
    put(html, format_args!("</ul>\n"));
}

fn put_quote(html: &mut String, quote: &Quote, understood: &str) {
    // How the rule is understood stands above already.
    let why = if quote.why.ends_with(understood) { "" } else { &quote.why };
    put(
        html,
        format_args!(
            "<li><div class=\"place\"><time>{}</time> <span title=\"{}\">{}</span> <i>{}</i></div><blockquote>{}</blockquote></li>\n",
            day(quote.ts),
            escaped(&quote.event),
            escaped(short(&quote.session)),
            with_code(why),
            escaped(&quote.quote),
        ),
    );
}

fn said(html: &mut String, report: &Report) {
    let (said, headless) = (&report.said, left_out_headless(report));
    if said.is_empty() && headless.is_none() {
        return;
    }
    put(
        html,
        format_args!(
            "<section class=\"said\">\n<h2>Said, but not written down</h2>\n<p>People said this to last, and no rule covers it.</p>\n<ul>\n"
        ),
    );
    for one in said.iter().take(MAX_SAID) {
        let times = if one.times > 1 { format!(" <i>{} times</i>", one.times) } else { String::new() };
        let near = one.near.map_or_else(String::new, |line| format!(" <i>near L{line}</i>"));
        put(
            html,
            format_args!(
                "<li><div class=\"place\"><time>{}</time> <span title=\"{}\">{}</span>{times}{near}</div><blockquote>{}</blockquote></li>\n",
                day(one.ts),
                escaped(&one.event),
                escaped(short(&one.session)),
                escaped(&one.quote),
            ),
        );
    }
    if said.len() > MAX_SAID {
        put(html, format_args!("<li class=\"none\">… and {} more</li>\n", said.len() - MAX_SAID));
    }
    if let Some(words) = headless {
        put(html, format_args!("<li class=\"none\">{}</li>\n", escaped(&words)));
    }
    put(html, format_args!("</ul>\n</section>\n"));
}

fn foot(html: &mut String, report: &Report, made_at: Timestamp) {
    let files = n_of(report.summary.files, "session file", "session files");
    let records = n_of(report.summary.records, "record", "records");
    put(
        html,
        format_args!(
            "<footer><p>Made by <code>subcortex audit</code> on {} from {files} with {records}. A turn is a person's message and what \
             the agent did until the next one. “Unclear” turns touch a rule without showing whether it was followed. Secrets in quotes are replaced; \
             the page loads nothing and runs no script.</p></footer>\n",
            day(made_at)
        ),
    );
}

/// Text from outside, so that neither a browser nor a person takes it for something else.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    for (at, line) in text.lines().enumerate() {
        if at > 0 {
            html.push('\n');
        }
        let line = line.replace('\t', "    ");
        for c in escape_for_display(&line).chars() {
            match c {
                '&' => html.push_str("&amp;"),
                '<' => html.push_str("&lt;"),
                '>' => html.push_str("&gt;"),
                '"' => html.push_str("&quot;"),
                '\'' => html.push_str("&#39;"),
                plain => html.push(plain),
            }
        }
    }
    html
}

/// As [`escaped`], with what stands in backticks as code.
fn with_code(text: &str) -> String {
    let mut html = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`')
        && let Some((code, behind)) = after.split_once('`')
    {
        html.push_str(&escaped(before));
        put(&mut html, format_args!("<code>{}</code>", escaped(code)));
        rest = behind;
    }
    html.push_str(&escaped(rest));
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_stays_text() {
        assert_eq!(escaped("<script>\"&'\x1b[0m"), "&lt;script&gt;&quot;&amp;&#39;\\u{1b}[0m");
        assert_eq!(escaped("a\r\nb\tc"), "a\nb    c");
    }

    #[test]
    fn backticks_become_code_and_a_single_one_stays() {
        assert_eq!(with_code("run `a<b` or `c"), "run <code>a&lt;b</code> or `c");
        assert_eq!(with_code("``"), "<code></code>");
    }
}
