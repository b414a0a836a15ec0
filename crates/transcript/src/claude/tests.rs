//! Sample records and what becomes of them.
