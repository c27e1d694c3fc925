//! Every metric on every pair of runs.

use ndarray::ArrayView2;
use xai_core::{Error, ExactSum, Interval, Label, Result, Summary, jackknife, parallel};

use crate::bits::{BitSet, equal_count};
use crate::contingency::{cohens_kappa, cramers_v_of};
use crate::{EmptyUnion, ErrorSets, PairMetric};

/// The pairwise metrics of `k` runs over `n` samples.
///
/// Pairs are in the order (0, 1), (0, 2), …, (1, 2), …. See the [crate's page](crate) for an
/// example.
#[derive(Debug, Clone, PartialEq)]
pub struct PairwiseReproducibility {
    errors: ErrorSets,
    empty_union: EmptyUnion,
    /// By metric, in the order of [`PairMetric::ALL`]; empty for a metric not asked for.
    values: Vec<Vec<Option<f64>>>,
}

/// The choices of [`PairwiseReproducibility`].
#[derive(Debug, Clone, PartialEq)]
pub struct PairwiseReproducibilityBuilder {
    metrics: Vec<PairMetric>,
    empty_union: EmptyUnion,
}

impl PairwiseReproducibilityBuilder {
    /// Only these metrics; all by default.
    #[must_use]
    pub fn metrics(mut self, metrics: &[PairMetric]) -> Self {
        self.metrics = metrics.to_vec();
        self
    }

    /// What the local error consistency of two runs without errors is.
    #[must_use]
    pub fn empty_union(mut self, empty_union: EmptyUnion) -> Self {
        self.empty_union = empty_union;
        self
    }

