//! The best and the worst order in which the features of a sample can be removed.

use std::collections::BTreeMap;

use xai_core::{Real, Result};

use crate::batch::{BatchWork, Dataset, SampleBatch};
use crate::perturbation::{Baseline, BaselineInputs, BaselineRows, FeatureCells, Features};

/// Batch work that finds the smallest and the largest sum of scores over all orders of removal, for every sample.
///
/// It does not depend on the map, so all explainers share it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OrderLimits {
    pub(crate) features: Features,
    pub(crate) baseline: Baseline,
    /// Largest number of features for which the model is run on every subset; above it a beam search is used.
    pub(crate) exact_up_to: usize,
    /// Number of subsets per size that a beam keeps.
    pub(crate) beam: usize,
}

/// Smallest and largest sum over orders of the scores without the first `1, 2, …, F − 1` features.
///
/// The scores without any removal and with everything removed are the same for all orders and not part of the sums.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Limits {
    pub(crate) least: f64,
    pub(crate) largest: f64,
    /// Score after the removal of each subset, indexed by the subset's bits; empty after a beam search. The entries of
    /// the empty and the full set are placeholders (0).
    subset_scores: Vec<f64>,
}

impl Limits {
    /// Returns the sum along an order if the scores of all subsets are known, otherwise `None`.
    ///
    /// It adds in the same sequence as the search, so the best order has exactly the sum of the limit, and normalized
    /// values cannot leave [0, 1] by rounding.
    pub(crate) fn along(&self, order: &[u32]) -> Option<f64> {
        if self.subset_scores.is_empty() {
            return None;
        }
        let (mut removed, mut sum) = (0usize, 0.0);
        for feature in &order[..order.len().saturating_sub(1)] {
            removed |= 1 << feature;
            sum += self.subset_scores[removed];
        }
        Some(sum)
    }
}

impl OrderLimits {
    /// Returns `true` if the model is run on every subset of features.
    pub(crate) fn is_exact<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<bool> {
        Ok(self.features.max_count(dataset)? <= self.exact_up_to)
    }

    /// Number of rows that the model sees in an exact search.
    pub(crate) fn exact_rows<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<u64> {
        let counts = self.features.counts(dataset)?;
        Ok(counts.iter().map(|&count| subsets_between(count)).sum())
    }

