//! Prints the tables of `docs/statistics.md`: how often intervals of level 0.95 contain the true value, and how often
//! tests of level 0.05 find a difference that does not exist. Every share is over 20 000 random data sets, which are
//! the same in each run.
//!
//! `cargo run --release -p xai-benches --example coverage`

use std::fmt::Display;

use xai_core::Interval;
use xai_core::evaluation::holm;
use xai_core::parallel;
use xai_core::random::{RandomStream, normal, random_stream, uniform};
use xai_core::statistics::{
    ZeroMethod, auroc_interval, bootstrap_bca, bootstrap_replicates, jackknife, mean_interval,
    wilcoxon_signed_rank, wilson,
};
use xai_core::sum::Moments;

const DATA_SETS: usize = 20_000;
const LEVEL: f64 = 0.95;

/// A distribution with its mean.
struct Distribution {
    name: &'static str,
    mean: f64,
    draw: fn(&mut RandomStream) -> f64,
}

const DISTRIBUTIONS: [Distribution; 9] = [
    Distribution {
        name: "normal",
        mean: 0.0,
        draw: normal,
    },
    Distribution {
        name: "exponential (skew 2)",
        mean: 1.0,
        draw: exponential,
    },
    Distribution {
        name: "log-normal (skew 6.2)",
        mean: 1.648_721_270_700_128,
        draw: |s| normal(s).exp(),
    },
    Distribution {
        name: "counts 0, 1, 2, … of mean 0.5 (ties)",
        mean: 0.5,
        draw: |s| count(s, 0.5),
    },
    Distribution {
        name: "share, uniform",
        mean: 0.5,
        draw: uniform,
    },
    Distribution {
        name: "share, fourth power (skew 1.1)",
        mean: 0.2,
        draw: |s| uniform(s).powi(4),
    },
    Distribution {
        name: "share, 90 % of them 0",
        mean: 0.05,
        draw: |s| if uniform(s) < 0.9 { 0.0 } else { uniform(s) },
    },
    Distribution {
        name: "0 or 1, 30 %",
        mean: 0.3,
        draw: |s| f64::from(u8::from(uniform(s) < 0.3)),
    },
    Distribution {
        name: "0 or 1, 2 %",
        mean: 0.02,
        draw: |s| f64::from(u8::from(uniform(s) < 0.02)),
    },
];

fn exponential(stream: &mut RandomStream) -> f64 {
    -(1.0 - uniform(stream)).ln()
}

/// Draws from the Poisson distribution, by multiplying uniform numbers.
fn count(stream: &mut RandomStream, mean: f64) -> f64 {
    let (mut count, mut product) = (0.0, uniform(stream));
    while product > (-mean).exp() {
        count += 1.0;
        product *= uniform(stream);
    }
    count
}

/// Returns the share of the data sets for which `is_true`, with three decimals. Data sets with `None` do not count.
fn share(is_true: impl Fn(&mut RandomStream) -> Option<bool> + Sync + Send) -> String {
    let outcomes = parallel::map(DATA_SETS, |i| is_true(&mut random_stream(17, i as u64)));
    let defined: Vec<bool> = outcomes.into_iter().flatten().collect();
    match defined.len() {
        0 => "–".to_owned(),
        n => format!(
            "{:.3}",
            defined.iter().filter(|outcome| **outcome).count() as f64 / n as f64
        ),
    }
}

fn contains(interval: Option<Interval>, truth: f64) -> Option<bool> {
    interval.map(|interval| interval.low <= truth && truth <= interval.high)
}