    /// Takes the metrics of `(k, n)` predictions and `(n,)` true labels.
    ///
    /// # Errors
    /// [`Error::TooFew`] below two runs, [`Error::Empty`] without samples or metrics,
    /// [`Error::ShapeMismatch`] when there is not one label a sample, [`Error::OutOfDomain`] for a
    /// label above `i64::MAX`, or for a pair without errors under [`EmptyUnion::Error`].
    pub fn from_predictions<L: Label, M: Label>(
        &self,
        predictions: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<PairwiseReproducibility> {
        let (k, n) = predictions.dim();
        if k < 2 {
            return Err(Error::too_few("runs", 2, k));
        }
        if n == 0 {
            return Err(Error::empty("samples"));
        }
        if labels.len() != n {
            return Err(Error::shape("labels", &[n], &[labels.len()]));
        }
        if self.metrics.is_empty() {
            return Err(Error::empty("metrics"));
        }
        let labels = xai_core::labels_to_i64("labels", labels.iter().copied())?;
        if let Some(((run, sample), label)) = predictions
            .indexed_iter()
            .find(|(_, label)| label.to_i64().is_none())
        {
            return Err(Error::parameter(
                format!("predictions[{run}, {sample}]"),
                format!("{label:?}"),
                "a label of at most 2^63 - 1",
            ));
        }
        let predictions = predictions.as_standard_layout();
        let rows: Vec<&[L]> = predictions
            .as_slice()
            .unwrap_or_default()
            .chunks_exact(n)
            .collect();
        let sets = parallel::map(k, |run| {
            let row = rows[run];
            BitSet::from_fn(n, |sample| row[sample].to_i64() != Some(labels[sample]))
        });
        let errors = ErrorSets::new(n, sets);
        let wanted = |metric| self.metrics.contains(&metric);
        let coded = [
            PairMetric::PaAcc,
            PairMetric::PaKappa,
            PairMetric::PaCramersV,
        ]
        .into_iter()
        .any(wanted)
        .then(|| CodedRuns::new(&rows, wanted(PairMetric::PaCramersV)));
        let pairs: Vec<(usize, usize)> = (0..k)
            .flat_map(|i| (i + 1..k).map(move |j| (i, j)))
            .collect();
        let rows_of_values = parallel::try_map(pairs.len(), |pair| {
            let (i, j) = pairs[pair];
            self.of_pair(i, j, &errors, coded.as_ref())
        })?;
        let values = PairMetric::ALL
            .into_iter()
            .enumerate()
            .map(|(m, metric)| match wanted(metric) {
                true => rows_of_values.iter().map(|row| row[m]).collect(),
                false => Vec::new(),
            })
            .collect();
        Ok(PairwiseReproducibility {
            errors,
            empty_union: self.empty_union,
            values,
        })
    }

    /// The wanted metrics of one pair, in the order of [`PairMetric::ALL`].
    fn of_pair(
        &self,
        i: usize,
        j: usize,
        errors: &ErrorSets,
        coded: Option<&CodedRuns>,
    ) -> Result<[Option<f64>; 7]> {
        let table = errors.table(i, j);
        let local = match (table.local_consistency(), self.empty_union) {
            (Some(value), _) => Some(value),
            (None, EmptyUnion::Undefined | EmptyUnion::Drop) => None,
            (None, EmptyUnion::Zero) => Some(0.0),
            (None, EmptyUnion::One) => Some(1.0),
            (None, EmptyUnion::Error) if !self.metrics.contains(&PairMetric::EcLocal) => None,
            (None, EmptyUnion::Error) => {
                return Err(Error::out_of_domain(
                    "errors of the pair of runs",
                    &[i, j],
                    0.0,
                    "at least one error in either run; choose another EmptyUnion policy",
                ));
            }
        };
        let mut values = [
            local,
            Some(table.global_consistency()),
            Some(table.accuracy()),
            table.correlation(),
            None,
            None,
            None,
        ];
        if let Some(coded) = coded {
            let equal = coded.equal(i, j);
            #[allow(clippy::cast_precision_loss)] // counts below 2^53
            {
                values[4] = Some(equal as f64 / table.n_samples as f64);
            }
            values[5] = cohens_kappa(
                table.n_samples,
                equal,
                &coded.class_counts[i],
                &coded.class_counts[j],
            );
            if self.metrics.contains(&PairMetric::PaCramersV) {
                values[6] = coded.cramers_v(i, j);
            }
        }
        Ok(values)
    }
}

/// Predictions as dense codes, in the narrowest integer.
enum Codes {
    Bytes(Vec<Vec<u8>>),
    Words(Vec<Vec<u32>>),
}

/// Labels that span less than this are coded through a table; others by bisection.
const WIDEST_TABLE: i64 = 1 << 16;

/// Dense codes for the labels that occur, in ascending order.
struct Classes<L> {
    /// The labels, where they span too much for a table.
    sorted: Vec<L>,
    /// The smallest label, and the code of each from there on.
    table: Option<(i64, Vec<u32>)>,
    n_classes: usize,
}

impl<L: Label> Classes<L> {
    fn of(rows: &[&[L]]) -> Self {
        let spans = parallel::map(rows.len(), |run| {
            let labels = rows[run].iter().filter_map(|label| label.to_i64());
            labels.fold((i64::MAX, i64::MIN), |(low, high), x| {
                (low.min(x), high.max(x))
            })
        });
        let low = spans.iter().map(|span| span.0).min().unwrap_or_default();
        let high = spans.iter().map(|span| span.1).max().unwrap_or_default();
        match high.checked_sub(low).filter(|span| *span < WIDEST_TABLE) {
            Some(span) => Self::tabulated(rows, low, usize::try_from(span).unwrap_or_default() + 1),
            None => Self::bisected(rows),
        }
    }

    fn tabulated(rows: &[&[L]], low: i64, width: usize) -> Self {
        let present = parallel::map(rows.len(), |run| {
            let mut present = vec![false; width];
            for &label in rows[run] {
                present[place(label, low)] = true;
            }
            present
        });
        let mut n_classes = 0;
        let codes = (0..width)
            .map(|at| {
                let code = n_classes;
                n_classes += u32::from(present.iter().any(|run| run[at]));
                code
            })
            .collect();
        Self {
            sorted: Vec::new(),
            table: Some((low, codes)),
            n_classes: n_classes as usize,
        }
    }

    fn bisected(rows: &[&[L]]) -> Self {
        let present = parallel::map(rows.len(), |run| {
            let mut present = rows[run].to_vec();
            present.sort_unstable();
            present.dedup();
            present
        });
        let mut sorted = present.concat();
        sorted.sort_unstable();
        sorted.dedup();
        Self {
            n_classes: sorted.len(),
            sorted,
            table: None,
        }
    }

