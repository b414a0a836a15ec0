//! What a person and the agent said, once each although two records report it.

use subcortex_model::{Draft, SHOWN_FIELD, Via, command, event_type};

use super::prompt::{self, Prompt};
use super::reader::{Codex, DraftResult};
use super::record::{Item, Passthrough, SENT_IN_ITEMS, texts};
use crate::transcript::bound::{self, MAX_MESSAGE_BYTES, MAX_RESULT_BYTES};
use crate::transcript::counts::skipped;
use crate::transcript::draft::{Common, Payload, content_id, is_made_of_content};
use crate::transcript::{raw, sent, shown};

/// How many texts of the agent wait for their second report at most.
const MAX_UNPAIRED: usize = 16;

/// Which of the two reports of the same thing a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Report {
    Item,
    Event,
}

/// What a message in a person's place turned out to be.
enum Told {
    /// Words, or a command.
    Prompt(Box<Draft>),
    /// A text of the program's.
    Shown(Box<Draft>),
}

impl Codex {
    /// The words of a user item wait: in most files an event says better which of them are a person's.
    pub(super) fn hold_user_item(
        &mut self,
        mut common: Common,
        item: &Item<'_>,
        passthrough: &Passthrough<'_>,
    ) -> DraftResult {
        if self.has_user_events {
            self.unconfirmed.push((common, texts(item.content).join("\n")));
            return Err(skipped::REPEATED);
        }
        if !sent::is_a_persons(item.content, &SENT_IN_ITEMS) {
            return Err(skipped::META);
        }
        let blocks = texts(item.content);
        let kinds = raw::array(passthrough.content_item_kinds);
        // Old files say no more of an item than its role, and hold no events; newer ones say it of each block.
        let has_kinds = passthrough.content_item_kinds.is_some() || self.setting.names_source;
        let is_users = |at: usize| {
            !has_kinds
                || kinds.len() == blocks.len()
                    && raw::text(kinds.get(at).copied()).is_some_and(|kind| kind.starts_with("user."))
        };
        let text: Vec<&str> = blocks
            .iter()
            .enumerate()
            .filter(|(at, _)| is_users(*at))
            .map(|(_, text)| text.as_str())
            .collect();
        let is_programs = |block: &str| prompt::judge(block) == Prompt::Nobody(skipped::WRAPPER);
        let others = blocks.iter().enumerate().filter(|(at, block)| !is_users(*at) && is_programs(block));
        let others: Vec<&str> = others.map(|(_, block)| block.as_str()).collect();
        self.outputs.extend(shown::draft(&mut common, others).map(|draft| (String::new(), draft)));
        match self.prompt_drafts(common, &text.join("\n"))? {
            Told::Prompt(draft) => self.held.push(*draft),
            // Told in front of the next prompt, as no call repeats it.
            Told::Shown(draft) => self.outputs.push((String::new(), *draft)),
        }
        Err(skipped::QUEUE)
    }

    /// The agent goes on and no event confirmed the held words: this file has no such events.
    pub(super) fn release_held(&mut self, drafts: &mut Vec<Draft>) {
        let held = std::mem::take(&mut self.held);
        if !self.has_user_events {
            if !held.is_empty() {
                self.tell_outputs(drafts); // what stood in front of them
            }
            self.count_prompts(held.len());
            drafts.extend(held.into_iter().map(|draft| self.named_by_turn(draft)));
        }
    }

