//! 512 samples, a bit each.

/// The bits of 512 samples: what the widest registers hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u64; 8]);

impl Block {
    /// The number of samples in a block.
    pub(crate) const SAMPLES: usize = 512;

    /// The bits of the first samples, all if there are more.
    pub(crate) fn within(n_samples: usize) -> Self {
        Self(std::array::from_fn(|word| {
            let used = n_samples.saturating_sub(64 * word).min(64);
            u64::MAX.checked_shr(64 - used as u32).unwrap_or(0)
        }))
    }

    /// The number of bits set.
    pub(crate) fn len(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}
