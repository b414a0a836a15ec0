//! Turns a person's sentence into a line that stands alone, in their own words.

use crate::code::is_program;
use crate::orders::{base_of_gerund, base_of_participle, is_order_word};
use crate::signal::is_of_the_moment;
use crate::text::{self, pattern};

use super::shape;

/// The longest line that a sentence may become, in characters.
pub(super) const LONGEST_RULE_CHARS: usize = 200;
/// A rule says what to do with what.
const LEAST_WORDS: usize = 2;

// Sounds and turns of speech in front of what is meant. Each is stripped as often as it comes.
pattern!(
    SOUND,
    r"^(?:(?:(?:no\s+)*no|nope|nah|stop|wait|again|wrong|yes|look|listen|seriously|really|right|remember|note|important|reminder|fyi|rule|wtf|what|why|arg+h?|u+gh?|um+|hm+|oh|ah|eh|come on|hold on)\s*(?:[,.!?;:…]+|\s[-—–]+)\s*|(?:ok|okay|hey|hi|hello|well|so|and|but|also|pls|plz|please|kindly|actually|btw|claude|codex|alright|sorry|thanks|cool|great|then|just|simply|honestly|meanwhile|moreover|furthermore|additionally|however|i think|i guess|i mean|guys?|dude|bro|man)\b[\s,.!;:…—–-]*)"
);
pattern!(
    LASTING,
    r"^(?:(?:from now on|going forward|from here on(?: out)?|in (?:the )?future|for (?:the )?future(?: reference)?|for reference|for next time|next time(?: around)?|as a (?:general )?rule|in general|generally|as a reminder|once and for all|for the (?:last|hundredth|nth) time|just so you know|per our (?:conventions?|rules?)|in this (?:repo|repository|project|codebase|code base|package|app)|in our (?:repo|repository|project|codebase|code base)|over here|around here|here)\b[\s,:;—–-]*)"
);
pattern!(
    TOLD,
    r"^(?:(?:as|like) )?i(?:'ve| have)? ?(?:already |just |clearly |explicitly |repeatedly |literally )*(?:said|told you|asked you|asked|mentioned|explained|wrote)(?: (?:you|it|this|that))?(?: (?:so many|several|many|multiple|a hundred|\d+) times| (?:twice|before|already|again|earlier|last time))*(?:[\s,:;—–-]+(?:that )?|$)"
);
pattern!(
    MEMORY,
    r"^(?:(?:please )?(?:remember|remeber|rember|keep in mind|bear in mind|note|memori[sz]e|be aware)(?: that| to)?[:,]? |(?:don't|dont|do not|never) forget (?:that |to )|rem(?:em|e)?ber to |be sure (?:to |that )|make sure (?:to |that you |you )|(?:add|put|write|save|record|note)(?: (?:this|that|it|a (?:note|rule|line)|these))? (?:to|in|into) (?:the |your |our )?(?:claude\.md|agents\.md|memory|rules?|guidelines?|conventions?|notes)\s*[:,—–-]+ ?(?:that )?|(?:the|our|my|a) (?:rule|convention|policy) (?:here )?(?:is|says)(?: that|:)? (?:to )?)"
);
pattern!(
    ASKS,
    r"^(?:(?:can|could|would|will) (?:you|we)(?: please| pls)?|would you mind|(?:what )?i(?:'d| would)?(?: really| much)? (?:want|need|like|love|expect|prefer)(?: it if| that)? you(?: to)?|i'd rather(?: have)? you|i(?:'d| would) (?:like|prefer) to|(?:it(?:'s| is| would be)|it'd be) (?:better|best|nice|great|good|preferable|safer|cleaner) (?:if you|to)|(?:you|we|one|claude|agents?) (?:should|must|need to|needs to|have to|has to|ought to|are (?:supposed|expected|meant) to|want to|gotta|better)|you'd better|let's|lets|let us)\b[\s,]+"
);
pattern!(
    FORGOT,
    r"^(?:why do )?you (?:keep|always|still|just|again) (?:forget|forgetting|forgot) to |^you (?:keep )?(?:forgot|forget|forgetting)(?: again)? to "
);
pattern!(
    TAIL,
    r"(?i)(?:[\s,;—–-]+(?:please|pls|plz|thanks|thank you|thx|ok|okay|right|alright|again|from now on|going forward|in (?:the )?future|next time|for (?:the )?future|in this (?:repo|repository|project|codebase|code base)|got it|understood|damn it|dammit|ffs|for god'?s sake|anymore|any more|here|in here|you know|as i said|like i said|remember|period|full stop|i said))+[\s.!?]*$"
);
pattern!(
    HEDGED,
    r"(?i)\b(?:maybe|perhaps|might|not sure|i wonder|possibly|someday|eventually|for example if)\b"
);
pattern!(
    DIRECTS,
    r"(?i)\b(?:must|should|never|always|only|avoid|not|don't|dont|cannot|can't|need|needs|required?|forbidden|instead of|rather than|has to|have to|prefer|no|shall|belongs?|goes? (?:in|into|to)|convention|allowed|off[- ]limits|mandatory)\b"
);
pattern!(
    LASTS,
    r"(?i)\b(?:always|never|every ?time|each time|whenever|from now on|in (?:the )?future|going forward|by default)\b"
);