    /// The code of a label that occurs.
    fn code(&self, label: L) -> u32 {
        match &self.table {
            Some((low, codes)) => codes[place(label, *low)],
            #[allow(clippy::cast_possible_truncation)] // fewer classes than samples
            None => self.sorted.binary_search(&label).unwrap_or_default() as u32,
        }
    }
}

/// Where a label stands in a table that begins at `low`; all labels fit `i64`, as was checked.
fn place<L: Label>(label: L, low: i64) -> usize {
    label
        .to_i64()
        .and_then(|x| usize::try_from(x - low).ok())
        .unwrap_or_default()
}

/// The runs' predictions, prepared for pairs.
struct CodedRuns {
    codes: Codes,
    n_classes: usize,
    class_counts: Vec<Vec<u64>>,
    /// The samples of each class of each run, for few classes.
    class_sets: Option<Vec<Vec<BitSet>>>,
}

/// Up to this many classes a pair's table comes from AND-popcounts of class sets, above it from a
/// histogram: the first costs `c²/64` words a sample, the second a store a sample.
const MOST_CLASSES_AS_SETS: usize = 12;

/// Up to this many classes a histogram is a full square; above it pairs of codes are sorted.
const MOST_CLASSES_AS_SQUARE: usize = 256;

impl CodedRuns {
    fn new<L: Label>(rows: &[&[L]], with_tables: bool) -> Self {
        let classes = Classes::of(rows);
        let n_classes = classes.n_classes;
        let words = parallel::map(rows.len(), |run| {
            rows[run]
                .iter()
                .map(|&label| classes.code(label))
                .collect::<Vec<u32>>()
        });
        let class_counts = words
            .iter()
            .map(|run| {
                let mut counts = vec![0; n_classes];
                for &class in run {
                    counts[class as usize] += 1;
                }
                counts
            })
            .collect();
        let class_sets = (with_tables && n_classes <= MOST_CLASSES_AS_SETS).then(|| {
            parallel::map(words.len(), |run| {
                let of_class = |class| {
                    BitSet::from_fn(words[run].len(), |sample| {
                        words[run][sample] as usize == class
                    })
                };
                (0..n_classes).map(of_class).collect()
            })
        });
        let codes = if n_classes <= 256 {
            #[allow(clippy::cast_possible_truncation)]
            Codes::Bytes(
                words
                    .into_iter()
                    .map(|run| run.into_iter().map(|c| c as u8).collect())
                    .collect(),
            )
        } else {
            Codes::Words(words)
        };
        Self {
            codes,
            n_classes,
            class_counts,
            class_sets,
        }
    }

    /// How many samples two runs predict alike.
    fn equal(&self, i: usize, j: usize) -> u64 {
        match &self.codes {
            Codes::Bytes(runs) => equal_count(&runs[i], &runs[j]),
            Codes::Words(runs) => equal_count(&runs[i], &runs[j]),
        }
    }

    fn cramers_v(&self, i: usize, j: usize) -> Option<f64> {
        let cells = match (&self.class_sets, &self.codes) {
            (Some(sets), _) => cells_of_sets(&sets[i], &sets[j]),
            (None, Codes::Bytes(runs)) => self.cells_of_codes(&runs[i], &runs[j]),
            (None, Codes::Words(runs)) => self.cells_of_codes(&runs[i], &runs[j]),
        };
        cramers_v_of(&cells, &self.class_counts[i], &self.class_counts[j])
    }

