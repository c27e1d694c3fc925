//! Packing runs.

use std::sync::Arc;

use ndarray::ArrayView2;
use xai_core::number::{check_labels, labels_to_i64};
use xai_core::tensor::{Rows, check_shape};
use xai_core::{Error, Input, Label, Result};

use crate::packed::bit_planes::{
    Block, MOST_CLASSES_BY_PLANES, plane_bits, plane_bits_from, planes_for, with_more_planes,
    wrong_bits,
};
use crate::packed::class_tables::{Planes, TableSource, map_runs};
use crate::packed::classes::{Classes, LOOKED_AT, distinct, extremes};
use crate::packed::packed_runs::{PackedRuns, RunTotals};
use crate::pair_metric::definition::{PairMetric, PairNeeds};
use crate::{help, input};

/// Packs runs that come one at a time.
///
/// The result is that of [`PackedRuns::new`], up to the order of [`PackedRuns::classes`], which
/// nothing else depends on. Memory is that of what is packed, plus one run.
///
/// ```
/// use xai_repro::{PackedRunsBuilder, registry::PAIR_METRICS};
/// let mut packing = PackedRunsBuilder::new(PAIR_METRICS, &[0, 1, 1, 0])?;
/// packing.push(&[0u8, 1, 0, 1])?;
/// packing.push(&[0u8, 0, 0, 0])?;
/// assert_eq!(packing.build()?.n_runs(), 2);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PackedRunsBuilder {
    packing: Packing,
    labels: Vec<i64>,
}

/// Runs that are packed, and what is known of their classes. The true labels stay where they are, without a copy.
#[derive(Debug, Clone)]
struct Packing {
    needs: PairNeeds,
    classes: Classes,
    runs: Vec<PackedRun>,
}

/// One run, packed.
#[derive(Debug, Clone)]
struct PackedRun {
    wrong: Vec<Block>,
    n_wrong: u64,
    /// Of as many planes as the classes that were known then needed.
    planes: Vec<Block>,
    n_planes: usize,
    class_counts: Vec<u64>,
}

impl PackedRuns {
    /// Packs `(k, n)` predictions and `(n,)` true labels, no more than these metrics need: for
    /// [error metrics](crate::registry::error_metrics) alone that is one bit per sample and run.
    ///
    /// # Errors
    /// `TooFew` below two runs, `Empty` without samples or metrics, `ShapeMismatch` when there is not one
    /// label per sample, `OutOfDomain` for a true label above `i64::MAX`, `InvalidParameter` for such a
    /// prediction or for 2³² samples or more where a metric needs class tables.
    pub fn new<L: Label, M: Label>(
        metrics: &[PairMetric],
        predictions: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<Self> {
        let (k, n) = predictions.dim();
        if k < 2 {
            return Err(Error::too_few(input::RUNS, 2, k));
        }
        if n == 0 {
            return Err(Error::empty(input::SAMPLES));
        }
        let mut packing = Packing::new(metrics)?;
        check_labels(input::LABELS, labels.iter().copied())?;
        check_truth(input::LABELS, (k, n), labels.len())?;
        let rows = Rows::new(predictions);
        let runs: Vec<&[L]> = rows.iter().collect();
        packing.add(labels, &runs)?;
        packing.build(n)
    }
}

/// Checks that there is one true value for each of the `n` samples of `k` runs.
///
/// # Errors
/// `ShapeMismatch`, which says so where rows and columns look exchanged.
pub(crate) fn check_truth(input: Input, (k, n): (usize, usize), n_true: usize) -> Result<()> {
    check_shape(input, &[n], &[n_true]).map_err(|error| {
        if n_true == k {
            error.with_help(help::RUNS_IN_ROWS)
        } else {
            error
        }
    })
}

impl PackedRunsBuilder {
    /// Starts with the true labels and the metrics that will be asked for.
    ///
    /// # Errors
    /// `Empty` without metrics, `OutOfDomain` for a label above `i64::MAX`.
    pub fn new<M: Label>(metrics: &[PairMetric], labels: &[M]) -> Result<Self> {
        Ok(Self {
            packing: Packing::new(metrics)?,
            labels: labels_to_i64(input::LABELS, labels.iter().copied())?,
        })
    }

