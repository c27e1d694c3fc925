//! Packing of runs, all at once or one at a time.

use std::sync::Arc;

use ndarray::ArrayView2;
use xai_core::number::{check_labels, labels_to_i64};
use xai_core::tensor::{Rows, check_shape};
use xai_core::{Error, Input, Label, Result};

use crate::packed::bit_planes::{
    Block, MAX_CLASSES_COUNTED_BY_PLANES, plane_bits, plane_bits_from, planes_for,
    with_more_planes, wrong_bits,
};
use crate::packed::class_tables::{Planes, TableSource, codes_of_planes, map_runs};
use crate::packed::classes::{Classes, PREFIX_SAMPLES, distinct, extremes};
use crate::packed::packed_runs::{PackedRuns, RunTotals};
use crate::pair_metric::definition::{PairMetric, PairNeeds};
use crate::{help, input};

/// Packs runs that arrive one at a time.
///
/// The result equals that of [`PackedRuns::new`], except that [`PackedRuns::classes`] may be in another order. No
/// metric depends on that order. Memory use is the packed runs plus the run that is being added.
///
/// ```
/// use xai_repro::{PackedRunsBuilder, metrics::PAIR_METRICS};
/// let mut builder = PackedRunsBuilder::new(PAIR_METRICS, &[0, 1, 1, 0])?;
/// builder.push(&[0u8, 1, 0, 1])?;
/// builder.push(&[0u8, 0, 0, 0])?;
/// assert_eq!(builder.build()?.n_runs(), 2);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PackedRunsBuilder {
    pub(super) packer: Packer,
    pub(super) labels: Vec<i64>,
}

/// The packed runs so far and the codes of their classes.
///
/// The true labels are passed to each call, so that [`PackedRuns::new`] need not copy them.
#[derive(Debug, Clone)]
pub(super) struct Packer {
    pub(super) needs: PairNeeds,
    pub(super) classes: Classes,
    pub(super) runs: Vec<PackedRun>,
}

#[derive(Debug, Clone)]
pub(super) struct PackedRun {
    pub(super) wrong: Vec<Block>,
    pub(super) n_wrong: u64,
    /// Bit planes of the class codes. There are as many as the classes known at the time of packing needed; later runs
    /// can add classes, and [`Packer::build`] then adds planes.
    pub(super) planes: Vec<Block>,
    pub(super) n_planes: usize,
    pub(super) class_counts: Vec<u64>,
}

impl PackedRuns {
    /// Packs `(k, n)` predictions and `(n,)` true labels for the given metrics.
    ///
    /// Only what these metrics need is stored. For [error metrics](crate::metrics::error_metrics) alone that is one
    /// bit per sample and run.
    ///
    /// # Errors
    /// `TooFew` for fewer than two runs, `Empty` without samples or metrics, `ShapeMismatch` if there is not exactly
    /// one label per sample, `OutOfDomain` for a true label above `i64::MAX`, `InvalidParameter` for a prediction above
    /// `i64::MAX`, or for 2³² samples or more if a metric needs class tables.
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
        let mut packer = Packer::new(metrics)?;
        check_labels(input::LABELS, labels.iter().copied())?;
        check_truth(input::LABELS, (k, n), labels.len())?;
        let rows = Rows::new(predictions);
        let runs: Vec<&[L]> = rows.iter().collect();
        packer.add(labels, &runs)?;
        packer.build(n)
    }

    /// Appends the runs of `other`, which must have been packed for the same samples, labels and metrics.
    ///
    /// The true labels are not stored and cannot be compared. A [`PackedRunsBuilder`] compares them, and its
    /// [`merge`](PackedRunsBuilder::merge) copies no runs, which this one does.
    ///
    /// # Errors
    /// `ShapeMismatch` for another number of samples, `InvalidParameter` if the runs were packed for metrics with other
    /// needs. `self` is unchanged then.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_repro::{PackedRuns, metrics::PAIR_METRICS};
    /// let labels = [0, 1, 1, 0];
    /// let pack = |runs: ndarray::Array2<i32>| PackedRuns::new(PAIR_METRICS, runs.view(), &labels);
    /// let mut packed = pack(array![[0, 1, 0, 1], [0, 0, 0, 0]])?;
    /// packed.merge(pack(array![[0, 1, 1, 1], [0, 2, 1, 0]])?)?;
    /// assert_eq!((packed.n_runs(), packed.classes()), (4, &[0, 1, 2][..]));
    /// # Ok::<(), xai_repro::Error>(())
    /// ```
    pub fn merge(&mut self, other: Self) -> Result<()> {
        let n = self.n_samples();
        check_shape(input::SAMPLES, &[n], &[other.n_samples()])?;
        self.needs.check_equal(other.needs)?;
        // Copied, so that `self` is unchanged if a parallel loop is stopped.
        let mut packer = Packer::from_packed(self.clone());
        packer.merge(Packer::from_packed(other), n);
        *self = packer.build(n)?;
        Ok(())
    }
}

