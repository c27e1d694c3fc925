//! Every target with its inputs, whole, cut and changed: no panic, and no memory that only the input claims. `cargo xtask fuzz`
//! looks for more.

use peak_alloc::PeakAlloc;
use xai_fuzz::{TARGETS, judged};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Changed inputs of each, at most.
const CHANGED: usize = 24;

/// A number that is made of others, the same each time.
fn mixed(number: usize) -> usize {
    let product = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product >> 17) as usize
}

/// An input that is cut, and one of which a byte is another.
fn changed(input: &[u8], number: usize) -> [Vec<u8>; 2] {
    let at = mixed(number) % input.len().max(1);
    let mut other = input.to_vec();
    if let Some(byte) = other.get_mut(at) {
        *byte = [byte.wrapping_add(1), 0, 0xff, *byte ^ 0x80][number % 4];
    }
    [input[..at.min(input.len())].to_vec(), other]
}

#[test]
fn readers_end_whatever_they_are_given() {
    for target in TARGETS {
        let inputs = target.inputs();
        assert!(!inputs.is_empty(), "{} has no input", target.name);
        // Each is given as it is; a share of them is changed.
        let per_input = (600 / inputs.len()).clamp(1, CHANGED);
        let mut largest = 0;
        judged(target, b"");
        for (i, input) in inputs.iter().enumerate() {
            largest = largest.max(judged(target, input));
            for number in 0..per_input {
                for changed in changed(input, i * CHANGED + number) {
                    largest = largest.max(judged(target, &changed));
                }
            }
        }
        eprintln!(
            "{}: {} inputs, at most {largest} bytes held",
            target.name,
            inputs.len()
        );
    }
}