/// The sentence as a line of the memory in the person's own words, or `None` when it cannot stand alone: it points at the conversation,
/// asks without a rule, gives no direction, tells a status, a count or a date, or holds Markdown that a memory file would obey.
pub fn restate_as_rule(sentence: &str) -> Option<String> {
    let sentence = sentence.trim().trim_start_matches(['-', '*', '•', ' ']).trim();
    if shape::has_structure(sentence) || is_of_the_moment(sentence) || shape::is_passing(sentence) {
        return None;
    }
    let asks = sentence.trim_end_matches(['!', '.']).ends_with('?');
    let lasts = LASTS.is_match(sentence);
    let (stripped, asked) = strip_lead_ins(&with_apostrophes(sentence));
    let tail = TAIL.find(&stripped).map_or(stripped.len(), |found| found.start());
    let bare =
        stripped.get(..tail)?.trim_matches([' ', ',', ';', ':', '.', '!', '?', '…', '-', '—', '–', '"']);
    if asks && !(asked && lasts) {
        return None;
    }
    let rule = imperative(without_afterthought(bare), asked)?;
    let words = text::words(&rule);
    let stands_alone = words.len() >= LEAST_WORDS
        && !shape::points_outside(&rule)
        && !HEDGED.is_match(&rule)
        && !rule.contains('?')
        && has_direction(&rule, words.first().map_or("", String::as_str))
        && !text::content_stems(&rule).is_empty();
    let line = format!("{}.", capitalised(&rule));
    (stands_alone && line.chars().count() <= LONGEST_RULE_CHARS).then_some(line)
}

// Typed without the apostrophe; a word of a path or of code stands between other signs.
pattern!(
    NT,
    r"(?i)(^|[\s(])(do|does|did|is|are|was|were|ca|wo|should|could|would|must|have|has|had)nt([\s,.;:!?)]|$)"
);

/// "don’t" and "dont" as a file that is read for years spells it.
fn with_apostrophes(sentence: &str) -> String {
    NT.replace_all(&sentence.replace('’', "'"), "${1}${2}n't${3}")
}

// Why something is to be done, told behind the order: "use bun here, pnpm is no longer set up", "use rg, it's way faster".
pattern!(
    AFTERTHOUGHT,
    r"(?i), (?:(?:(?:a|an|the|our|my|that|this|the old) )?\S+(?: \S+)? (?:is|are|was|were|isn't|isnt|aren't) (?:no longer|not|n't|deprecated|gone|obsolete|outdated|too|way|much|so|faster|slower|broken)|(?:it|they|that)(?:'s|s| is| are|'re)? (?:just |also |only )?(?:way|much|far|too|so|really|faster|slower|easier|safer|cleaner|simpler|takes?|walks|breaks|leaves|makes))\b[^,;:]*$"
);