/// Checks that there is one true value for each of the `n` samples of `k` runs.
///
/// # Errors
/// `ShapeMismatch`. If there is one true value per run instead, the help says that predictions may be transposed.
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
    /// Creates a builder without runs for `(n,)` true labels and the metrics that will be evaluated.
    ///
    /// # Errors
    /// `Empty` without metrics, `OutOfDomain` for a label above `i64::MAX`.
    pub fn new<M: Label>(metrics: &[PairMetric], labels: &[M]) -> Result<Self> {
        Ok(Self {
            packer: Packer::new(metrics)?,
            labels: labels_to_i64(input::LABELS, labels.iter().copied())?,
        })
    }

    /// Adds the `(n,)` predictions of one run.
    ///
    /// # Errors
    /// `ShapeMismatch` if there is not exactly one prediction per label, `InvalidParameter` for a prediction above
    /// `i64::MAX`. The builder is unchanged then.
    pub fn push<L: Label>(&mut self, predictions: &[L]) -> Result<()> {
        self.push_all(&[predictions])
    }

    /// Adds several runs and packs them in parallel.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_all<L: Label>(&mut self, runs: &[&[L]]) -> Result<()> {
        self.packer.add(&self.labels, runs)
    }

    /// Appends the runs of another builder, for example of another machine.
    ///
    /// # Errors
    /// `ShapeMismatch` or `InvalidParameter` for other true labels, `InvalidParameter` for metrics with other needs.
    /// The builder is unchanged then.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        let n = self.labels.len();
        check_shape(input::LABELS, &[n], &[other.labels.len()])?;
        if let Some(sample) = (0..n).find(|&sample| self.labels[sample] != other.labels[sample]) {
            let expected = format!("{}, as in the first builder", self.labels[sample]);
            let error = Error::parameter(input::LABELS, other.labels[sample], expected);
            return Err(error.at(&[sample]));
        }
        self.packer.needs.check_equal(other.packer.needs)?;
        self.packer.merge(other.packer, n);
        Ok(())
    }

    /// Returns the packed runs.
    ///
    /// # Errors
    /// `TooFew` for fewer than two runs, `Empty` without samples, `InvalidParameter` for 2³² samples or more if a
    /// metric needs class tables.
    pub fn build(self) -> Result<PackedRuns> {
        self.packer.build(self.labels.len())
    }
}

impl Packer {
    fn new(metrics: &[PairMetric]) -> Result<Self> {
        if metrics.is_empty() {
            return Err(Error::empty(input::METRICS));
        }
        Ok(Self {
            needs: PairNeeds::new(metrics),
            classes: Classes::default(),
            runs: Vec::new(),
        })
    }

