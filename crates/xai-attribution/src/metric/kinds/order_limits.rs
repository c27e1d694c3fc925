//! The best and the worst order in which the features of a sample can be removed.

use std::collections::BTreeMap;

use xai_core::{Real, Result};

use crate::batch::{BatchWork, RunData, SampleBatch};
use crate::perturbation::{Baseline, BaselineInputs, BaselineRows, FeatureCells, Features};

/// The least and the largest sum of scores along any order of removal, of all samples of a batch. It does not
/// depend on the map: explainers share it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OrderLimits {
    pub(crate) features: Features,
    pub(crate) baseline: Baseline,
    /// Up to so many features every subset is shown to the model, else beams are searched.
    pub(crate) exact_up_to: usize,
    /// How many subsets of one size a beam keeps.
    pub(crate) beam: usize,
}

/// Sums of the scores without the first `1..F` features (neither of all nor of none) over orders.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Limits {
    pub(crate) least: f64,
    pub(crate) largest: f64,
    /// The score of every subset removed, by its bits; where all were shown to the model. Those of none and of
    /// all are not scores.
    of_subsets: Vec<f64>,
}

impl Limits {
    /// The sum along an order, where all subsets are known: with the additions of the search.
    pub(crate) fn along(&self, order: &[u32]) -> Option<f64> {
        if self.of_subsets.is_empty() {
            return None;
        }
        let (mut removed, mut sum) = (0usize, 0.0);
        for feature in &order[..order.len().saturating_sub(1)] {
            removed |= 1 << feature;
            sum += self.of_subsets[removed];
        }
        Some(sum)
    }
}

impl OrderLimits {
    /// Whether every subset is shown to the model.
    pub(crate) fn is_exact<T: Real>(&self, run: &RunData<'_, T>) -> Result<bool> {
        Ok(self.features.max_count(run)? <= self.exact_up_to)
    }

    /// The rows of the model, where every subset is shown to it.
    pub(crate) fn exact_rows<T: Real>(&self, run: &RunData<'_, T>) -> Result<u64> {
        let counts = self.features.counts(run)?;
        Ok(counts.iter().map(|&count| subsets_between(count)).sum())
    }

    /// The scores of rows without some features: row `r` is made of sample `sample_of(r)`, and `removed` gives its
    /// features.
    fn scores<T: Real>(
        &self,
        batch: &SampleBatch<'_, T>,
        n_rows: usize,
        sample_of: impl Fn(usize) -> usize + Send + Sync,
        removed: impl Fn(usize, &mut dyn FnMut(u32)) + Send + Sync,
    ) -> Result<Vec<f64>> {
        let cells = batch.shared(&self.features)?;
        let blank = batch.shared(&BaselineInputs(self.baseline.clone()))?;
        let (cells, blank): (&FeatureCells, &BaselineRows<T>) = (&cells, &blank);
        let places = batch.run().positions();
        batch.score_changed(
            n_rows,
            &sample_of,
            |row, values| {
                let sample = sample_of(row);
                let blank = blank.row(sample);
                removed(row, &mut |feature| {
                    for &position in cells.for_sample(sample).positions(feature as usize) {
                        places.copy(values, blank, position as usize);
                    }
                });
            },
            ", without some features",
        )
    }