/// An order without the reason that is told behind it.
fn without_afterthought(bare: &str) -> &str {
    let Some(found) = AFTERTHOUGHT.find(bare) else { return bare };
    let order = bare.get(..found.start()).unwrap_or(bare);
    let words = text::words(order);
    let orders = words.iter().any(|word| is_order_word(word)) && words.len() > LEAST_WORDS;
    if orders { order } else { bare }
}

/// What is left of a sentence without its lead-ins, and whether it was put as a request.
fn strip_lead_ins(sentence: &str) -> (String, bool) {
    let mut rest = sentence.to_owned();
    let mut asked = false;
    loop {
        let lower = rest.to_lowercase();
        if SHOULD_HAVE.is_match(&lower) {
            return (rest, asked);
        }
        let found = [&*TOLD, &*MEMORY, &*LASTING, &*ASKS, &*SOUND, &*FORGOT].iter().find_map(|pattern| {
            pattern.find(&lower).filter(|found| found.end() > 0).map(|found| found.as_str().to_owned())
        });
        let Some(found) = found else { return (rest, asked) };
        asked |= ASKS.is_match(&found);
        // Lower case may change the length of a letter: then the sentence is left as it is.
        let Some(tail) = rest.get(found.len()..).filter(|_| lower.len() == rest.len()) else {
            return (rest, asked);
        };
        rest = tail.trim_start().to_owned();
    }
}

pattern!(NOT_TO, r"^(?:not to|to not|to never|never to|always to|not) ");
pattern!(
    STOP,
    r"^(?:(?:you )?(?:please )?stop|(?:why do )?you keep(?: on)?|quit|no more|i(?:'m| am) (?:sick|tired) of you|i hate (?:it when you|when you)) ([a-z]+)\b"
);
pattern!(SHOULD_HAVE, r"^(?:you )?(?:should(?:n't| not)?|could) have (?:first |always |never )?([a-z]+)\b");
pattern!(
    OUR_WAY,
    r"^we (?:here )?(?:(?:are )?(?:gonna|going to) |will )?(?:(always|never|only|usually|generally|typically|all) )?([a-z]+)\b"
);
pattern!(
    OUR_BAN,
    r"^(?:we|you) (?:really )?(?:don't|dont|do not|must not|mustn't|shouldn't|should not|can't|cannot|may not)(?: ever)? ([a-z]+)\b"
);
pattern!(
    LIKES,
    r"^i(?:'d| would)?(?: really| much| strongly| generally| usually)* (?:prefer|rather have|favou?r)(?: to)? "
);
pattern!(
    DISLIKES,
    r"^i(?:'d| would)? ?(?:really )?(?:don't|dont|do not) (?:want|like|need)(?: to (?:see|have))?( you to)? "
);
// "I don't want the agent to be listed" rules out what the agent does, and not the agent.
pattern!(SOMEBODY_TO, r"^((?i:the |an? |my |our |your |their )?[\w-]+(?: [\w-]+){0,2}) to ([a-z]+\b.*)$");
// "No a lot of space" and "no the ellipses" are no English.
pattern!(MUCH, r"(?i)^(?:a lot of|lots of|too (?:much|many)|so (?:much|many)|that (?:much|many))\b");
pattern!(ARTICLE, r"(?i)^(?:the|a|an) ");
pattern!(
    WANTS,
    r"^i(?:'d| would)?(?: really)? (?:want|like|need|love|expect)(?: to (?:have|see|use|keep))? "
);

