//! Limit on the memory that reading an input may take.

use peak_alloc::PeakAlloc;

use crate::Target;

/// Size of the largest input in bytes. `cargo xtask fuzz` makes no larger ones.
pub(crate) const LARGEST_INPUT: usize = 16 << 10;

/// Memory per byte of the input.
const TIMES: usize = 4;
/// Memory that is allowed for any input.
const ALLOWED: usize = 64 << 20;

/// Runs a target on an input and returns the peak of the memory in bytes, above the memory before the call. Panics if
/// it is more than four times the input plus 64 MiB.
///
/// Programs that call this must have [`PeakAlloc`] as their allocator.
pub fn run_within_limits(target: &Target, input: &[u8]) -> usize {
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
