//! Run records: what each run did.