/// The sentence as an order where that is simple, else as it is.
fn imperative(bare: &str, asked: bool) -> Option<String> {
    let lower = bare.to_lowercase();
    let after = |end: usize| bare.get(end..).filter(|_| lower.len() == bare.len()).map(str::trim);
    if let Some(found) = NOT_TO
        .find(&lower)
        .filter(|found| lower.get(found.end()..).is_some_and(|rest| asked || opens_with_order(rest)))
    {
        let how =
            ["never", "always"].into_iter().find(|how| found.as_str().contains(how)).unwrap_or("do not");
        return Some(format!("{how} {}", after(found.end())?));
    }
    if let Some(rest) = lower.strip_prefix("to ").filter(|rest| opens_with_order(rest)) {
        return after(lower.len() - rest.len()).map(str::to_owned);
    }
    if let Some(found) = STOP.captures(&lower) {
        let verb = base_of_gerund(found.get(1)?.as_str());
        return match verb {
            Some(verb) => Some(format!("do not {verb} {}", after(found.get(1)?.end())?)),
            None => lower.starts_with("no more").then(|| bare.to_owned()),
        };
    }
    if let Some(found) = SHOULD_HAVE.captures(&lower) {
        let verb = base_of_participle(found.get(1)?.as_str())?;
        let not = if found.get(0)?.as_str().contains("n't") || found.get(0)?.as_str().contains(" not ") {
            "do not "
        } else {
            ""
        };
        return Some(format!("{not}{verb} {}", after(found.get(1)?.end())?));
    }
    if let Some(found) =
        OUR_BAN.captures(&lower).filter(|found| found.get(1).is_some_and(|verb| is_order_word(verb.as_str())))
    {
        return Some(format!("do not {}", after(found.get(1)?.start())?));
    }
    if let Some(found) = OUR_WAY.captures(&lower) {
        let verb = found.get(2)?;
        if !is_order_word(verb.as_str())
            || matches!(verb.as_str(), "have" | "be" | "should" | "must" | "get" | "go")
        {
            return Some(bare.to_owned());
        }
        let how =
            found.get(1).map(|how| how.as_str()).filter(|how| matches!(*how, "always" | "never" | "only"));
        let rest = after(verb.start())?;
        return Some(how.map_or_else(|| rest.to_owned(), |how| format!("{how} {rest}")));
    }
    if let Some(found) = DISLIKES.captures(&lower) {
        let rest = after(found.get(0)?.end())?.trim_start_matches("any ");
        if let Some(deed) = SOMEBODY_TO.captures(rest).filter(|_| found.get(1).is_none()) {
            let part = |at: usize| deed.get(at).map(|part| part.as_str());
            return Some(format!("{} must not {}", part(1)?, part(2)?));
        }
        let how = match found.get(1) {
            Some(_) => "do not",
            None if MUCH.is_match(rest) => "not",
            None => "no",
        };
        let rest = if how == "no" { rest.get(ARTICLE.find(rest).map_or(0, |it| it.end())..)? } else { rest };
        return Some(format!("{how} {rest}"));
    }
    if let Some(found) = LIKES.find(&lower) {
        return Some(format!("prefer {}", after(found.end())?));
    }
    if let Some(found) = WANTS.find(&lower) {
        let rest = after(found.end())?;
        let verb = if found.as_str().contains(" use") {
            "use "
        } else if found.as_str().contains(" keep") {
            "keep "
        } else {
            ""
        };
        return Some(format!("{verb}{rest}"));
    }
    // What is left with a person as its subject reports rather than orders.
    let first = text::words(&lower).first().cloned().unwrap_or_default();
    let reports = matches!(
        first.as_str(),
        "i" | "i'm"
            | "i've"
            | "i'll"
            | "you"
            | "you're"
            | "you've"
            | "he"
            | "she"
            | "they"
            | "someone"
            | "everyone"
            | "what's"
            | "whats"
            | "why"
            | "who"
    );
    (!reports).then(|| bare.to_owned())
}

fn opens_with_order(text: &str) -> bool {
    text::words(text).first().is_some_and(|word| is_order_word(word))
}

/// Whether the rule says what to do: by its verb, by a word for must or must not, or because it can be tested.
fn has_direction(rule: &str, first: &str) -> bool {
    is_order_word(first) || DIRECTS.is_match(rule) || {
        let check = crate::reading::compile(rule, &[]);
        check.testable && !matches!(check.family.as_str(), "echo" | "pointer")
    }
}

