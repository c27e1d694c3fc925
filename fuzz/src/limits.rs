//! What an input may cost.

use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;

use crate::Target;

/// Longer inputs are not made.
pub const LARGEST_INPUT: usize = 16 << 10;

/// Memory is at most this many times the input, beside what is allowed in any case.
const TIMES: usize = 4;
const ALLOWED: usize = 64 << 20;

/// What an input has cost.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// The largest number of bytes that were held beside those that were held before.
    pub bytes: usize,
    /// From call to return.
    pub time: Duration,
}

/// Gives a target an input, and panics where it holds more memory than it may.
///
/// The limit is four times the input and 64 MB. Programs that call this have [`PeakAlloc`] as their allocator.
pub fn judged(target: &Target, input: &[u8]) -> Measured {
    let before = PeakAlloc.current_usage();
    PeakAlloc.reset_peak_usage();
    let start = Instant::now();
    target.run(input);
    let time = start.elapsed();
    let bytes = PeakAlloc.peak_usage().saturating_sub(before);
    let most = TIMES * input.len() + ALLOWED;
    assert!(
        bytes <= most,
        "{} bytes of {} took {bytes} bytes of memory, more than {most}",
        input.len(),
        target.name
    );
    Measured { bytes, time }
}
