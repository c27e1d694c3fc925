//! Measurement of the limits of this machine.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use xai_core::parallel;
use xai_core::simd::{InstructionSet, Simd, SimdKernel};

use crate::limits::registers::{self, Loop};
use crate::limits::work::Limit;

/// Measures a limit.
pub(super) struct Meter {
    threads: usize,
    measured: Measured,
}

enum Measured {
    Array(Vec<u64>),
    Loop(Loop),
}

/// Size of the largest array that is read, in bytes.
const LARGEST: f64 = 2e9;

impl Meter {
    pub(super) fn new(limit: Limit, amount: f64, threads: usize) -> Self {
        let measured = match limit {
            // Not zeros: all pages of an array of zeros may be the same page of physical memory.
            Limit::Read => Measured::Array(vec![1; (amount.min(LARGEST) / 8.0) as usize]),
            _ => Measured::Loop(registers::widest(limit)),
        };
        Self { threads, measured }
    }

    /// Returns the rate per second: the best of four passes, because other arrays fill the caches before the first.
    pub(super) fn measure(&self) -> f64 {
        (0..4).map(|_| self.pass()).fold(0.0, f64::max)
    }

    /// Returns the rate per second of a pass over the array, or of a loop of about a millisecond.
    fn pass(&self) -> f64 {
        const ROUNDS: u32 = 300_000;
        const BLOCK: usize = 1 << 17;
        let start = Instant::now();
        let done = match &self.measured {
            Measured::Array(values) => {
                let block = if self.threads == 1 {
                    values.len()
                } else {
                    BLOCK
                };
                black_box(parallel::map_blocks(values.len(), block, |range| {
                    InstructionSet::fastest().run(Sum(&values[range]))
                }));
                8.0 * values.len() as f64
            }
            Measured::Loop(operations) => {
                parallel::map(self.threads, |_| (operations.run)(ROUNDS));
                operations.operations * f64::from(ROUNDS) * self.threads as f64
            }
        };
        done / start.elapsed().as_secs_f64()
    }

    /// Returns the best rate of half a second of measurements, at least five.
    fn best(&self) -> f64 {
        let (start, mut runs, mut best) = (Instant::now(), 0, 0f64);
        while runs < 5 || start.elapsed().as_millis() < 500 {
            best = best.max(self.measure());
            runs += 1;
        }
        best
    }
}

/// Kernel that adds the elements of an array in 64 lanes, which are 16 registers of 256 bits or 8 of 512.
struct Sum<'a>(&'a [u64]);

impl SimdKernel for Sum<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(self) -> u64 {
        let mut lanes = [0u64; 64];
        for block in self.0.as_chunks::<64>().0 {
            for (lane, x) in lanes.iter_mut().zip(block) {
                *lane = lane.wrapping_add(*x);
            }
        }
        lanes.into_iter().fold(0, u64::wrapping_add)
    }
}

/// Measures the limits of this machine and formats them as a table in Markdown.
#[must_use]
pub fn machine() -> String {
    let (caches, threads) = (caches(), parallel::threads());
    // The array must be much larger than the last cache, so that it is read from memory.
    let last_cache = caches.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
    let array_bytes = (4.0 * last_cache as f64).clamp(256e6, LARGEST);
    let mut text = format!(
        "Processor: {}. Instructions: {}. Caches: ",
        processor(),
        InstructionSet::fastest()
    );
    let cache_sizes: Vec<String> = caches
        .iter()
        .map(|(name, bytes)| format!("{name} {} KiB", bytes >> 10))
        .collect();
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "{}.\n\n| limit | unit | one core | {threads} threads |\n|---|---|---:|---:|\n",
        cache_sizes.join(", ")
    );
    for limit in Limit::ALL {
        let [one, all] =
            [1, threads].map(|threads| Meter::new(limit, array_bytes, threads).best() / 1e9);
        let method = match limit {
            Limit::Read => format!("an array of {:.0} MB", array_bytes / 1e6),
            _ => registers::widest(limit).instructions,
        };
        let _ = writeln!(
            text,
            "| {} ({method}) | {} | {one:.1} | {all:.1} |",
            limit.name(),
            limit.unit()
        );
    }
    text
}

/// Returns the model of the processor, if `/proc/cpuinfo` has it.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| "unknown".to_owned(), |(_, name)| name.to_owned())
}

/// Returns the name and size in bytes of the data caches, if `/sys` has them.
fn caches() -> Vec<(String, usize)> {
    let read = |index: usize, what: &str| {
        let text = std::fs::read_to_string(format!(
            "/sys/devices/system/cpu/cpu0/cache/index{index}/{what}"
        ))
        .ok()?;
        Some(text.trim().to_owned())
    };
    let cache = |index: usize| {
        let (level, kind) = (read(index, "level")?, read(index, "type")?);
        let bytes = 1024
            * read(index, "size")?
                .strip_suffix('K')?
                .parse::<usize>()
                .ok()?;
        (kind != "Instruction").then(|| (format!("L{level}"), bytes))
    };
    (0..8).filter_map(cache).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_can_be_measured() {
        for limit in Limit::ALL {
            let rate = Meter::new(limit, 1e6, 2).measure();
            assert!(rate > 1e6 && rate.is_finite(), "{limit:?}: {rate}");
        }
        assert_eq!(InstructionSet::fastest().run(Sum(&[1; 192])), 192);
    }
}
