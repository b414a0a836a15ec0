//! spine-scanner: turns are held against the checks of the broadcast, and what they show becomes fragments.
