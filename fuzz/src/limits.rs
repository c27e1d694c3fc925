//! What an input may cost.

use peak_alloc::PeakAlloc;

use crate::Target;

/// Longer inputs are not given; `cargo xtask fuzz` makes none.
pub(crate) const LARGEST_INPUT: usize = 16 << 10;

/// Memory is at most this many times the input, beside what is allowed in any case.
const TIMES: usize = 4;
const ALLOWED: usize = 64 << 20;

/// Gives a target an input, and panics where it holds more memory than it may; otherwise how many bytes it held at most, beside
/// those that were held before.
///
/// The limit is four times the input and 64 MB. Programs that call this have [`PeakAlloc`] as their allocator.
pub fn judged(target: &Target, input: &[u8]) -> usize {
    let before = PeakAlloc.current_usage();
    PeakAlloc.reset_peak_usage();
    target.run(input);
    let bytes = PeakAlloc.peak_usage().saturating_sub(before);
    let most = TIMES * input.len() + ALLOWED;
    assert!(
        bytes <= most,
        "{} bytes of {} ({}) took {bytes} bytes of memory, more than {most}",
        input.len(),
        target.name,
        target.reads
    );
    bytes
}