    /// Takes packed runs apart, so that others can be appended.
    fn from_packed(packed: PackedRuns) -> Self {
        let mut classes = Classes::default();
        classes.extend(packed.labels);
        let n_planes = packed.planes.n_planes;
        // Both are empty if only errors are packed.
        let mut planes = packed.planes.runs.into_iter();
        let mut class_counts = packed.totals.class_counts.into_iter();
        let errors = Arc::unwrap_or_clone(packed.wrong)
            .into_iter()
            .zip(packed.totals.n_wrong);
        let runs = errors.map(|(wrong, n_wrong)| PackedRun {
            wrong,
            n_wrong,
            planes: planes.next().unwrap_or_default(),
            n_planes,
            class_counts: class_counts.next().unwrap_or_default(),
        });
        Self {
            needs: packed.needs,
            classes,
            runs: runs.collect(),
        }
    }

    /// Appends runs that were packed for the same `n` samples and metrics.
    fn merge(&mut self, mut other: Self, n: usize) {
        let mut classes = self.classes.clone();
        let mut labels = other.classes.labels().to_vec();
        labels.sort_unstable();
        classes.extend(labels);
        let code_of = |&label: &i64| classes.code(label).expect("every label was added");
        let codes: Vec<u32> = other.classes.labels().iter().map(code_of).collect();
        if !codes.iter().copied().eq(0..codes.len() as u32) {
            let recoded = map_runs(other.runs.len(), n, |run| {
                let run = &other.runs[run];
                let old_codes = codes_of_planes(&run.planes, run.n_planes, n, |code| code);
                plane_bits(&old_codes, classes.len(), |code| codes[code as usize])
            });
            for (run, (planes, class_counts)) in other.runs.iter_mut().zip(recoded) {
                run.planes = planes;
                run.n_planes = planes_for(classes.len());
                run.class_counts = class_counts;
            }
        }
        self.classes = classes;
        self.runs.append(&mut other.runs);
    }

    /// Packs `runs` and appends them. On an error nothing is changed.
    fn add<L: Label, M: Label>(&mut self, labels: &[M], runs: &[&[L]]) -> Result<()> {
        let first = self.runs.len();
        let n = labels.len();
        if let Some(run) = runs.iter().position(|run| run.len() != n) {
            let error = Error::shape(input::PREDICTIONS, &[n], &[runs[run].len()]);
            return Err(error.owner(format!("run {}", first + run)));
        }
        let packed = match self.pack_in_one_pass(labels, runs) {
            Some(packed) => packed,
            None => {
                // Two passes: the first finds all classes, or the label that does not fit into `i64`.
                let extremes_by_run =
                    map_runs(runs.len(), n, |run| extremes(first + run, runs[run]));
                let extremes: Vec<_> = extremes_by_run.into_iter().collect::<Result<_>>()?;
                if self.needs.classes() {
                    self.learn_classes(runs, &extremes);
                }
                self.pack_all(labels, runs)
                    .expect("every label has a code after the first pass")
            }
        };
        self.runs.extend(packed);
        Ok(())
    }

    /// Packs runs in one pass if the first [`PREFIX_SAMPLES`] samples of the runs show all classes and these are at
    /// most [`MAX_CLASSES_COUNTED_BY_PLANES`] consecutive integers, as in most data, or if only errors are packed.
    /// `None` otherwise, without any change.
    ///
    /// The prefix may also be the whole run; gaps between the labels and their number do not matter then, unless too
    /// many classes were known before.
    fn pack_in_one_pass<L: Label, M: Label>(
        &mut self,
        labels: &[M],
        runs: &[&[L]],
    ) -> Option<Vec<PackedRun>> {
        if !self.needs.classes() {
            let fits = |run: &&[L]| run.iter().all(|label| label.to_i64().is_some());
            let all_fit = runs.iter().all(fits);
            // Only errors are packed, so there are no classes to find. A label that does not fit is reported by the
            // slow path.
            return if all_fit {
                self.pack_all(labels, runs)
            } else {
                None
            };
        }
        if self.classes.len() > MAX_CLASSES_COUNTED_BY_PLANES {
            return None;
        }
        let before = self.classes.clone();
        let prefixes: Vec<&[L]> = runs
            .iter()
            .map(|run| &run[..run.len().min(PREFIX_SAMPLES)])
            .collect();
        let extremes: Result<Vec<_>> = prefixes.iter().map(|prefix| extremes(0, prefix)).collect();
        self.learn_classes(&prefixes, &extremes.ok()?);
        let packed = if self.low().is_some() || labels.len() <= PREFIX_SAMPLES {
            self.pack_all(labels, runs)
        } else {
            None
        };
        // A gap, or a class beyond the prefixes. Forget the new codes, because the slow path assigns them in ascending
        // order.
        if packed.is_none() {
            self.classes = before;
        }
        packed
    }

