//! Where blackboards are kept: files, or a Redis server.
