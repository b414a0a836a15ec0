//! Ordering the end of a run from outside: the kill switch, a shutdown.

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

/// Why a run is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelReason {
    /// Its time is up.
    Deadline,
    /// A kill switch was set.
    Paused,
    /// Whoever started it stops.
    Stopping,
    /// Its partition is gone.
    PartitionGone,
}

impl fmt::Display for CancelReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Deadline => "deadline",
            Self::Paused => "paused",
            Self::Stopping => "stopping",
            Self::PartitionGone => "partition gone",
        })
    }
}

/// The order to end a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CancelOrder {
    /// Why; it becomes part of the report.
    pub reason: CancelReason,
    /// Time between SIGTERM and SIGKILL.
    pub grace_ms: u64,
}

/// The side that orders. Dropping it orders nothing.
#[derive(Debug, Clone)]
pub struct Canceller(Arc<watch::Sender<Option<CancelOrder>>>);

/// The side that obeys. Clones obey the same order, so one canceller can end many runs.
#[derive(Debug, Clone)]
pub struct Cancellation(watch::Receiver<Option<CancelOrder>>);

/// A connected pair.
pub fn cancellation() -> (Canceller, Cancellation) {
    let (sender, receiver) = watch::channel(None);
    (Canceller(Arc::new(sender)), Cancellation(receiver))
}

impl Canceller {
    /// Orders the end. The first reason stands; a later order can only shorten the grace.
    pub fn cancel(&self, reason: CancelReason, grace_ms: u64) {
        self.0.send_modify(|order| match order {
            Some(standing) => standing.grace_ms = standing.grace_ms.min(grace_ms),
            None => *order = Some(CancelOrder { reason, grace_ms }),
        });
    }
}

impl Cancellation {
    /// For runs that nobody can cancel.
    pub fn never() -> Self {
        cancellation().1
    }

    /// The standing order, if there is one.
    pub fn order(&self) -> Option<CancelOrder> {
        *self.0.borrow()
    }

    /// Waits for an order; at once when there is one, for ever when nobody is left to give it.
    pub async fn ordered(&mut self) -> CancelOrder {
        loop {
            if let Some(order) = *self.0.borrow_and_update() {
                return order;
            }
            self.changed().await;
        }
    }

    /// Waits until an order is given or shortened that [`Self::ordered`] has not returned yet.
    pub async fn sharpened(&mut self) -> CancelOrder {
        loop {
            self.changed().await;
            if let Some(order) = *self.0.borrow_and_update() {
                return order;
            }
        }
    }

    async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_second_order_shortens_the_grace_and_keeps_the_first_reason() {
        let (canceller, mut cancellation) = cancellation();
        canceller.cancel(CancelReason::Paused, 500);
        assert_eq!(cancellation.ordered().await, CancelOrder { reason: CancelReason::Paused, grace_ms: 500 });
        canceller.cancel(CancelReason::Stopping, 0);
        assert_eq!(cancellation.sharpened().await, CancelOrder { reason: CancelReason::Paused, grace_ms: 0 });
        canceller.cancel(CancelReason::PartitionGone, 9_000);
        assert_eq!(cancellation.order(), Some(CancelOrder { reason: CancelReason::Paused, grace_ms: 0 }));
    }

    #[tokio::test]
    async fn a_canceller_that_goes_away_orders_nothing() {
        let (canceller, mut cancellation) = cancellation();
        drop(canceller);
        tokio::select! {
            biased;
            order = cancellation.ordered() => panic!("{order:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
}
