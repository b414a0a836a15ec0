//! Mistakes made on purpose: the simulator must find each of them, or nobody should believe it when it finds none.

/// One mistake in the order of things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    /// The state is saved after everything that relies on it.
    SaveLast,
    /// A start does not look for results that were recorded before the state was saved.
    RecordsUnread,
    /// A task is done before its result is recorded.
    DoneBeforeRecord,
    /// A file is removed before the spine says that its task is done.
    RemoveBeforeDone,
    /// Nobody looks at the kill switches before an ack.
    AckUnlooked,
    /// A list of an inbox counts as it is, whatever was acked since it was asked for.
    StaleLists,
    /// An ack that could not be finished begins anew, with the look at the kill switches.
    RemovalAnew,
}