fn capitalised(rule: &str) -> String {
    let first = rule.split(|c: char| !(c.is_alphanumeric() || c == '-')).next().unwrap_or("");
    if rule.starts_with('`')
        || (is_program(first) && !is_order_word(first))
        || first.contains(|c: char| c.is_uppercase())
    {
        return rule.to_owned();
    }
    let mut chars = rule.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_becomes_a_line_in_the_persons_own_words() {
        for (sentence, expect) in [
            ("I told you to use pnpm, not npm!", "Use pnpm, not npm."),
            ("no, please never commit directly to main", "Never commit directly to main."),
            ("from now on write commit messages in English", "Write commit messages in English."),
            (
                "hey claude, can you always run `make lint` before committing?",
                "Always run `make lint` before committing.",
            ),
            (
                "remember that migrations must never be edited by hand",
                "Migrations must never be edited by hand.",
            ),
            ("for future reference: API keys never go into env files", "API keys never go into env files."),
            ("you should ask before you delete files", "Ask before you delete files."),
            ("I want you to keep pull requests small", "Keep pull requests small."),
            ("I'd like you to answer in German", "Answer in German."),
            ("we always squash commits before merging", "Always squash commits before merging."),
            ("we don't mock the database in tests here", "Do not mock the database in tests."),
            ("In this repo we use tabs, not spaces.", "Use tabs, not spaces."),
            ("stop adding comments to the code!!", "Do not add comments to the code."),
            ("you keep forgetting to run make lint before committing", "Run make lint before committing."),
            ("I prefer small functions over long ones", "Prefer small functions over long ones."),
            ("i don't want any emojis in the readme", "No emojis in the readme."),
            (
                "I do not want the agent to be listed as an author",
                "The agent must not be listed as an author.",
            ),
            ("i said no comments in the code", "No comments in the code."),
            ("you should have created a new branch from main", "Create a new branch from main."),
            ("add this to CLAUDE.md: migrations need a rollback", "Migrations need a rollback."),
            ("dont use sed to edit files, pls", "Don't use sed to edit files."),
            ("i already told you not to touch `gen/`", "Do not touch `gen/`."),
            (
                "you should not rewrite history on shared branches",
                "Do not rewrite history on shared branches.",
            ),
            ("you shouldn't push to main", "Do not push to main."),
            ("I told you never to push to main!", "Never push to main."),
            ("I asked you always to run the linter first", "Always run the linter first."),
            ("no no, use tabs", "Use tabs."),
            ("remember to also update the changelog", "Update the changelog."),
            ("i don't want a lot of white space", "Not a lot of white space."),
            ("i don't want the ellipses in titles", "No ellipses in titles."),
            ("From now on always use bun, never pnpm, in this repo.", "Always use bun, never pnpm."),
            ("you must not edit `gen/`", "Do not edit `gen/`."),
            ("pnpm must be used for installs", "pnpm must be used for installs."),
        ] {
            assert_eq!(restate_as_rule(sentence).as_deref(), Some(expect), "{sentence}");
        }
    }

    #[test]
    fn a_restated_rule_stays_as_it_is() {
        for rule in [
            "Use pnpm, not npm.",
            "Never commit directly to main.",
            "No emojis in the readme.",
            "Ask before you delete files.",
        ] {
            assert_eq!(restate_as_rule(rule).as_deref(), Some(rule));
        }
    }

    #[test]
    fn what_cannot_stand_alone_is_no_rule() {
        for sentence in [
            "don't do that",
            "not like this",
            "why did you do it",
            "again?",
            "no",
            "we don't do that here",
            "stop it",
            "undo that please",
            "never do this again",
            "I told you so",
            "why did you use npm?",
            "can you fix the login page?",
            "3 tests fail",
            "the build is still broken, never merge it",
            "use the staging key until 2026-03-01",
            "for now just use npm",
            "maybe always run the linter",
            "# Always use pnpm",
            "@docs/rules.md",
            "always follow @other.md",
            "never use <script>alert(1)</script>",
            "```always use pnpm```",
            "always use pnpm\n## Project: x",
            "you broke the build again",
            "it should be blue",
            "that's wrong, use the other one",
            "the same as before",
            "looks good",
            "thanks, that works",
            "",
        ] {
            assert_eq!(restate_as_rule(sentence), None, "{sentence}");
        }
        assert_eq!(restate_as_rule(&format!("always use {}", "very ".repeat(60))), None, "too long");
    }
}