    /// The draft for a prompt; the error says why it gives none.
    fn prompt_drafts(&mut self, mut common: Common, text: &str) -> Result<Told, &'static str> {
        if self.setting.is_subagent {
            return shown::draft(&mut common, [text])
                .map(|draft| Told::Shown(Box::new(draft)))
                .ok_or(skipped::SIDECHAIN_PROMPT);
        }
        match prompt::judge(text) {
            Prompt::Nobody(skipped::WRAPPER) => shown::draft(&mut common, [text])
                .map(|draft| Told::Shown(Box::new(draft)))
                .ok_or(skipped::WRAPPER),
            Prompt::Nobody(reason) => Err(reason),
            Prompt::Shell(line) => {
                let payload = Payload::new()
                    .with("command", "!")
                    .with("kind", command::SHELL)
                    .with("text", bound::text(&line, MAX_MESSAGE_BYTES));
                Ok(Told::Prompt(Box::new(common.draft(event_type::CHANNEL_COMMAND, payload))))
            }
            Prompt::Words { text: words, is_doubtful } => {
                let is_doubtful =
                    is_doubtful || self.setting.is_unnamed || self.setting.may_be_copied(common.ts);
                // The first versions wrote a script's prompts like a person's, and said of neither whose they are. A hook knows no more; its file does.
                let is_unsigned = !self.setting.names_source && !common.is_live;
                let via = match self.prompts_in_turn {
                    _ if self.setting.is_programs() || self.in_review => Via::Sdk,
                    Some(1..) if is_doubtful || is_unsigned => Via::QueuedText,
                    Some(1..) => Via::Queued,
                    Some(0) | None if is_doubtful => Via::PromptText,
                    Some(0) | None if is_unsigned => Via::Unsigned,
                    Some(0) | None => Via::Prompt,
                };
                let instructions = self.setting.take_instructions();
                let shown: Vec<String> =
                    [shown::around(&words, text), instructions].into_iter().flatten().collect();
                let shown = (!shown.is_empty()).then(|| bound::others(shown.join("\n"), MAX_RESULT_BYTES));
                let payload = Payload::new()
                    .with("text", bound::text(&words, MAX_MESSAGE_BYTES))
                    .with_some(SHOWN_FIELD, shown)
                    .via(via);
                Ok(Told::Prompt(Box::new(common.draft(event_type::CHANNEL_MESSAGE, payload))))
            }
        }
    }

    /// A prompt, as an event reports it.
    pub(super) fn user_said(&mut self, common: Common, text: &str, drafts: &mut Vec<Draft>) -> DraftResult {
        self.has_user_events = true;
        self.held.clear();
        self.tell_programs_items(drafts);
        self.unconfirmed.retain(|(_, item)| !item.contains(text.trim()));
        self.tell_outputs(drafts);
        match self.prompt_drafts(common, text)? {
            Told::Prompt(draft) => {
                drafts.push(self.named_by_turn(*draft));
                self.count_prompts(1);
            }
            Told::Shown(draft) => drafts.push(*draft),
        }
        Ok(())
    }

    /// What the program put in a person's place in front of a prompt: a prompt that says the same does not make it the person's.
    fn tell_programs_items(&mut self, drafts: &mut Vec<Draft>) {
        let items = std::mem::take(&mut self.unconfirmed);
        let is_programs =
            |item: &(Common, String)| prompt::judge(&item.1) == Prompt::Nobody(skipped::WRAPPER);
        let (programs, others) = items.into_iter().partition(is_programs);
        self.unconfirmed = programs;
        self.tell_unconfirmed(drafts);
        self.unconfirmed = others;
    }

    /// The first prompt of a turn goes by the turn's id, which is all that a hook knows of it.
    fn named_by_turn(&mut self, mut draft: Draft) -> Draft {
        let named_after = self.setting.origin.as_ref().or(draft.session_key.as_ref());
        if let (Some(session), Some(turn)) = (named_after, &draft.turn)
            && self.begun_turn.as_ref() != Some(turn)
        {
            self.begun_turn = Some(turn.clone());
            draft.key = Some(format!("{session}/{turn}"));
        } else if draft.source_id.as_ref().is_some_and(|id| is_made_of_content(id)) {
            draft.key = self.place_of(&draft);
        }
        draft
    }

    /// A name for a message that has none. A fork repeats it with a time of its own, behind the same call: so it goes by that call, by its
    /// words, and by how many such messages stand in between.
    fn place_of(&mut self, draft: &Draft) -> Option<String> {
        let text = draft.payload.get("text")?.as_str()?;
        self.said_behind += 1;
        let origin = self.setting.origin.as_ref().or(draft.session_key.as_ref())?;
        let turn = draft.turn.as_deref().unwrap_or_default();
        let call = self.last_call.as_deref().unwrap_or_default();
        Some(content_id(origin, &["said", turn, call, &self.said_behind.to_string(), text]))
    }

    fn count_prompts(&mut self, more: usize) {
        self.prompts_in_turn = self.prompts_in_turn.map(|prompts| prompts + more);
    }

    /// Both reports of the same text count once: the first is taken, the second meets it here.
    pub(super) fn agent_said(
        &mut self,
        mut common: Common,
        text: &str,
        report: Report,
        drafts: &mut Vec<Draft>,
    ) -> DraftResult {
        if text.trim().is_empty() {
            return Err(skipped::NO_CONTENT);
        }
        self.tell_unconfirmed(drafts);
        let hash = blake3::hash(text.trim().as_bytes());
        let other = self.unpaired.iter().position(|(kind, known)| *kind != report && *known == hash);
        if let Some(at) = other {
            self.unpaired.remove(at);
            return Err(skipped::REPEATED);
        }
        self.unpaired.push_back((report, hash));
        if self.unpaired.len() > MAX_UNPAIRED {
            self.unpaired.pop_front();
        }
        self.is_new(text);
        let payload = Payload::new()
            .with("text", bound::others(text, MAX_MESSAGE_BYTES))
            .with_some("model", self.setting.model.as_deref());
        drafts.push(common.draft(event_type::AGENT_RESULT, payload));
        Ok(())
    }
}
