//! The words by which people mark a correction, a preference, or something that is to last.

use crate::text::pattern;

// Something that is meant to last.
pattern!(pub(crate) LASTING, r"\b(?:from now on|going forward|from here on|in (?:the )?future|next time|every ?time|each time|whenever|at all times|as a (?:general )?rule|in general|by default|for (?:future )?reference|no exceptions|for all (?:future|new|our)|for every|permanently|once and for all|for good|until further notice|throughout the (?:project|codebase|repo|app))\b");
pattern!(pub(crate) ALWAYS, r"\b(?:always|never|ever)\b");
pattern!(pub(crate) MEMORY, r"\b(?:remember (?:that|to|this|we|i|it|never|always|not)|keep in mind|bear in mind|memori[sz]e|(?:add|put|write|save|record|note) (?:this|that|it|a (?:note|rule|line)|these)\b.{0,30}\b(?:claude\.md|agents\.md|memory|rules?|guidelines?|conventions?)|make a (?:mental )?note|take note|update your memory|update (?:the )?(?:claude|agents)\.md)");
pattern!(pub(crate) REMINDER, r"\b(?:(?:do ?n[o']?t|dont|don't) forget (?:to|that|about|we|you|it)|remember to|be sure to|make sure (?:that )?(?:you|to|we)|as a reminder|reminder:)");
pattern!(pub(crate) CONVENTION, r"\b(?:we (?:always|never|only|usually|typically|generally|don'?t|do not|use|prefer|follow|keep|like to|avoid|write|name|put|store|run)|our (?:convention|style|policy|standard|practice|rule|guideline)s?|the (?:convention|rule|policy) (?:is|here)|in this (?:repo|repository|project|codebase)|(?:is|are) (?:the|our) (?:convention|standard|norm)|standard practice|house style)\b");
pattern!(pub(crate) PREFERENCE, r"\b(?:i (?:would |'d |much |really |strongly |generally |usually )*(?:prefer|rather|like (?:to (?:use|have|keep|see)|it (?:if|when)|all|one|every)|want (?:you to (?:always|never|use|stop|avoid)|all|every|to (?:use|keep|avoid|have)))|i'?d (?:rather|prefer|like (?:to (?:use|have|keep)|all|one|every))|i (?:don'?t|do not) (?:like|want you|want any|want to (?:see|have))|i hate|not a fan of|my preference|i like (?:my|to|when)|(?:keep|make|have) (?:this|it|things|everything|the \w+) (?:as )?\S+ as possible|(?:it'?s|its|is|be) (?:better|best|preferable|nicer|cleaner|safer) (?:not )?(?:to|if|when|that)|(?:^|[.,;] )prefer (?:to|not|using|the))\b");
pattern!(pub(crate) REPEATED, r"\b(?:again\s*[?!]|again(?:\.{2,}|…)|again (?:you|with)\b|(?:i|we) (?:already |just |have |'ve )*(?:said|told|asked|mentioned|explained|discussed)|how many times (?:do|did|have|must|should|will|am|i)|did(?:n'?t| not) (?:i|we) (?:say|tell|ask|go|talk|agree|discuss)|did we not|you keep|why do you keep|keep (?:doing|forgetting|adding|making|using)|every single time|yet again|once again|stop (?:\w+ing|it|that)|as i said|like i said|i thought (?:i|we) (?:said|told|agreed))\b");

