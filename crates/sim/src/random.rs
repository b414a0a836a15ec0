//! Random numbers that are the same on every machine: a seed is a whole life of a daemon.

/// Misfortunes are chosen with it.
#[derive(Debug, Clone)]
pub(crate) struct Random(subcortex_testkit::Random);

impl Random {
    /// All numbers follow from the seed.
    pub(crate) fn seeded(seed: u64) -> Random {
        // Neighbouring seeds must not lead similar lives.
        let mut random = subcortex_testkit::Random::seeded(seed.wrapping_mul(0xd6e8_feb8_6659_fd93));
        random.bits();
        Random(random)
    }

    /// Any number.
    pub(crate) fn any(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number from 0 to one below the bound; 0 if the bound is 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.any() % bound.max(1)
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of them; there must be at least one.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len() as u64) as usize)
    }
}
