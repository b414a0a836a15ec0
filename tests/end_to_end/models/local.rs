//! A real, small model on this machine, behind the three interfaces.
