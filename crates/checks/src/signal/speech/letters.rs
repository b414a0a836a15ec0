//! Mails, commits and chats: where one begins, and the lines with which a person announces what somebody else wrote.

use crate::text::pattern;

/// The fewest digits of a commit's name.
const MIN_COMMIT_DIGITS: usize = 7;
/// How long the date and the name of a mail's writer are at most, together.
const MAX_WRITER_CHARS: usize = 80;
/// From how many lines of a mail's head on a block is one.
const MIN_HEAD_LINES: usize = 2;

pattern!(
    HEAD,
    r"^(?:From|To|Cc|Bcc|Sent|Date|Subject|Reply-To|Author|Von|An|Gesendet|Betreff|De|Para|Asunto|À|Objet|Envoyé)\s?: "
);
pattern!(
    BEGINS_LETTER,
    r"(?i)^(?:on (.{4,}?)\bwrote:\s*$|am (.{4,}?)\bschrieb\b.*:\s*$|le (.{4,}?)\ba écrit\s?:\s*$|[-_=\s]*(?:begin )?(?:forwarded|original|weitergeleitete|ursprüngliche) (?:message|mail|nachricht)\b)"
);
pattern!(
    ANNOUNCES,
    r"(?ix)(?:
        ^(?:\w+\W+){0,3}(?:look|see|check|read|explain|summari[sz]e|translate|answer|review|fix)(?:\s(?:at|this|that|here|it|out|please|the\s\w+|following))*\s*:\s*$
        | \b(?:logs?|output|errors?|(?:stack\s?|back)?trace(?:back)?|readme|\w+\.(?:md|txt|json|ya?ml|toml|py|[jt]sx?|rs|go)|file|docs?|documentation|page|article|wiki|spec|guide|contributing|changelog
            |reviews?|reviewer|comments?|feedback|e?-?mails?|letter|messages?|tickets?|issue|thread|chat|slack|discord|conversation|transcript|diff|patch|config|code|snippet
            |responses?|repl(?:y|ies)|answers?|terminal|console|stdout|stderr|results?|text|quote|paragraph|section|sentence|header|post|tweet|prompt|plan|summary|description|body)
          (?:\W+\w+){0,6}\s*:\s*$
        | \b(?:says?|said|saying|wrote|writes|written|reads|states?|stated|printed|prints|shows?|showed|returned|returns|replied|answered|told\sme|reported|reports|complain(?:s|ed)|got|get|getting|gives|gave|posted|commented|suggest(?:s|ed)|generated|produced|responded)
          (?:\W+\w+){0,4}\s*:\s*$
        | \b(?:that|their|his|her|its|another|other|upstream)\s(?:\w+\s){0,3}(?:is|are|has|have|:)?\s*:\s*$
        | ::\s*$
    )"
);
pattern!(
    OWN_RULES,
    r"(?i)\b(?:my|these|our|following|some|few|new|these are the|project|coding|team) (?:\w+ )?(?:rules?|conventions?|preferences?|wishes|guidelines|standards|instructions|points|things|requirements|principles)\b|\bfrom now on\b|\b(?:i|we) (?:want|wish|prefer|expect|said|say|told|need|like)\b"
);

// A task whose object stands below it, without a colon.
pattern!(
    HANDS_OVER,
    r"(?i)\b(?:add|put|insert|append|paste|copy|include|translate|proofread|paraphrase|rephrase|reword|summari[sz]e|shorten|spell-?check) (?:this|these|the following)\b(?:\W+\w+){0,6}\W*$"
);
pattern!(
    OF_THE_MEMORY,
    r"(?i)\b(?:rules?|memory|memories|instructions|guidelines?|claude\.md|agents\.md|remember)\b"
);

/// Whether a mail, a commit or a forwarded message begins in this line. Where its text ends, nothing shows.
pub(super) fn begins_letter(line: &str) -> bool {
    let line = line.trim();
    let is_commit = line.strip_prefix("commit ").is_some_and(|name| {
        let name = name.split(' ').next().unwrap_or_default();
        name.len() >= MIN_COMMIT_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    let is_from = ["From: ", "Author: "].iter().any(|head| line.starts_with(head)) && line.contains('@');
    // Counted afterwards: an expression that counts so far takes megabytes.
    let is_near = |who: regex::Match<'_>| who.as_str().chars().count() <= MAX_WRITER_CHARS;
    let begins =
        || BEGINS_LETTER.captures(line).is_some_and(|found| found.iter().skip(1).flatten().all(is_near));
    is_commit || is_from || begins()
}

/// Whether a line is one of a mail's head.
pub(super) fn is_head(line: &str) -> bool {
    HEAD.is_match(line.trim_start())
}

/// Whether a block of lines begins with the head of a mail.
pub(super) fn is_head_of_mail(block: &[&str]) -> bool {
    block.windows(MIN_HEAD_LINES).any(|lines| lines.iter().all(|line| is_head(line)))
}

/// Whether a line announces what somebody else wrote: "the readme says:".
pub(super) fn announces(line: &str) -> bool {
    let line = line.trim();
    let hands_over = HANDS_OVER.is_match(line) && !OF_THE_MEMORY.is_match(line);
    (line.ends_with(':') && ANNOUNCES.is_match(line) || hands_over) && !OWN_RULES.is_match(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_announces_what_others_wrote_and_not_ones_own_rules() {
        for line in [
            "the readme says:",
            "Here is the log:",
            "look:",
            "He wrote:",
            "I get this error when I start it:",
            "look::",
            "review this comment:",
        ] {
            assert!(announces(line), "{line}");
        }
        for line in [
            "Here are my rules:",
            "please follow these:",
            "the readme says so",
            "From now on:",
            "Some code conventions:",
            "I want the output so:",
            "two things:",
        ] {
            assert!(!announces(line), "{line}");
        }
    }

    #[test]
    fn letters_have_heads() {
        assert!(begins_letter("commit 1234567890abcdef"));
        assert!(begins_letter("On Mon, Nov 16, 2026 at 10:00 AM Bob <bob@x.org> wrote:"));
        assert!(begins_letter("---------- Forwarded message ---------"));
        assert!(!begins_letter("commit often"));
        assert!(!begins_letter("on every commit I wrote tests"));
        assert!(is_head_of_mail(&["From: Bob", "Sent: Monday"]));
        assert!(!is_head_of_mail(&["From: me", "always use tabs"]));
    }
}
