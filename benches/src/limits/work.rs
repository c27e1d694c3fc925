//! What a workload does, and what limits it.

use xai_core::parallel;

/// What a processor has only so much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Bytes read, from an array as large as what the workload reads: where it is kept (a cache or memory) is the same.
    Read,
    /// Multiplications and additions in single precision, two operations of a multiply-add.
    Float32,
    /// The same in double precision.
    Float64,
    /// The same of integers.
    Dot,
    /// Population counts of 64 bits, each added to a sum.
    Count,
    /// The same of the bits that two words share: an AND more, which pairs of runs need.
    SharedBits,
}

impl Limit {
    pub(super) const ALL: [Self; 6] = [
        Self::Read,
        Self::Float32,
        Self::Float64,
        Self::Dot,
        Self::Count,
        Self::SharedBits,
    ];

    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::Read => "GB/s",
            Self::Float32 | Self::Float64 => "GFLOP/s",
            Self::Dot => "G operations/s",
            Self::Count | Self::SharedBits => "G words/s",
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Read => "bytes read",
            Self::Float32 => "multiply-adds in f32, two operations each",
            Self::Float64 => "multiply-adds in f64, two operations each",
            Self::Dot => "multiply-adds of integers, two operations each",
            Self::Count => "words of 64 bits counted and added",
            Self::SharedBits => "words of 64 bits ANDed, counted and added",
        }
    }

    /// Of one multiply-add, or of one word.
    pub(super) fn operations(self) -> f64 {
        match self {
            Self::Float32 | Self::Float64 | Self::Dot => 2.0,
            _ => 1.0,
        }
    }
}

/// What one run of a workload does of what limits it, on all cores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// What limits it.
    pub limit: Limit,
    /// Bytes, operations or words.
    pub amount: f64,
    pub(super) threads: usize,
}

impl Work {
    /// So many bytes, multiply-adds or words.
    #[must_use]
    pub fn new(limit: Limit, amount: usize) -> Self {
        Self {
            limit,
            amount: limit.operations() * amount as f64,
            threads: parallel::threads(),
        }
    }

    /// The same on one core.
    #[must_use]
    pub fn on_one_core(self) -> Self {
        Self { threads: 1, ..self }
    }
}
