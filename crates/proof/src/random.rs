//! Random numbers that are the same on every machine: a seed is a whole life of a memory.

/// splitmix64: small, fast, and good enough to choose what people and agents do.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// All numbers follow from the seed; each `stream` of a seed has its own.
    pub(crate) fn seeded(seed: u64, stream: u64) -> Self {
        let mut random =
            Self(seed.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ stream.wrapping_mul(0xa076_1d64_78bd_642f));
        random.any();
        random
    }

    fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to one below the bound; 0 if the bound is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.any() % bound.max(1) as u64) as usize
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, chance: f64) -> bool {
        (self.any() >> 11) as f64 / (1_u64 << 53) as f64 * 100.0 < chance
    }

    /// One of them, if there are any.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        from.get(self.below(from.len())).copied()
    }
}
