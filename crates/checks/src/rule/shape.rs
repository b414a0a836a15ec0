//! What keeps a sentence from standing alone in the memory.

use crate::text::{self, pattern};

pattern!(
    STRUCTURE,
    r"(?i)^\s*(?:#{1,6}\s|@\S|\||>|```|~~~|---|===)|```|~~~|<!--|-->|</|<(?:a|b|i|p|br|hr|div|span|img|script|style|iframe|details|summary|h[1-6]|table|tr|td|ul|ol|li|pre|code|input|form|svg|object|embed|link|meta)\b[^>]*>|!\[[^\]]*\]\(|(?:^|\s)@[\w./-]+\.\w+"
);
pattern!(
    STATUS,
    r"(?i)\b(?:\d+ (?:\w+ )?(?:tests?|errors?|failures?|warnings?|problems?|bugs?|issues?|specs?|checks?)\b.{0,20}\b(?:fail|failed|failing|fails|left|remain|remaining|pass|passed|broken)|(?:is|are|was|were) (?:still |now |currently )?(?:failing|broken|down|red|green|done|ready|finished|working|merged|deployed|open|closed)\b|still (?:fails?|failing|broken|not)\b)"
);
pattern!(
    DATED,
    r"(?i)\b(?:(?:19|20)\d\d-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}[./](?:20)?\d\d|(?:january|february|march|april|june|july|august|september|october|november|december) \d|today|yesterday|tomorrow|tonight|last (?:week|month|night)|this (?:week|month|morning|afternoon|sprint)|next (?:week|month|sprint)|(?:on|by|until|since|before|after) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|currently|just now|a minute ago|earlier)\b|(?:^|\s)#\d+\b"
);
pattern!(
    POINTS,
    r"(?i)^(?:do not |don't |dont |never |always |please |not |just |only )*(?:\w+ )?(?:that|this|it|these|those|them|so|there|like (?:that|this)|the (?:same|other|first|second|last|previous|next)(?: (?:one|way|thing))?)\b(?:$| (?:again|here|now|please|way|anymore|any more|ever|either|time|stuff|yet|back|one)\b)"
);
pattern!(
    OPENS_POINTING,
    r"(?i)^(?:it|this|that|these|those|they|he|she|there|which|what|who|where|how|why|because|so that|like|same|the (?:same|other|first|second|last|previous|next|above|below)|my|mine|yours?)\b"
);
pattern!(ENDS_POINTING, r"(?i)\b(?:that|this|these|those|them|it|so|there|one|ones|above|below|same)$");

/// Words before a pointing word that give it something to point to.
const WORDS_TO_POINT_AT: usize = 3;

/// Whether the text holds Markdown or HTML that would mean something in a memory file, or characters nobody can see.
pub(super) fn has_structure(text: &str) -> bool {
    STRUCTURE.is_match(text)
        || text.contains('\n')
        || text.chars().any(|c| {
            c.is_control() || matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
        })
}

/// Whether the text tells how things stand rather than how to work.
pub(super) fn is_passing(text: &str) -> bool {
    STATUS.is_match(text) || DATED.is_match(text)
}

/// Whether the text points at something that only the conversation shows.
pub(super) fn points_outside(text: &str) -> bool {
    if POINTS.is_match(text)
        || (OPENS_POINTING.is_match(text) && !text.to_lowercase().starts_with("that the"))
    {
        return true;
    }
    let Some(found) = ENDS_POINTING.find(text) else { return false };
    let before = text.get(..found.start()).unwrap_or("");
    text::content_stems(before).len() < WORDS_TO_POINT_AT
}
