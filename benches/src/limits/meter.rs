//! How much of a limit this machine has.

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

/// At most as many bytes are read.
const LARGEST: f64 = 2e9;

impl Meter {
    pub(super) fn new(limit: Limit, amount: f64, threads: usize) -> Self {
        let measured = match limit {
            // Ones: pages of zeros might be one page.
            Limit::Read => Measured::Array(vec![1; (amount.min(LARGEST) / 8.0) as usize]),
            _ => Measured::Loop(registers::widest(limit)),
        };
        Self { threads, measured }
    }

    /// How much per second: the best of four passes, as the first finds caches that another array has filled.
    pub(super) fn measure(&self) -> f64 {
        (0..4).map(|_| self.pass()).fold(0.0, f64::max)
    }

    /// How much per second in about a millisecond, or in one pass over the array.
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
            Measured::Loop(of) => {
                parallel::map(self.threads, |_| (of.run)(ROUNDS));
                of.operations * f64::from(ROUNDS) * self.threads as f64
            }
        };
        done / start.elapsed().as_secs_f64()
    }

    /// The best of half a second, and of five at least.
    fn best(&self) -> f64 {
        let (start, mut runs, mut most) = (Instant::now(), 0, 0f64);
        while runs < 5 || start.elapsed().as_millis() < 500 {
            most = most.max(self.measure());
            runs += 1;
        }
        most
    }
}

/// The sum of an array in 16 registers of 256 bits, or 8 of 512.
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

/// What this machine can do, as a table in Markdown.
#[must_use]
pub fn machine() -> String {
    let (caches, threads) = (caches(), parallel::threads());
    // An array much larger than the last cache.
    let last = caches.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
    let beyond = (4.0 * last as f64).clamp(256e6, LARGEST);
    let mut text = format!(
        "Processor: {}. Instructions: {}. Caches: ",
        processor(),
        InstructionSet::fastest()
    );
    let caches: Vec<String> = caches
        .iter()
        .map(|(name, bytes)| format!("{name} {} KiB", bytes >> 10))
        .collect();
    let _ = write!(
        text,
        "{}.\n\n| limit | unit | one core | {threads} threads |\n|---|---|---:|---:|\n",
        caches.join(", ")
    );
    for limit in Limit::ALL {
        let [one, all] =
            [1, threads].map(|threads| Meter::new(limit, beyond, threads).best() / 1e9);
        let how = match limit {
            Limit::Read => format!("an array of {:.0} MB", beyond / 1e6),
            _ => registers::widest(limit).instructions,
        };
        let _ = writeln!(
            text,
            "| {} ({how}) | {} | {one:.1} | {all:.1} |",
            limit.name(),
            limit.unit()
        );
    }
    text
}

/// The model of the processor, where the system says so.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| "unknown".to_owned(), |(_, name)| name.to_owned())
}

/// The caches that hold data, with their bytes, where the system says so.
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
