//! Whether a loop may run at all: by its config and by whose it is.

use subcortex_home::trust;
use subcortex_known_agents::headless::PermissionMode;
use subcortex_loops::check::{self, Bar, DEFAULT_MIN_SCORE, Severity, Subject};
use subcortex_loops::config::{self, LoopConfig, Tier};
use subcortex_loops::end::LoopEnd;
use subcortex_loops::escalation;

use super::About;

/// What a config gives its runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rights {
    pub(super) tier: Tier,
    pub(super) mode: PermissionMode,
}

impl About<'_> {
    /// The config, held against the rules.
    pub(crate) fn check(&self, config: &LoopConfig) -> check::Report {
        check::check(&Subject {
            config,
            dir_name: &self.place.name(),
            root: &self.place.root,
            disk: &*self.runner.worker.disk,
            zone: &self.runner.zone,
        })
    }

    /// What the loop may do, or why it must not run like this.
    pub(super) fn rights(&self, config: &LoopConfig) -> Result<Rights, LoopEnd> {
        let refused = |why: String| Err(LoopEnd::Refused { why });
        let file = self.place.dir.join(config::FILE);
        if let Err(untrusted) = trust::check_loop(&*self.runner.worker.disk, &self.place.dir, &file) {
            return refused(untrusted.to_string());
        }
        let report = self.check(config);
        if let Some(error) = report.of(Severity::Error).next() {
            return refused(format!("{}; {}", error.what, error.hint));
        }
        if !report.is_ready(Bar { min_score: DEFAULT_MIN_SCORE, strict: false }) {
            let score = report.score();
            return refused(format!(
                "its config scores {score}/100, and {DEFAULT_MIN_SCORE} are needed: see `loop check`"
            ));
        }
        let (Some(tier), Some(mode)) = (config.tier(), config.permission_mode()) else {
            return refused("its tier or its permission_mode cannot be read".into());
        };
        if tier.forbids(mode) {
            let mode = mode.word();
            return refused(format!(
                "permission_mode `{mode}` is more than {tier:?} may do; see `loop check`"
            ));
        }
        if tier == Tier::L3 && !config.names_isolation() {
            return refused(
                "an L3 loop runs only isolated, and nothing in its config says what isolates it".into(),
            );
        }
        if let Some((kind, line)) = escalation::in_text(&config.argv().join(" ")) {
            return Err(LoopEnd::Escalated(vec![(kind, format!("command: `{line}`"))]));
        }
        Ok(Rights { tier, mode })
    }
}