    /// Computes the scores of `n_rows` rows: row `r` is sample `sample_of(r)` without the features that
    /// `removed(r, …)` lists.
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
        let run_positions = batch.dataset().positions();
        batch.score_changed(
            n_rows,
            &sample_of,
            |row, values| {
                let sample = sample_of(row);
                let blank = blank.row(sample);
                removed(row, &mut |feature| {
                    for &position in cells.for_sample(sample).positions(feature as usize) {
                        run_positions.copy(values, blank, position as usize);
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
        // All subsets of all samples are one sequence of rows, so that batches of the model are full also for few
        // features. `starts` has the first row of each sample; its last element is the number of rows.
        let mut starts = vec![0];
        for &count in &counts {
            starts.push(starts[starts.len() - 1] + subsets_between(count) as usize);
        }
        let sample_of = |row: usize| starts.partition_point(|&start| start <= row) - 1;
        let removed = |row: usize, remove: &mut dyn FnMut(u32)| {
            // The rows of a sample are the subsets 1, 2, …, 2^n − 2 as bits: without the empty and the full set.
            let bits = row - starts[sample_of(row)] + 1;
            (0..usize::BITS)
                .filter(|feature| bits >> feature & 1 == 1)
                .for_each(remove);
        };
        let n_rows = starts[counts.len()];
        let scores = self.scores(batch, n_rows, sample_of, removed)?;
        let limits = counts.iter().enumerate().map(|(sample, &n)| {
            let mut subset_scores = vec![0.0; 1 << n];
            let own = &scores[starts[sample]..starts[sample + 1]];
            subset_scores[1..=own.len()].copy_from_slice(own);
            let least = best_path(&subset_scores, n, f64::min);
            let largest = best_path(&subset_scores, n, f64::max);
            Limits {
                least,
                largest,
                subset_scores,
            }
        });
        Ok(limits.collect())
    }

    fn by_beams<T: Real>(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<Limits>> {
        let cells = batch.shared(&self.features)?;
        let mut beams: Vec<Beams> = (0..batch.n_samples())
            .map(|sample| Beams::new(cells.for_sample(sample).n_cells() as u32))
            .collect();
        // The beams of all samples grow in step, so that the subsets of one size of all samples go to the model
        // together.
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
            let mut scores_by_sample: Vec<BTreeMap<Vec<u32>, f64>> =
                vec![BTreeMap::new(); beams.len()];
            for ((sample, subset), score) in removed.into_iter().zip(scores) {
                scores_by_sample[sample].insert(subset, score);
            }
            for (beams, scores) in beams.iter_mut().zip(&scores_by_sample) {
                // Samples with fewer features are finished earlier and keep the beams of their last size.
                if !scores.is_empty() {
                    beams.advance(scores, self.beam);
                }
            }
        }
        Ok(beams.iter().map(Beams::limits).collect())
    }
}

impl<T: Real> BatchWork<T> for OrderLimits {
    type Output = Vec<Limits>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<Limits>> {
        if self.is_exact(batch.dataset())? {
            self.exact(batch)
        } else {
            self.by_beams(batch)
        }
    }
}

/// Number of subsets of `n` features except the empty and the full set.
fn subsets_between(n: usize) -> u64 {
    (1u64 << n).saturating_sub(2)
}

/// Best sum of subset scores over all orders of `n` features, which are paths from the empty to the full set.
///
/// Dynamic programming over subsets takes `n 2^n` steps where there are `n!` orders.
fn best_path(subset_scores: &[f64], n: usize, better: fn(f64, f64) -> f64) -> f64 {
    let best_before = |best: &[f64], bits: usize| {
        let last_removed = (0..n).filter(|feature| bits >> feature & 1 == 1);
        last_removed
            .map(|feature| best[bits & !(1 << feature)])
            .reduce(better)
            .unwrap_or_default()
    };
    let mut best = vec![0.0; subset_scores.len()];
    let all = subset_scores.len() - 1;
    // A subset without one of its features is a smaller number, so its best sum is known already.
    for bits in 1..all {
        best[bits] = best_before(&best, bits) + subset_scores[bits];
    }
    best_before(&best, all)
}

/// The two beams of a sample: subsets of one size, as ascending features, each with the best sum of a path to it.
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

    /// Returns the subsets with one more feature than `subset`.
    fn extensions(&self, subset: &[u32]) -> impl Iterator<Item = Vec<u32>> {
        let others = (0..self.n_features).filter(|feature| subset.binary_search(feature).is_err());
        others.map(|feature| {
            let mut extended = subset.to_vec();
            let index = extended.partition_point(|&other| other < feature);
            // Kept ascending, so that a subset that is reached in several orders is a single key.
            extended.insert(index, feature);
            extended
        })
    }

    /// Returns the extensions of both beams, each subset once.
    fn next(&self) -> Vec<Vec<u32>> {
        let kept = self.least.iter().chain(&self.largest);
        let mut next: Vec<Vec<u32>> = kept
            .flat_map(|(subset, _)| self.extensions(subset))
            .collect();
        next.sort_unstable();
        next.dedup();
        next
    }

    /// Replaces both beams by their best extensions, given the scores of all extensions.
    fn advance(&mut self, scores: &BTreeMap<Vec<u32>, f64>, n_kept: usize) {
        let extended = |beam: &[(Vec<u32>, f64)], sign: f64| {
            let mut sums: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
            for (subset, sum) in beam {
                for extended in self.extensions(subset) {
                    let sum = sum + scores[&extended];
                    let best = sums.entry(extended).or_insert(sum);
                    if sign * sum > sign * *best {
                        *best = sum;
                    }
                }
            }
            // The map is in lexicographic order and the sort is stable, so that ties go to the lower features whatever
            // the order in which subsets were found.
            let mut best: Vec<(Vec<u32>, f64)> = sums.into_iter().collect();
            best.sort_by(|(_, a), (_, b)| (sign * b).total_cmp(&(sign * a)));
            best.truncate(n_kept);
            best
        };
        let (least, largest) = (extended(&self.least, -1.0), extended(&self.largest, 1.0));
        (self.least, self.largest) = (least, largest);
    }

    fn limits(&self) -> Limits {
        Limits {
            least: self.least[0].1,
            largest: self.largest[0].1,
            subset_scores: Vec::new(),
        }
    }
}