fn moments(values: &[f64]) -> Moments {
    let mut moments = Moments::new();
    for value in values {
        moments.add(*value);
    }
    moments
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn means_without(values: &[f64]) -> Vec<f64> {
    let (sum, rest) = (values.iter().sum::<f64>(), values.len() as f64 - 1.0);
    values.iter().map(|value| (sum - value) / rest).collect()
}

fn bca(values: &[f64]) -> Option<Interval> {
    let resampled_mean =
        |units: &[usize]| Some(units.iter().map(|&i| values[i]).sum::<f64>() / units.len() as f64);
    let replicates = bootstrap_replicates(values.len(), 1_000, 5, resampled_mean).ok()?;
    bootstrap_bca(mean(values), &replicates, &means_without(values), LEVEL).ok()
}

fn table<C: Copy + Display>(head: &str, columns: &[C], unit: &str) {
    let names = columns.iter().map(|c| format!(" {unit} = {c} |"));
    println!("\n| {head} |{}", names.collect::<String>());
    println!("| --- |{}", " ---: |".repeat(columns.len()));
}

fn row(name: &str, cells: impl Iterator<Item = String>) {
    println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
}

fn means() {
    let sizes = [5, 10, 20, 50, 200, 1_000];
    let drawn = |source: &Distribution, n, stream: &mut RandomStream| -> Vec<f64> {
        (0..n).map(|_| (source.draw)(stream)).collect()
    };
    table("`mean_interval` of", &sizes, "n");
    for source in &DISTRIBUTIONS {
        row(
            source.name,
            sizes.iter().map(|&n| {
                share(|stream| {
                    let values = moments(&drawn(source, n, stream));
                    contains(mean_interval(&values, LEVEL).ok()?, source.mean)
                })
            }),
        );
    }
    let bootstrap_sizes = &sizes[..4];
    table(
        "`bootstrap_bca` of the mean, 1 000 replicates, of",
        bootstrap_sizes,
        "n",
    );
    for source in &DISTRIBUTIONS[..7] {
        row(
            source.name,
            bootstrap_sizes.iter().map(|&n| {
                share(|stream| {
                    let values = drawn(source, n, stream);
                    let is_constant = values.iter().all(|value| *value == values[0]);
                    if is_constant {
                        None
                    } else {
                        contains(bca(&values), source.mean)
                    }
                })
            }),
        );
    }
}

fn shares() {
    let sizes = [5, 10, 30, 100, 1_000];
    table("`wilson`, true share", &sizes, "n");
    for truth in [0.01, 0.05, 0.2, 0.5] {
        row(
            &truth.to_string(),
            sizes.iter().map(|&n| {
                share(|stream| {
                    let successes = (0..n).filter(|_| uniform(stream) < truth).count();
                    contains(wilson(successes as u64, n, LEVEL).ok(), truth)
                })
            }),
        );
    }
}

/// AUROC of normal scores of two groups whose means differ by `shift`.
fn aurocs() {
    let sizes = ["5 + 5", "10 + 10", "10 + 90", "50 + 50", "50 + 450"];
    table("`auroc_interval`, true AUROC", &sizes, "n");
    // The shift is √2 times the quantile of the normal distribution at the true AUROC.
    for (truth, shift) in [
        (0.6, 0.358_286_9),
        (0.8, 1.190_232_2),
        (0.95, 2.326_174_2),
        (0.99, 3.289_951_5),
    ] {
        row(
            &truth.to_string(),
            sizes.iter().map(|size| {
                let (second, first) = size.split_once(" + ").expect("two numbers");
                let [second, first]: [usize; 2] =
                    [second, first].map(|n| n.parse().expect("a number"));
                share(|stream| {
                    let is_second: Vec<bool> = (0..first + second).map(|i| i >= first).collect();
                    let scores: Vec<f64> = is_second
                        .iter()
                        .map(|&second| normal(stream) + if second { shift } else { 0.0 })
                        .collect();
                    contains(auroc_interval(&scores, &is_second, LEVEL).ok()?, truth)
                })
            }),
        );
    }
}

/// Mean agreement of pairs of runs with independent errors. Pairs are dependent, because they share runs.
fn pairs() {
    let runs = [3, 5, 10, 30];
    table(
        "`jackknife` over runs of the mean agreement of pairs",
        &runs,
        "runs",
    );
    for (name, spread) in [("runs alike", 0.0), ("runs that differ in accuracy", 0.15)] {
        row(
            name,
            runs.iter().map(|&n| {
                share(|stream| {
                    const SAMPLES: usize = 200;
                    let right: Vec<Vec<bool>> = (0..n)
                        .map(|_| {
                            let accuracy = 0.75 + spread * (2.0 * uniform(stream) - 1.0);
                            (0..SAMPLES).map(|_| uniform(stream) < accuracy).collect()
                        })
                        .collect();
                    let agreement = |a: &[bool], b: &[bool]| {
                        a.iter().zip(b).filter(|(a, b)| a == b).count() as f64 / SAMPLES as f64
                    };
                    let mean_agreement = |left_out: usize| {
                        let kept: Vec<&Vec<bool>> = right
                            .iter()
                            .enumerate()
                            .filter(|(i, _)| *i != left_out)
                            .map(|(_, run)| run)
                            .collect();
                        let pairs: Vec<f64> = (0..kept.len())
                            .flat_map(|i| (0..i).map(move |j| (i, j)))
                            .map(|(i, j)| agreement(kept[i], kept[j]))
                            .collect();
                        mean(&pairs)
                    };
                    let without: Vec<f64> = (0..n).map(mean_agreement).collect();
                    // E[a b + (1 - a)(1 - b)] of two independent accuracies with mean 0.75.
                    let truth = 0.75 * 0.75 + 0.25 * 0.25;
                    contains(jackknife(mean_agreement(n), &without, LEVEL).ok(), truth)
                })
            }),
        );
    }
}

fn tests() {
    let sizes = [6, 10, 20, 50, 200];
    table(
        "false positives of `wilcoxon_signed_rank` at 0.05",
        &sizes,
        "n",
    );
    let differences: [Distribution; 3] = [
        Distribution {
            name: "normal",
            mean: 0.0,
            draw: normal,
        },
        Distribution {
            name: "rounded to whole numbers (ties, zeros)",
            mean: 0.0,
            draw: |s| normal(s).round(),
        },
        Distribution {
            name: "heavy tails (normal / uniform)",
            mean: 0.0,
            draw: |s| normal(s) / (1.0 - uniform(s)),
        },
    ];
    let p_value = |draw: fn(&mut RandomStream) -> f64, n: usize, stream: &mut RandomStream| {
        let values: Vec<f64> = (0..n).map(|_| draw(stream)).collect();
        wilcoxon_signed_rank(&values, ZeroMethod::Wilcox)
            .ok()
            .and_then(|test| test.p_value)
    };
    for source in &differences {
        row(
            source.name,
            sizes.iter().map(|&n| {
                share(|stream| Some(p_value(source.draw, n, stream).is_some_and(|p| p <= 0.05)))
            }),
        );
    }
    for source in &differences {
        let name = format!("{}: any of 15, after `holm`", source.name);
        row(
            &name,
            sizes.iter().map(|&n| {
                share(|stream| {
                    let p_values: Vec<Option<f64>> =
                        (0..15).map(|_| p_value(source.draw, n, stream)).collect();
                    Some(holm(&p_values).into_iter().flatten().any(|p| p <= 0.05))
                })
            }),
        );
    }
}

fn main() {
    means();
    shares();
    aurocs();
    pairs();
    tests();
}
