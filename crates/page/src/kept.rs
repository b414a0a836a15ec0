//! An answer that many ask for, made once.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

/// The last answer, as long as it is young enough. Those who ask while it is made wait for that one.
#[derive(Debug)]
pub struct Kept<T> {
    max_age: Duration,
    last: Mutex<Option<(Instant, T)>>,
}

impl<T: Clone> Kept<T> {
    /// Keeps an answer for so long.
    pub fn for_at_most(max_age: Duration) -> Self {
        Self { max_age, last: Mutex::new(None) }
    }

    /// The kept answer, or a new one. A failure is not kept.
    pub async fn get<E>(&self, make: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let mut last = self.last.lock().await;
        if let Some((at, value)) = &*last
            && at.elapsed() < self.max_age
        {
            return Ok(value.clone());
        }
        let value = make.await?;
        *last = Some((Instant::now(), value.clone()));
        Ok(value)
    }

    /// Forgets the answer: something was done that changes it.
    pub async fn forget(&self) {
        *self.last.lock().await = None;
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    async fn what_a_hundred_ask_for_at_once_is_made_once() {
        let (kept, made) = (Kept::for_at_most(Duration::from_secs(600)), AtomicU32::new(0));
        let ask = || kept.get(async { Ok::<_, Infallible>(made.fetch_add(1, Ordering::Relaxed)) });
        for _ in 0..100 {
            assert_eq!(ask().await, Ok(0));
        }
        kept.forget().await;
        assert_eq!(ask().await, Ok(1));
    }
}