// That the agent did something wrong, or has to do it another way.
pattern!(pub(crate) LEAD_IN, r"^(?:(?:ok|okay|um+|uh|uu+m|hm+|ah+|well|so|but|wait|hold on|hey|sorry|yeah|yes|right|cool|great|thanks|please|and|also|i think|i feel|no)\b[,.;:\s…-]*)+");
pattern!(pub(crate) NO, r"^(?:no|nope|nah)\b[,.;:!\s…-]*");
pattern!(pub(crate) OBJECTION, r"^(?:no|nope|nah|wrong|incorrect|stop|undo|revert|actually|not (?:that|this|what|quite|like|right|correct)|that'?s (?:not|wrong|incorrect)|that is (?:not|wrong|incorrect)|it'?s not (?:right|what)|this is (?:wrong|not (?:what|right|correct))|(?:don'?t|do not|dont)|(?:but )?why (?:did|do|are|would|is|were|was|have|has|on earth)\b|what (?:the hell|the fuck|are you doing)|i (?:meant|said|asked|told|didn'?t (?:ask|want|say|mean)|did not (?:ask|want|say|mean)|thought (?:i|we|you|that|since|this|it))|you (?:should ?n[o']?t|should have|forgot|missed|didn'?t|did not|were supposed|need to|needed to|have to|broke|removed|deleted|changed|ignored|skipped|can (?:do|check|run|test|see|verify)|have access)|instead|before you (?:go|do|start|continue|proceed)|all \w+ (?:can|should|must)|who (?:told|asked) you|(?:that|this|your|the) (?:\w+ ){1,3}(?:is|was|are|were) (?:wrong|incorrect|not (?:right|correct|ok|okay|acceptable))|again (?:you|with)|nein|falsch|non|im just|i'?m just|uuum)\b");
pattern!(pub(crate) FAULT, r"\b(?:you (?:should not have|shouldn'?t have|should have|forgot|missed|broke|removed|deleted|were supposed|keep|always|never|still have ?n[o']?t|still did ?n[o']?t)|(?:does|do|did|would|is|was|are)(?: not|n'?t) (?:really )?(?:make|look|seem|feel) (?:a lot of |any |much )?(?:sense|right|correct|good)|not what i (?:asked|wanted|meant|said)|(?:won'?t|wont|will not) work|wrong (?:branch|file|place|direction|approach|one|way)|(?:has|have|was|were) already (?:been )?\w+|rather than|unnecessary|overkill|too (?:much|verbose|long|complicated)|no need (?:to|for)|please (?:don'?t|dont|do not|stop)|should (?:not|never)|shouldn'?t|must not|mustn'?t)\b");
pattern!(pub(crate) WHY_AGENT, r"\bwhy (?:did|do|are|would|is|were|was|have|has) (?:you|the (?:sub-?)?agent|claude)\b|\bwhy (?:is|are|was|were) .{0,40}\bbeing\b|\bwhy (?:would|did) you\b");
// A question after what should have been done.
pattern!(pub(crate) ASKS_AFTER, r"\b(?:did|didn'?t|have|haven'?t|has|hasn'?t|does|doesn'?t) (?:you|it|that|this|we)\b|\bwhere(?:'s| is| are)\b|\bwhat about\b|\bwhy (?:no|not|the|is|isn'?t|are|aren'?t)\b|^\s*(?:and |no |the )*\w+(?: \w+)?\?\s*$|^\s*just \w+");
// A way of working that is ruled out or asked for, without a word for how long.
pattern!(pub(crate) RULED_OUT, r"\b(?:please (?:don'?t|dont|do not|never|avoid|stop)|(?:should|must|may) (?:not|never) (?:ever )?(?:be )?\w+|should(?:n'?t| never) (?:be )?\w+|(?:is|are) not (?:allowed|permitted|acceptable)|(?:don'?t|dont|do not) (?:just |ever |simply |directly )|not to (?:store|use|add|commit|push|log|mock|hardcode|rely|touch|edit|change))\b");
pattern!(pub(crate) GENERAL_SUBJECT, r"\b(?:any|all|every|each|no) (?:\w+ ){0,3}(?:should|must|can|need|needs|has to|have to|go|goes|is to be|are to be)\b");
pattern!(pub(crate) CAPABILITY, r"\byou (?:can|should|have to|need to) (?:\w+ ){0,5}yourself\b|\byou have access to\b|\byou (?:do ?n[o']?t|dont|do not) have access\b|\bcan be done (?:automatically|with|by|via)\b");
// What ties a remark to this moment.
pattern!(pub(crate) MOMENT, r"\b(?:for now|this time|just this once|for this (?:one|phase|pr|task|change|time|case|session|branch|release)|for the moment|temporarily|in this case|right now|for today|this pr|this once|at the moment|for the time being|see how it goes|(?:use|take|pick|choose|go (?:with|for)) (?:the )?(?:option|variant|alternative|approach|proposal) (?:[a-e]|[1-9]))\b");
pattern!(pub(crate) TASK_QUESTION, r"^(?:can|could|would|will|should|shall|do|does|did|is|are|was|were|have|has|what|how|where|when|which|who|any|whats|what's|got)\b");
pattern!(pub(crate) BUG, r"\b(?:it|this|that|the (?:app|page|test|tests|build|button|server|ci|api|site|code|script|screen|job|pipeline|modal|list|table|ui|form|deploy\w*|message|log|logs|user|users|query|function|endpoint|service))\s+(?:\w+\s+){0,2}(?:always|never)\b");
pattern!(pub(crate) BROKEN, r"\b(?:still (?:seeing|there|not|failing|fails|broken|wrong|happening|shows?|displayed|getting|have|has|appears?)|(?:doesn'?t|does not|isn'?t|is not|not) (?:work|working|show|showing|appear|appearing|updated?|display|displayed|visible)|(?:i )?(?:don'?t|can'?t|cannot) see|(?:has|have|was|were) already (?:been )?\w+|(?:bugged|broken|crash(?:es|ed)?))\b");
// The subject is the thing at hand.
pattern!(pub(crate) DEICTIC, r"^(?:it|this|that|these|those|the \w+(?: \w+)?) (?:should|must|shouldn'?t)\b");
// A possibility, not a rule.
pattern!(pub(crate) HEDGE, r"\b(?:might|maybe|perhaps|could|at some point|eventually|someday|one day)\b");
pattern!(pub(crate) SUPPOSED, r"\b(?:if|whether|could|can|should|might|maybe|what if|suppose|when|since|because|why do|why did|do|did|that|what) we\b");
// Only says which thing was meant.
pattern!(pub(crate) CLARIFIES, r"\b(?:i (?:meant|was (?:looking|referring|talking|thinking)|am (?:referring|talking)|mean)|im (?:just )?(?:referring|talking)|i'm (?:just )?(?:referring|talking)|(?:its|it's|it is) called|the (?:other|second|first|third|last|next) one|not (?:that|this) (?:one|file|branch))\b");
// What the product shows, not how it is built.
pattern!(pub(crate) PRODUCT, r"\b(?:display(?:ed)?|show(?:n|ing)?|appear(?:s|ing)?|visible|hidden|hide|label(?:led|ed)?|button|header|footer|menu|page|screen|modal|dialog|tab|column|overlap|render(?:ed)?|placed|below|above|colou?r|icon|tooltip)\b");
pattern!(pub(crate) REASON, r"\b(?:because|since|as we|as it|as this|due to|given|otherwise|so that|in order to)\b");
pattern!(pub(crate) HABIT, r"\bwhy (?:are|is|do) (?:you|the (?:sub-?)?agent|claude)\b");
pattern!(pub(crate) ALWAYS_DO, r"\b(?:always|never|never ever) ([a-z']+)");