    #[allow(clippy::cast_possible_truncation)]
    fn cells_of_codes<C: Copy + Into<u32>>(&self, a: &[C], b: &[C]) -> Vec<(usize, usize, u64)> {
        let c = self.n_classes;
        if c <= MOST_CLASSES_AS_SQUARE {
            let mut counts = vec![0u64; c * c];
            for (&x, &y) in a.iter().zip(b) {
                counts[x.into() as usize * c + y.into() as usize] += 1;
            }
            let cell = |(at, &count): (usize, &u64)| (at / c, at % c, count);
            return counts
                .iter()
                .enumerate()
                .map(cell)
                .filter(|cell| cell.2 > 0)
                .collect();
        }
        let key = |(&x, &y): (&C, &C)| u64::from(x.into()) << 32 | u64::from(y.into());
        let mut keys: Vec<u64> = a.iter().zip(b).map(key).collect();
        keys.sort_unstable();
        keys.chunk_by(|x, y| x == y)
            .map(|same| {
                (
                    (same[0] >> 32) as usize,
                    same[0] as u32 as usize,
                    same.len() as u64,
                )
            })
            .collect()
    }
}

fn cells_of_sets(first: &[BitSet], second: &[BitSet]) -> Vec<(usize, usize, u64)> {
    let row = |(i, a): (usize, &BitSet)| -> Vec<(usize, usize, u64)> {
        second
            .iter()
            .enumerate()
            .map(|(j, b)| (i, j, a.intersection_len(b)))
            .collect()
    };
    first
        .iter()
        .enumerate()
        .flat_map(row)
        .filter(|cell| cell.2 > 0)
        .collect()
}

impl PairwiseReproducibility {
    /// All metrics, an empty union undefined.
    #[must_use]
    pub fn builder() -> PairwiseReproducibilityBuilder {
        PairwiseReproducibilityBuilder {
            metrics: PairMetric::ALL.to_vec(),
            empty_union: EmptyUnion::default(),
        }
    }

    /// All metrics of `(k, n)` predictions and `(n,)` true labels.
    ///
    /// # Errors
    /// As [`PairwiseReproducibilityBuilder::from_predictions`].
    pub fn from_predictions<L: Label, M: Label>(
        predictions: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<Self> {
        Self::builder().from_predictions(predictions, labels)
    }

    /// The number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.errors.n_runs()
    }

    /// The runs' error sets: accuracies, always and ever wrong, leave-one-out consistency.
    #[must_use]
    pub fn errors(&self) -> &ErrorSets {
        &self.errors
    }

    /// The value of a metric on every pair, undefined ones as `None`; empty for a metric that was
    /// not asked for.
    #[must_use]
    pub fn pairs(&self, metric: PairMetric) -> &[Option<f64>] {
        &self.values[metric as usize]
    }

    /// The distribution of a metric over the pairs.
    #[must_use]
    pub fn summary(&self, metric: PairMetric) -> Summary {
        let dropped = metric == PairMetric::EcLocal && self.empty_union == EmptyUnion::Drop;
        let values = self.pairs(metric).iter().copied();
        // Values are ratios of counts, so they are finite.
        Summary::of(values.filter(|value| value.is_some() || !dropped)).unwrap_or_default()
    }

    /// An interval for the mean of a metric over pairs, by a jackknife over *runs*: pairs share
    /// runs and are not independent. `None` below three runs, or when leaving out some run leaves
    /// no pair defined.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a level outside (0, 1).
    pub fn interval(&self, metric: PairMetric, level: f64) -> Result<Option<Interval>> {
        let k = self.n_runs();
        let Some(mean) = self.summary(metric).mean.filter(|_| k > 2) else {
            return Ok(None);
        };
        let mut total = ExactSum::new();
        let mut of_run = vec![(ExactSum::new(), 0u64); k];
        let mut n_defined = 0u64;
        let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
        for ((i, j), value) in pairs.zip(self.pairs(metric)) {
            if let Some(value) = value {
                total.add(*value);
                n_defined += 1;
                for run in [i, j] {
                    of_run[run].0.add(-*value);
                    of_run[run].1 += 1;
                }
            }
        }
        let mut leave_one_out = Vec::with_capacity(k);
        for (with_run, n_with_run) in of_run {
            let mut rest = total.clone();
            rest.add_sum(&with_run);
            if n_with_run == n_defined {
                return Ok(None);
            }
            #[allow(clippy::cast_precision_loss)] // counts below 2^53
            leave_one_out.push(rest.value() / (n_defined - n_with_run) as f64);
        }
        jackknife(mean, &leave_one_out, level).map(Some)
    }
}