    /// Adds a run's `(n,)` predictions.
    ///
    /// # Errors
    /// `ShapeMismatch` when there is not one prediction per label, `InvalidParameter` for a label above
    /// `i64::MAX`; the packing is unchanged then.
    pub fn push<L: Label>(&mut self, predictions: &[L]) -> Result<()> {
        self.push_all(&[predictions])
    }

    /// Adds several runs, packed in parallel.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_all<L: Label>(&mut self, runs: &[&[L]]) -> Result<()> {
        self.packing.add(&self.labels, runs)
    }

    /// The packed runs.
    ///
    /// # Errors
    /// `TooFew` below two runs, `Empty` without samples, `InvalidParameter` for 2³² samples or more where a
    /// metric needs class tables.
    pub fn build(self) -> Result<PackedRuns> {
        self.packing.build(self.labels.len())
    }
}

impl Packing {
    fn new(metrics: &[PairMetric]) -> Result<Self> {
        if metrics.is_empty() {
            return Err(Error::empty(input::METRICS));
        }
        Ok(Self {
            needs: PairNeeds::of(metrics),
            classes: Classes::default(),
            runs: Vec::new(),
        })
    }

    /// Packs some runs; unchanged where that fails.
    fn add<L: Label, M: Label>(&mut self, labels: &[M], runs: &[&[L]]) -> Result<()> {
        let first = self.runs.len();
        let n = labels.len();
        if let Some(run) = runs.iter().position(|run| run.len() != n) {
            let error = Error::shape(input::PREDICTIONS, &[n], &[runs[run].len()]);
            return Err(error.owner(format!("run {}", first + run)));
        }
        let packed = match self.pack_at_once(labels, runs) {
            Some(packed) => packed,
            None => {
                let extremes = map_runs(runs.len(), n, |run| extremes(first + run, runs[run]));
                let extremes: Vec<_> = extremes.into_iter().collect::<Result<_>>()?;
                if self.needs.classes() {
                    self.learn_classes(runs, &extremes);
                }
                self.pack_all(labels, runs).expect("codes of all labels")
            }
        };
        self.runs.extend(packed);
        Ok(())
    }

    /// Packs runs in one pass, where the first samples of each already show all classes, and these are consecutive
    /// labels or no samples are left: most runs are like that. `None` otherwise: all samples are looked at first then.
    fn pack_at_once<L: Label, M: Label>(
        &mut self,
        labels: &[M],
        runs: &[&[L]],
    ) -> Option<Vec<PackedRun>> {
        if !self.needs.classes() {
            let fits = |run: &&[L]| run.iter().all(|label| label.to_i64().is_some());
            let all_fit = runs.iter().all(fits);
            return all_fit.then(|| self.pack_all(labels, runs)).flatten();
        }
        if self.classes.len() > MOST_CLASSES_BY_PLANES {
            return None;
        }
        let before = self.classes.clone();
        let looks: Vec<&[L]> = runs
            .iter()
            .map(|run| &run[..run.len().min(LOOKED_AT)])
            .collect();
        let extremes: Result<Vec<_>> = looks.iter().map(|look| extremes(0, look)).collect();
        self.learn_classes(&looks, &extremes.ok()?);
        let packed = match self.low().is_some() || labels.len() <= LOOKED_AT {
            true => self.pack_all(labels, runs),
            false => None,
        };
        if packed.is_none() {
            self.classes = before;
        }
        packed
    }

    /// The first label, where codes are what labels are above it and classes are few.
    fn low(&self) -> Option<i64> {
        let few = self.classes.len() <= MOST_CLASSES_BY_PLANES;
        self.classes.first_of_consecutive().filter(|_| few)
    }

