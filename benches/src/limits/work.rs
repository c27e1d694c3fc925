//! The amount of work of a workload, and the resource that limits it.

use xai_core::parallel;

/// Limited resource of a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Bytes read from an array of the same size as that of the workload, so that both are in the same cache or in
    /// memory.
    Read,
    /// Multiplications and additions in single precision. A multiply-add counts as two operations.
    Float32,
    /// Multiplications and additions in double precision. A multiply-add counts as two operations.
    Float64,
    /// Multiplications and additions of integers. A multiply-add counts as two operations.
    Dot,
    /// Population counts of 64-bit words, each added to a sum.
    Count,
    /// Population counts of the AND of two 64-bit words, each added to a sum. Metrics of pairs of runs need these.
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

    /// Returns the number of operations of a byte, multiply-add or word.
    pub(super) fn operations(self) -> f64 {
        match self {
            Self::Float32 | Self::Float64 | Self::Dot => 2.0,
            _ => 1.0,
        }
    }
}

/// The work of one run of a workload, on all cores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// The resource that limits the workload.
    pub limit: Limit,
    /// Number of bytes, operations or words.
    pub amount: f64,
    pub(super) threads: usize,
}

impl Work {
    /// Creates work from a number of bytes, multiply-adds or words.
    #[must_use]
    pub fn new(limit: Limit, amount: usize) -> Self {
        Self {
            limit,
            amount: limit.operations() * amount as f64,
            threads: parallel::threads(),
        }
    }

    /// Returns the same work on one core.
    #[must_use]
    pub fn on_one_core(self) -> Self {
        Self { threads: 1, ..self }
    }
}
