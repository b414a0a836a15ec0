//! Anchors that stand closer together than anything real. Each would read the same surroundings again, so of a crowd only
//! the first are looked at.

/// How many anchors of one sort are looked at within so many bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    pub(super) anchors: usize,
    pub(super) within_bytes: usize,
}

/// The crowd that was met last.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Crowd {
    until: usize,
    count: usize,
}

impl Crowd {
    /// Whether the anchor at `at` is looked at.
    pub(super) fn admits(&mut self, at: usize, limit: Limit) -> bool {
        if at >= self.until {
            *self = Self { until: at + limit.within_bytes, count: 0 };
        }
        self.count += 1;
        self.count <= limit.anchors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_crowd_the_first_are_looked_at_and_behind_it_all_is_as_before() {
        let limit = Limit { anchors: 2, within_bytes: 10 };
        let mut crowd = Crowd::default();
        let admitted: Vec<usize> = (0..30).step_by(3).filter(|at| crowd.admits(*at, limit)).collect();
        assert_eq!(admitted, [0, 3, 12, 15, 24, 27]);
    }
}
