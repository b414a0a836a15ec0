//! The scratchpad of a worker: its own durable memory.