/// Whether a sentence ties itself to this moment.
pub(crate) fn is_of_the_moment(sentence: &str) -> bool {
    MOMENT.is_match(&sentence.to_lowercase())
}

// Turns of speech that only look like orders for good.
pattern!(pub(crate) NO_RULE, r"\b(?:never ?mind|always the same|same as always|as always)\b|\b(?:play(?:ing)?|toying) (?:around )?with (?:an? |the |some )?ideas?\b|\bthinking (?:out loud|aloud)\b|^(?:never ?mind|no worries|no problem|no rush|nevermind|not yet|always a pleasure|as always)\b|\bwhat i(?:'ve)? always wanted\b");
// What was asked for this time.
pattern!(pub(crate) ASKED_FOR, r"\bi (?:'ve )?asked for (?:an?|the|some|this|that)\b");
// Facts about how many there are.
pattern!(pub(crate) COUNTED, r"\bwe (?:use|have|run|store|keep|got) (?:an?|one|two|three|four|five|several|many|some|multiple|\d+)\b");
// The words of an order, wherever they stand.
pattern!(pub(crate) ORDERS, r"\b(?:should|must|please|pls|plz|needs? to|ha(?:ve|s) to|let'?s|i (?:want|expect|need|would)|i'd|make sure|ensure|can (?:we|you)|could you|you (?:should|must|need|have|can|may|shall|always|never|don'?t|do not|keep|add|change|touch|run|edit|write|use|create|make|commit|push|delete|rename|update|upgrade|modify|remove))\b");
// What opens a sentence that is meant to last, whatever follows.
pattern!(pub(crate) OPENS_LASTING, r"^(?:from now on|going forward|from here on(?: out)?|in (?:the )?future|for (?:future )?reference|note for next time|for next time|as a (?:general )?rule|in general|by default|no exceptions|once and for all|until further notice|house rule|new rule)\b[\s,:;—–-]*(\S.*)$");
// "tests go next to the source, not into a tests folder": how things are here, said against what was done.
pattern!(pub(crate) CONTRAST, r"^(?:\w+ ){1,4}(?:go|goes|live|lives|belong|belongs|stay|stays|come|comes|are|is)\b[^?]{3,60}, (?:not|never)\b");
pattern!(pub(crate) DID_WRONG, r"^(?:wait,? |what,? )?you (?:just |really )?(?:pushed|committed|ran|used|edited|added|changed|removed|deleted|started|installed|created|wrote|put|renamed|touched|merged|skipped|ignored|reformatted|deployed)\b[^?!]*\?*!");
// The same in other languages, as far as a few words carry it.
pattern!(pub(crate) FOREIGN_LASTING, r"\b(?:ab jetzt|ab sofort|von nun an|von jetzt an|in zukunft|künftig|nie wieder|grundsätzlich|a partir de ahora|de ahora en adelante|en el futuro|désormais|desormais|dorénavant|à partir de maintenant|a partir de agora|daqui em diante|d'ora in poi|mai più)\b");
pattern!(pub(crate) FOREIGN_ALWAYS, r"\b(?:immer|niemals|nie|siempre|nunca|toujours|jamais|sempre)\b");
pattern!(pub(crate) FOREIGN_ORDER, r"\b(?:bitte|wir (?:benutzen|verwenden|nutzen|machen|schreiben|committen)|du (?:sollst|musst|darfst)|por favor|usa|haz|hagas|uses|utiliza|il faut|utilise|lance|on n'|per favore)\b|^(?:nunca|siempre|nie|niemals|immer|toujours|jamais|sempre)\b");
pattern!(pub(crate) FOREIGN_REPEATED, r"\b(?:ich habe? (?:doch |dir |schon )*gesagt|hab(?:e)? ich (?:doch |dir |schon )*gesagt|schon wieder|ya te (?:lo )?dije|te dije|je t'ai (?:déjà )?dit|già detto|te l'ho detto)\b");
pattern!(pub(crate) FOREIGN_WAY, r"\b(?:wir (?:benutzen|verwenden|nutzen|machen|schreiben)\b.*\b(?:hier|nicht|nie|immer|kein\w*)|on (?:n')?utilise (?:pas|jamais|toujours)|(?:no |siempre |nunca )usamos)\b");
