//! A state that a person edited while a run worked on what it had read.
//!
//! | what was read | the run's | the person's | merged |
//! |---|---|---|---|
//! | item in A | moved to B, or gone | still in A | as the run says |
//! | item in A | anywhere | moved to C | in C |
//! | item in A | anywhere | gone | gone |
//! | nothing | new in B | nothing | in B |
//! | nothing | anything | new in C | in C |
//!
//! Everything else that the person wrote stays: the merged state is the person's, with what the run changed.

use super::{Entry, Item, LoopState, SectionName};

impl LoopState {
    /// Brings what a run made of `read` into what a person made of it meanwhile.
    #[must_use]
    pub fn merge(read: &LoopState, of_run: &LoopState, of_person: LoopState) -> LoopState {
        let mut merged = of_person.clone();
        merged.run = of_run.run;
        merged.readiness = of_run.readiness;
        for section in SectionName::ALL {
            let was_dropped = |item: &Item| {
                let is_untouched = read.home_of(item) == Some(section);
                is_untouched && of_run.home_of(item) != Some(section)
            };
            merged
                .entries_mut(section)
                .retain(|entry| !matches!(entry, Entry::Item(item) if was_dropped(item)));
            // What the run put before everything else (an escalation) stays in front.
            let mut place = 0;
            for item in of_run.items(section) {
                let was_known = read.home_of(item);
                let is_new_here = was_known != Some(section);
                // In `read` and not there any more: the person took it out, or moved it.
                let is_persons = was_known.is_some() && of_person.home_of(item) != was_known;
                if is_new_here
                    && !is_persons
                    && of_person.home_of(item).is_none_or(|home| Some(home) == was_known)
                {
                    let entries = merged.entries_mut(section);
                    entries.insert(place.min(entries.len()), Entry::Item(item.clone()));
                    place += 1;
                } else if let Some(there) = merged.position(section, item) {
                    place = place.max(there + 1);
                }
            }
        }
        merged
    }

    fn position(&self, section: SectionName, item: &Item) -> Option<usize> {
        self.entries(section).iter().position(|entry| matches!(entry, Entry::Item(known) if known.is(item)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(priority: &[&str], watch: &[&str], noise: &[&str]) -> LoopState {
        let mut state = LoopState::default();
        for (section, items) in SectionName::ALL.into_iter().zip([priority, watch, noise]) {
            state.set(section, items.iter().map(|words| Item::new(words)).collect());
        }
        state
    }

    fn shown(state: &LoopState) -> String {
        let of = |section| state.items(section).map(ToString::to_string).collect::<Vec<_>>().join(",");
        SectionName::ALL.map(of).join(" | ")
    }

    #[track_caller]
    fn check(read: &LoopState, of_run: &LoopState, of_person: LoopState, expect: &str) {
        assert_eq!(shown(&LoopState::merge(read, of_run, of_person)), expect);
    }

    #[test]
    fn what_only_the_run_changed_is_as_the_run_says() {
        let read = state(&["a", "b"], &["w"], &["n"]);
        let run = state(&["b"], &["w", "x"], &["a"]);
        check(&read, &run, read.clone(), "b | w,x | a");
    }

    #[test]
    fn what_a_person_added_stays() {
        let read = state(&["a"], &[], &[]);
        let run = state(&[], &[], &["a"]);
        check(&read, &run, state(&["mine", "a"], &["also mine"], &[]), "mine | also mine | a");
    }

    #[test]
    fn what_a_person_took_out_or_moved_does_not_come_back() {
        let read = state(&["a", "b"], &[], &[]);
        let run = state(&["b", "a"], &["c"], &[]);
        check(&read, &run, state(&["b"], &[], &[]), "b | c | ");
        let run = state(&["b"], &[], &["a"]);
        check(&read, &run, state(&["b"], &["a"], &[]), "b | a | ");
    }

    #[test]
    fn an_escalation_is_on_top_also_of_what_a_person_wrote_meanwhile() {
        let read = state(&["a"], &[], &[]);
        let run = state(&["ESCALATED x", "a"], &[], &[]);
        check(&read, &run, state(&["mine", "a"], &[], &[]), "ESCALATED x,mine,a |  | ");
    }

    #[test]
    fn a_person_s_own_words_are_kept() {
        let read = LoopState::parse("## Priority\n- a\n");
        let person = LoopState::parse("## Priority\n- a\ncall Bob\n## Mine\nx\n---\ny\n");
        let run = state(&["b"], &[], &[]);
        let text = LoopState::merge(&read, &run, person).body();
        assert!(text.contains("- b\ncall Bob\n") && text.contains("## Mine\nx\n"), "{text}");
        assert!(!text.contains("- a"), "{text}");
    }
}
