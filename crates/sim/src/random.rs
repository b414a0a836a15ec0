//! Random numbers that are the same on every machine: a seed is a whole life of a daemon.

/// splitmix64: small, fast, and good enough to choose misfortunes with.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// All numbers follow from the seed.
    pub(crate) fn seeded(seed: u64) -> Random {
        // Neighbouring seeds must not lead similar lives.
        let mut random = Random(seed.wrapping_mul(0xd6e8_feb8_6659_fd93));
        random.any();
        random
    }

    /// Any number.
    pub(crate) fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
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