    /// Gives codes to the labels of runs that have none yet.
    fn learn_classes<L: Label>(&mut self, runs: &[&[L]], extremes: &[Option<(i64, i64)>]) {
        let n = runs.first().map_or(0, |run| run.len());
        // A run within labels that are known, without gaps, has no new ones.
        let mut known = self.classes.clone();
        if let ([], Some(run), Some(Some(extremes))) =
            (known.labels(), runs.first(), extremes.first())
        {
            known.extend(distinct(run, *extremes));
        }
        let new = map_runs(runs.len(), n, |run| match extremes[run] {
            Some(extremes) if !known.covers(extremes) => distinct(runs[run], extremes),
            _ => Vec::new(),
        });
        let mut present = [known.labels().to_vec(), new.concat()].concat();
        present.sort_unstable();
        present.dedup();
        self.classes.extend(present);
    }

    /// `None` where a label has no code; of labels that were learned all have one.
    fn pack_all<L: Label, M: Label>(&self, labels: &[M], runs: &[&[L]]) -> Option<Vec<PackedRun>> {
        let packed = map_runs(runs.len(), labels.len(), |run| self.pack(labels, runs[run]));
        packed.into_iter().collect()
    }

    fn pack<L: Label, M: Label>(&self, labels: &[M], predictions: &[L]) -> Option<PackedRun> {
        let wrong = wrong_bits(predictions, labels);
        let n_classes = self.classes.len();
        let (planes, class_counts) = if self.needs.classes() {
            // Every label of the run was given a code before.
            let value = |label: L| label.to_i64().unwrap_or_default();
            match (self.low(), self.classes.table()) {
                (Some(low), _) => plane_bits_from(predictions, low, n_classes)?,
                (None, Some((low, codes))) => plane_bits(predictions, n_classes, |label| {
                    codes[value(label).abs_diff(low) as usize]
                }),
                (None, None) => plane_bits(predictions, n_classes, |label| {
                    self.classes.code(value(label)).unwrap_or_default()
                }),
            }
        } else {
            (Vec::new(), Vec::new())
        };
        Some(PackedRun {
            n_wrong: wrong.iter().map(Block::len).sum(),
            wrong,
            planes,
            n_planes: planes_for(n_classes),
            class_counts,
        })
    }

    fn build(self, n_samples: usize) -> Result<PackedRuns> {
        if self.runs.len() < 2 {
            return Err(Error::too_few(input::RUNS, 2, self.runs.len()));
        }
        if n_samples == 0 {
            return Err(Error::empty(input::SAMPLES));
        }
        if self.needs.tables && u32::try_from(n_samples).is_err() {
            let expected = "fewer than 2^32 at once for class tables";
            let error = Error::parameter(input::SAMPLES, n_samples, expected);
            return Err(error.with_help(help::UPDATE_IN_BLOCKS));
        }
        let n_classes = self.classes.len();
        let n_planes = planes_for(n_classes);
        let n_blocks = n_samples.div_ceil(Block::SAMPLES);
        let mut totals = RunTotals {
            n_samples: n_samples as u64,
            ..RunTotals::default()
        };
        let (mut wrong, mut of_runs) = (Vec::with_capacity(self.runs.len()), Vec::new());
        for mut run in self.runs {
            wrong.push(run.wrong);
            totals.n_wrong.push(run.n_wrong);
            if self.needs.classes() {
                run.class_counts.resize(n_classes, 0);
                totals.class_counts.push(run.class_counts);
                of_runs.push(if run.n_planes == n_planes {
                    run.planes
                } else {
                    with_more_planes(&run.planes, run.n_planes, n_planes, n_blocks)
                });
            }
        }
        let planes = Planes {
            n_planes,
            of_runs,
            n_samples,
        };
        Ok(PackedRuns {
            totals,
            needs: self.needs,
            wrong: Arc::new(wrong),
            tables: match self.needs.tables {
                true => planes.table_source(n_classes),
                false => TableSource::None,
            },
            labels: self.classes.labels().to_vec(),
            planes,
        })
    }
}