    fn exact<T: Real>(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<Limits>> {
        let cells = batch.shared(&self.features)?;
        let counts: Vec<usize> = (0..batch.n_samples())
            .map(|i| cells.for_sample(i).n_cells())
            .collect();
        // Where the rows of each sample begin.
        let mut starts = vec![0];
        for &count in &counts {
            starts.push(starts[starts.len() - 1] + subsets_between(count) as usize);
        }
        let sample_of = |row: usize| starts.partition_point(|&start| start <= row) - 1;
        let removed = |row: usize, remove: &mut dyn FnMut(u32)| {
            let bits = row - starts[sample_of(row)] + 1;
            (0..usize::BITS)
                .filter(|feature| bits >> feature & 1 == 1)
                .for_each(remove);
        };
        let n_rows = starts[counts.len()];
        let scores = self.scores(batch, n_rows, sample_of, removed)?;
        let limits = counts.iter().enumerate().map(|(sample, &n)| {
            let mut of_subsets = vec![0.0; 1 << n];
            let own = &scores[starts[sample]..starts[sample + 1]];
            of_subsets[1..=own.len()].copy_from_slice(own);
            let least = best_path(&of_subsets, n, f64::min);
            let largest = best_path(&of_subsets, n, f64::max);
            Limits {
                least,
                largest,
                of_subsets,
            }
        });
        Ok(limits.collect())
    }

    fn by_beams<T: Real>(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<Limits>> {
        let cells = batch.shared(&self.features)?;
        let mut beams: Vec<Beams> = (0..batch.n_samples())
            .map(|sample| Beams::new(cells.for_sample(sample).n_cells() as u32))
            .collect();
        for size in 1..cells.max_count() {
            let mut removed: Vec<(usize, Vec<u32>)> = Vec::new();
            for (sample, beams) in beams.iter().enumerate() {
                if size < beams.n_features as usize {
                    removed.extend(beams.next().into_iter().map(|subset| (sample, subset)));
                }
            }
            let each = |row: usize, remove: &mut dyn FnMut(u32)| {
                removed[row].1.iter().copied().for_each(remove);
            };
            let scores = self.scores(batch, removed.len(), |row| removed[row].0, each)?;
            let mut of_samples: Vec<BTreeMap<Vec<u32>, f64>> = vec![BTreeMap::new(); beams.len()];
            for ((sample, subset), score) in removed.into_iter().zip(scores) {
                of_samples[sample].insert(subset, score);
            }
            for (beams, scores) in beams.iter_mut().zip(&of_samples) {
                if !scores.is_empty() {
                    beams.take(scores, self.beam);
                }
            }
        }
        Ok(beams.iter().map(Beams::limits).collect())
    }
}

impl<T: Real> BatchWork<T> for OrderLimits {
    type Output = Vec<Limits>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<Limits>> {
        match self.is_exact(batch.run())? {
            true => self.exact(batch),
            false => self.by_beams(batch),
        }
    }
}

/// The subsets of features but none and all.
fn subsets_between(n: usize) -> u64 {
    (1u64 << n).saturating_sub(2)
}

/// The best sum along a way from no feature to all, through the subsets between.
fn best_path(of_subsets: &[f64], n: usize, better: fn(f64, f64) -> f64) -> f64 {
    let best_before = |best: &[f64], bits: usize| {
        let one_less = (0..n).filter(|feature| bits >> feature & 1 == 1);
        one_less
            .map(|feature| best[bits & !(1 << feature)])
            .reduce(better)
            .unwrap_or_default()
    };
    let mut best = vec![0.0; of_subsets.len()];
    let all = of_subsets.len() - 1;
    for bits in 1..all {
        best[bits] = best_before(&best, bits) + of_subsets[bits];
    }
    best_before(&best, all)
}

/// The two beams of a sample: subsets of one size, ascending features, with the best sum that leads there.
struct Beams {
    n_features: u32,
    least: Vec<(Vec<u32>, f64)>,
    largest: Vec<(Vec<u32>, f64)>,
}

impl Beams {
    fn new(n_features: u32) -> Self {
        let none = vec![(Vec::new(), 0.0)];
        Self {
            n_features,
            least: none.clone(),
            largest: none,
        }
    }

    /// A subset with one feature more.
    fn with(&self, subset: &[u32]) -> impl Iterator<Item = Vec<u32>> {
        let others = (0..self.n_features).filter(|feature| subset.binary_search(feature).is_err());
        others.map(|feature| {
            let mut with = subset.to_vec();
            let place = with.partition_point(|&other| other < feature);
            with.insert(place, feature);
            with
        })
    }

    /// The subsets that either beam may go on to, each once.
    fn next(&self) -> Vec<Vec<u32>> {
        let kept = self.least.iter().chain(&self.largest);
        let mut next: Vec<Vec<u32>> = kept.flat_map(|(subset, _)| self.with(subset)).collect();
        next.sort_unstable();
        next.dedup();
        next
    }

    /// Goes on to the best subsets; of equal ones to those of lower features.
    fn take(&mut self, scores: &BTreeMap<Vec<u32>, f64>, n_kept: usize) {
        let go_on = |beam: &[(Vec<u32>, f64)], sign: f64| {
            let mut sums: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
            for (subset, sum) in beam {
                for with in self.with(subset) {
                    let sum = sum + scores[&with];
                    let best = sums.entry(with).or_insert(sum);
                    if sign * sum > sign * *best {
                        *best = sum;
                    }
                }
            }
            let mut sums: Vec<(Vec<u32>, f64)> = sums.into_iter().collect();
            sums.sort_by(|(_, a), (_, b)| (sign * b).total_cmp(&(sign * a)));
            sums.truncate(n_kept);
            sums
        };
        let (least, largest) = (go_on(&self.least, -1.0), go_on(&self.largest, 1.0));
        (self.least, self.largest) = (least, largest);
    }

    fn limits(&self) -> Limits {
        Limits {
            least: self.least[0].1,
            largest: self.largest[0].1,
            of_subsets: Vec::new(),
        }
    }
}
