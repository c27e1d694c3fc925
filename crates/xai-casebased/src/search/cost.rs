//! What the work of an engine costs.

use crate::search::kernel::rank::Rank;

/// What searches through a tree do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Effort {
    /// Groups of eight boxes that are compared.
    pub(crate) nodes: f64,
    /// Leaves whose rows are compared.
    pub(crate) leaves: f64,
    /// Rows that are offered a place among the nearest.
    pub(crate) offers: f64,
}

/// Prices in nanoseconds of one core of a Zen 4 processor with 512-bit registers; they are constants, so that
/// every processor makes the same choice. Only ratios decide, and narrower registers slow the kernels of
/// both engines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    n: f64,
    d: f64,
    k: f64,
    rank: Rank,
}

/// Rows of so many bytes stay in a second-level cache.
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

    /// Of searches through a tree. The eight boxes of a node cost what the sixteen rows of a leaf
    /// cost: 49 to 68 ns from 4 to 16 features at 10 000 rows, where all are cached; at random places of
    /// memory 100 ns at 100 000 × 10, 130 to 170 at 200 000 × 12, 280 at 60 000 × 64, on one thread. A fifth
    /// is added for threads that share memory, which slows a tree more than a scan: with it they meet at 8
    /// independent normal features of 10 000 rows and at 9 to 10 of 100 000, as measured on two threads.
    pub(crate) fn tree(&self, effort: Effort) -> f64 {
        let from_memory = (1.0 - CACHED / (8.0 * self.n * self.d)).max(0.0);
        let visit = 48.0 + 2.0 * self.d + from_memory * (48.0 + 2.4 * self.d);
        (effort.nodes + effort.leaves) * visit + effort.offers * self.offer()
    }

    /// Of scans for so many queries, for all of which so many rows were offered a place; with matrix products
    /// these are all that are looked at in full. Per row, distances in full cost 1.1 ns at 4 features, 1.8 at 12 and 7
    /// at 64; matrix products 0.7 ns at 12 features, 2.5 at 64 and 16 at 784.
    pub(crate) fn scan(&self, queries: usize, offers: usize, filtered: bool) -> f64 {
        let (row, offer) = match filtered {
            true => (0.45 + 0.03 * self.d, self.offer() + 40.0 + 1.5 * self.d),
            false => (0.7 + 0.09 * self.d, self.offer()),
        };
        queries as f64 * self.n * row + offers as f64 * offer
    }

    /// Of a place among the nearest, in a list or a heap.
    fn offer(&self) -> f64 {
        10.0 + 5.0 * self.k.log2()
    }
}
