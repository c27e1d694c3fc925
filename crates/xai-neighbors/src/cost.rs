//! Prices of the operations of the exact engines.

use crate::kernel::rank::Rank;

/// Numbers of operations of searches through a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Effort {
    /// Groups of eight boxes that are compared.
    pub(crate) nodes: f64,
    /// Leaves whose rows are compared.
    pub(crate) leaves: f64,
    /// Rows that are offered to the list of the nearest.
    pub(crate) offers: f64,
}

/// Cost model of searches for `k` neighbours among `n` rows of `d` features. Prices are in nanoseconds, measured on one
/// core of a Zen 4 processor with 512-bit registers.
///
/// They are constants, so every processor makes the same choice. Only their ratios matter, and narrower registers
/// slow down the kernels of both engines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    n: f64,
    d: f64,
    k: f64,
    rank: Rank,
}

/// Size in bytes up to which the rows stay in a second-level cache.
const CACHED: f64 = (1 << 20) as f64;

impl Cost {
    pub(crate) fn new(n: usize, d: usize, k: usize, rank: Rank) -> Self {
        Self {
            n: n as f64,
            d: d as f64,
            k: k as f64,
            rank,
        }
    }

    pub(crate) fn rank(&self) -> Rank {
        self.rank
    }

    /// Cost of searches through a tree.
    ///
    /// The eight boxes of a node cost as much as the sixteen rows of a leaf. On one thread that is 49 to 68 ns for 4 to
    /// 16 features at 10 000 rows, where everything is cached, and with random access to memory 100 ns at 100 000 × 10,
    /// 130 to 170 at 200 000 × 12, and 280 at 60 000 × 64.
    ///
    /// The prices below are a fifth higher than that, because threads that share the memory bandwidth slow down a tree
    /// more than a scan. With this fifth, the costs of tree and scan are equal at 8 independent normal features of
    /// 10 000 rows and at 9 to 10 of 100 000, as measured on two threads.
    pub(crate) fn tree(&self, effort: Effort) -> f64 {
        // Share of the rows outside the cache, whose visits wait for memory.
        let from_memory = (1.0 - CACHED / (8.0 * self.n * self.d)).max(0.0);
        let visit = 48.0 + 2.0 * self.d + from_memory * (48.0 + 2.4 * self.d);
        (effort.nodes + effort.leaves) * visit + effort.offers * self.offer()
    }

    /// Cost of a scan for `queries` queries that offered `offers` rows in total. A `filtered` scan bounds distances
    /// from below by a matrix product, and computes them in full only for rows that can be among the nearest.
    ///
    /// As measured, a distance in full costs 1.1 ns per row at 4 features, 1.8 at 12 and 7 at 64; a row of a matrix
    /// product 0.7 ns at 12 features, 2.5 at 64 and 16 at 784 (where the linear price below gives 24).
    pub(crate) fn scan(&self, queries: usize, offers: usize, filtered: bool) -> f64 {
        let (row, offer) = if filtered {
            // Only the rows that pass the filter are compared in full, which adds to the price of their offer.
            (0.45 + 0.03 * self.d, self.offer() + 40.0 + 1.5 * self.d)
        } else {
            (0.7 + 0.09 * self.d, self.offer())
        };
        queries as f64 * self.n * row + offers as f64 * offer
    }

    /// Cost of inserting a row into the list or heap of the nearest.
    fn offer(&self) -> f64 {
        10.0 + 5.0 * self.k.log2()
    }
}
