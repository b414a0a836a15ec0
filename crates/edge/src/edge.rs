//! The scheduler's state, and the list of what is still to be done.

use std::collections::{HashMap, VecDeque};

use subcortex_cadence::{BootMs, Event, RunId, State};

use crate::acked::Done;
use crate::deed::{Deed, Wishes, stands_alone};
use crate::{Defect, Hands, Result, Trouble};

/// The scheduler and the order of its deeds.
#[derive(Debug)]
pub struct Edge<H: Hands> {
    /// What the scheduler knows.
    pub state: State,
    /// What is still to be done, in order.
    pub(crate) deeds: VecDeque<Deed<H::Saying>>,
    /// What keeps the first of them from being done.
    pub(crate) trouble: Option<Trouble<H::Error>>,
    pub(crate) running: HashMap<RunId, H::Run>,
    pub(crate) done: Done,
    pub(crate) stopped: bool,
    /// The mistake that this one makes.
    #[cfg(feature = "defects")]
    pub defect: Option<Defect>,
}

impl<H: Hands> Edge<H> {
    /// With nothing to do yet.
    pub fn new(state: State) -> Self {
        Self {
            state,
            deeds: VecDeque::new(),
            trouble: None,
            running: HashMap::new(),
            done: Done::default(),
            stopped: false,
            #[cfg(feature = "defects")]
            defect: None,
        }
    }

    /// Takes in events that happened in this order, and everything that follows from them.
    pub fn tell(&mut self, hands: &mut H, mut events: Vec<Event>) -> Result<(), H> {
        loop {
            self.decide_on(hands, std::mem::take(&mut events));
            while self.trouble.is_none()
                && let Some(deed) = self.deeds.pop_front()
            {
                self.do_or_wait(hands, deed, &mut events)?;
            }
            if events.is_empty() {
                return Ok(());
            }
        }
    }

    /// Tries once more what could not be done before, if it is time.
    pub fn try_again(&mut self, hands: &mut H) -> Result<(), H> {
        if self.trouble.as_ref().is_none_or(|trouble| hands.now().boot < trouble.next_try) {
            return Ok(());
        }
        let mut events = Vec::new();
        if let Some(deed) = self.deeds.pop_front() {
            self.do_or_wait(hands, deed, &mut events)?;
        }
        self.tell(hands, events)
    }

    /// Puts something to be said behind everything that is to be done already.
    pub fn say_next(&mut self, saying: H::Saying) {
        self.deeds.push_back(Deed::Say(saying));
    }

    /// When something has to be done by itself.
    pub fn next_wakeup(&self) -> BootMs {
        let scheduled = self.state.next_wakeup();
        self.trouble.as_ref().map_or(scheduled, |trouble| scheduled.min(trouble.next_try))
    }

    /// What keeps everything from going on.
    pub fn trouble(&self) -> Option<&Trouble<H::Error>> {
        self.trouble.as_ref()
    }

    /// The same, for whoever does not wait.
    pub fn take_trouble(&mut self) -> Option<H::Error> {
        self.trouble.take().map(|trouble| trouble.error)
    }

    /// The runs that have begun and not ended.
    pub fn running(&self) -> impl Iterator<Item = &RunId> {
        self.running.keys()
    }

    /// Whether everything has ended.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Asks the scheduler, ends the runs that it wants to end, and puts everything else on the list.
    fn decide_on(&mut self, hands: &mut H, events: Vec<Event>) {
        let mut wishes = Wishes::default();
        for event in events {
            let effects = hands.decide(&mut self.state, event);
            wishes.add(effects, |fact| hands.saying_of(fact));
        }
        let mut in_order: Vec<_> = wishes.in_order().collect();
        if self.makes(Defect::SaveLast) && !in_order.is_empty() {
            in_order.rotate_left(1);
        }
        for deed in in_order {
            if let Deed::EndRun { run, reason, grace_ms } = &deed
                && self.running.contains_key(run)
            {
                self.end_run(hands, run, *reason, *grace_ms);
            } else if let Deed::Log(fact) = &deed
                && self.trouble.is_some()
                && stands_alone(fact)
            {
                hands.log(fact);
            } else if !matches!((&deed, self.deeds.back()), (Deed::Save, Some(Deed::Save))) {
                // The list is long only while there is trouble; saving twice in a row is saving once.
                self.deeds.push_back(deed);
            }
        }
        self.stop_in_trouble(hands);
    }

    fn do_or_wait(&mut self, hands: &mut H, deed: Deed<H::Saying>, events: &mut Vec<Event>) -> Result<(), H> {
        match self.carry_out(hands, &deed, events) {
            Ok(()) => {
                if let Some(trouble) = self.trouble.take() {
                    hands.trouble_over(trouble);
                }
                Ok(())
            }
            Err(error) if hands.may_pass(&error) => {
                self.deeds.push_front(deed);
                if self.trouble.is_none() {
                    hands.trouble_met(&error);
                }
                self.trouble = Some(Trouble::met(self.trouble.take(), error, hands.now().boot));
                self.stop_in_trouble(hands);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Whoever is told to stop does not wait for room: what was not written is done again by the next one.
    fn stop_in_trouble(&mut self, hands: &mut H) {
        if self.trouble.is_some() && self.state.is_stopping() && self.running.is_empty() && !self.stopped {
            hands.stop_undone(self.deeds.len());
            self.stopped = true;
        }
    }

    /// Whether this one makes a mistake on purpose; one that ships never does.
    pub(crate) fn makes(&self, defect: Defect) -> bool {
        #[cfg(feature = "defects")]
        let makes = self.defect == Some(defect);
        #[cfg(not(feature = "defects"))]
        let makes = {
            let _ = defect;
            false
        };
        makes
    }
}