    /// The smallest label, if every code is `label − low` and the classes are few enough to be counted in the bit
    /// planes.
    fn low(&self) -> Option<i64> {
        let few = self.classes.len() <= MAX_CLASSES_COUNTED_BY_PLANES;
        self.classes.first_of_consecutive().filter(|_| few)
    }

    /// Assigns codes to the labels of `runs` that have none yet.
    fn learn_classes<L: Label>(&mut self, runs: &[&[L]], extremes: &[Option<(i64, i64)>]) {
        let n = runs.first().map_or(0, |run| run.len());
        // Scanning a run for its labels is the expensive step. It is skipped for runs whose extremes lie in a gapless
        // range of known labels; usually the first run alone shows all classes.
        let mut known = self.classes.clone();
        if let ([], Some(run), Some(Some(extremes))) =
            (known.labels(), runs.first(), extremes.first())
        {
            known.extend(distinct(run, *extremes));
        }
        let labels_of_runs = map_runs(runs.len(), n, |run| match extremes[run] {
            Some(extremes) if !known.covers(extremes) => distinct(runs[run], extremes),
            _ => Vec::new(),
        });
        // Sorted before the codes are assigned, so that they do not depend on which run shows a label first.
        let mut present = [known.labels().to_vec(), labels_of_runs.concat()].concat();
        present.sort_unstable();
        present.dedup();
        self.classes.extend(present);
    }

    /// Packs `runs` with the current codes; `None` if a label has no code.
    fn pack_all<L: Label, M: Label>(&self, labels: &[M], runs: &[&[L]]) -> Option<Vec<PackedRun>> {
        let packed = map_runs(runs.len(), labels.len(), |run| self.pack(labels, runs[run]));
        packed.into_iter().collect()
    }

    fn pack<L: Label, M: Label>(&self, labels: &[M], predictions: &[L]) -> Option<PackedRun> {
        let wrong = wrong_bits(predictions, labels);
        let n_classes = self.classes.len();
        let (planes, class_counts) = if self.needs.classes() {
            // The defaults below are never used: if `low` is `None`, all labels of the run have codes. Fastest way
            // first.
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
            n_wrong: wrong.iter().map(Block::count_ones).sum(),
            wrong,
            planes,
            n_planes: planes_for(n_classes),
            class_counts,
        })
    }

    pub(super) fn build(self, n_samples: usize) -> Result<PackedRuns> {
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
        let (mut wrong, mut planes_by_run) = (Vec::with_capacity(self.runs.len()), Vec::new());
        for mut run in self.runs {
            wrong.push(run.wrong);
            totals.n_wrong.push(run.n_wrong);
            if self.needs.classes() {
                // Later runs may have added classes; codes never change, so earlier runs only need zeros for these.
                run.class_counts.resize(n_classes, 0);
                totals.class_counts.push(run.class_counts);
                planes_by_run.push(if run.n_planes == n_planes {
                    run.planes
                } else {
                    with_more_planes(&run.planes, run.n_planes, n_planes, n_blocks)
                });
            }
        }
        let planes = Planes {
            n_planes,
            runs: planes_by_run,
            n_samples,
        };
        Ok(PackedRuns {
            totals,
            needs: self.needs,
            wrong: Arc::new(wrong),
            tables: if self.needs.tables {
                planes.table_source(n_classes)
            } else {
                TableSource::None
            },
            labels: self.classes.labels().to_vec(),
            planes,
        })
    }
}
