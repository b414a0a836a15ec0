//! Sample rollouts and what becomes of them.
