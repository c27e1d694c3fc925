//! Runs every target on its inputs, complete, truncated and changed. There must be no panic, and no allocation of a
//! size that an input only claims. `cargo xtask fuzz` searches for more inputs.

use peak_alloc::PeakAlloc;
use xai_fuzz::{TARGETS, run_within_limits};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Largest number of changed inputs per input.
const CHANGED: usize = 24;

/// Returns a pseudo-random number that depends only on `number`.
fn mixed(number: usize) -> usize {
    let product = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product >> 17) as usize
}

/// Returns the input truncated at a position, and with another byte there.
fn changed(input: &[u8], number: usize) -> [Vec<u8>; 2] {
    let at = mixed(number) % input.len().max(1);
    let mut other = input.to_vec();
    if let Some(byte) = other.get_mut(at) {
        *byte = [byte.wrapping_add(1), 0, 0xff, *byte ^ 0x80][number % 4];
    }
    [input[..at.min(input.len())].to_vec(), other]
}

#[test]
fn readers_return_for_any_input() {
    for target in TARGETS {
        let inputs = target.inputs();
        assert!(!inputs.is_empty(), "{} has no input", target.name);
        // At most about 600 changed inputs per target.
        let per_input = (600 / inputs.len()).clamp(1, CHANGED);
        let mut largest = 0;
        run_within_limits(target, b"");
        for (i, input) in inputs.iter().enumerate() {
            largest = largest.max(run_within_limits(target, input));
            for number in 0..per_input {
                for changed in changed(input, i * CHANGED + number) {
                    largest = largest.max(run_within_limits(target, &changed));
                }
            }
        }
        eprintln!(
            "{}: {} inputs, at most {largest} bytes of memory",
            target.name,
            inputs.len()
        );
    }
}
