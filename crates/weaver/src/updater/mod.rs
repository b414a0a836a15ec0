//! intuition-updater: one coherent edit of the broadcast a run, by rule.
