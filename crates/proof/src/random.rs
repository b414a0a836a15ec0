//! Random numbers that are the same on every machine: a seed is a whole life of a memory.

/// What people and agents do is chosen with it.
#[derive(Debug, Clone)]
pub(crate) struct Random(subcortex_testkit::Random);

impl Random {
    /// All numbers follow from the seed; each `stream` of a seed has its own.
    pub(crate) fn seeded(seed: u64, stream: u64) -> Self {
        let mixed = seed.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ stream.wrapping_mul(0xa076_1d64_78bd_642f);
        let mut random = subcortex_testkit::Random::seeded(mixed);
        random.bits();
        Self(random)
    }

    /// A number from 0 to one below the bound; 0 if the bound is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // The figures that are published were drawn with the remainder.
        (self.0.bits() % bound.max(1) as u64) as usize
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, chance: f64) -> bool {
        self.0.unit() * 100.0 < chance
    }

    /// One of them, if there are any.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        from.get(self.below(from.len())).copied()
    }
}
