//! Tests of the whole worker.
