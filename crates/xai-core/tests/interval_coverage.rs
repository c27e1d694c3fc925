//! Coverage of intervals of level .95 in simulated data sets, seeded and small enough to take less
//! than two seconds.

use xai_core::Interval;
use xai_core::parallel;
use xai_core::random::{RandomStream, random_stream, uniform};
use xai_core::statistics::{bootstrap_bca, bootstrap_replicates, jackknife, wilson};

/// Share of simulated data sets whose interval covers `truth`. Each data set has its own random
/// stream.
fn coverage(
    n_sets: usize,
    truth: f64,
    interval: impl Fn(&mut RandomStream) -> Interval + Sync + Send,
) -> f64 {
    let covers = parallel::map(n_sets, |set| {
        let Interval { low, high, .. } = interval(&mut random_stream(20, set as u64));
        u32::from(low <= truth && truth <= high)
    });
    f64::from(covers.iter().sum::<u32>()) / n_sets as f64
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, n) = values
        .into_iter()
        .fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    sum / n
}

/// Each run errs on a sample with its own probability. Two runs agree on a sample if both err or
/// neither does.
#[test]
fn the_jackknife_over_runs_covers_the_mean_over_pairs() {
    const SAMPLES: usize = 40;
    // A run errs with probability p, uniform in [0.1, 0.5] with mean 0.3, so two runs agree with probability 0.3² +
    // 0.7².
    let truth = 0.58;
    for k in [3usize, 5, 10] {
        let covered = coverage(1000, truth, |stream| {
            let errs: Vec<Vec<bool>> = (0..k)
                .map(|_| {
                    let p = 0.1 + 0.4 * uniform(stream);
                    (0..SAMPLES).map(|_| uniform(stream) < p).collect()
                })
                .collect();
            let agreement = |i: usize, j: usize| {
                let equal = errs[i].iter().zip(&errs[j]).filter(|(a, b)| a == b).count();
                equal as f64 / SAMPLES as f64
            };
            let pairs: Vec<(usize, usize, f64)> = (0..k)
                .flat_map(|i| (i + 1..k).map(move |j| (i, j)))
                .map(|(i, j)| (i, j, agreement(i, j)))
                .collect();
            let without = |run: usize| {
                let rest = pairs.iter().filter(|(i, j, _)| *i != run && *j != run);
                mean(rest.map(|pair| pair.2))
            };
            let left_out: Vec<f64> = (0..k).map(without).collect();
            jackknife(mean(pairs.iter().map(|pair| pair.2)), &left_out, 0.95).unwrap()
        });
        assert!((0.92..=0.99).contains(&covered), "{k} runs: {covered}");
    }
}

#[test]
fn bca_covers_the_mean_of_skewed_values() {
    let covered = coverage(500, 1.0, |stream| {
        // Exponential distribution with mean 1.
        let values: Vec<f64> = (0..50).map(|_| -(1.0 - uniform(stream)).ln()).collect();
        let of = |units: &[usize]| Some(mean(units.iter().map(|&unit| values[unit])));
        let replicates = bootstrap_replicates(values.len(), 499, 3, of).unwrap();
        let without = |left_out: &f64| (values.iter().sum::<f64>() - left_out) / 49.0;
        let left_out: Vec<f64> = values.iter().map(without).collect();
        let estimate = mean(values.iter().copied());
        bootstrap_bca(estimate, &replicates, &left_out, 0.95).unwrap()
    });
    assert!((0.90..=0.97).contains(&covered), "{covered}");
}

#[test]
fn wilson_covers_a_small_share() {
    let covered = coverage(2000, 0.05, |stream| {
        let successes = (0..30).filter(|_| uniform(stream) < 0.05).count();
        wilson(successes as u64, 30, 0.95).unwrap()
    });
    // The interval covers 5 % for up to 3 successes of 30, which have probability .9392.
    assert!((covered - 0.9392).abs() < 0.02, "{covered}");
}
