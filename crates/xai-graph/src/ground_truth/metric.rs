//! Ground truth: does the mask find the edges (or nodes, or features) that are known to matter?

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use ndarray::{ArrayView1, ArrayView2};
use xai_core::{Accumulator, Error, Real, Result, check_finite_slice, elementary, parallel};

use crate::ranking::{BLOCK, Ranking};
use crate::top_k::largest;

/// What a statistic is that divides nothing by nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ZeroDivision {
    /// `None`.
    #[default]
    Undefined,
    /// 0, as in `PyTorch` Geometric.
    Zero,
    /// 1.
    One,
}

impl ZeroDivision {
    fn value(self) -> Option<f64> {
        match self {
            Self::Undefined => None,
            Self::Zero => Some(0.0),
            Self::One => Some(1.0),
        }
    }
}

/// Which elements of a mask count as predicted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Selection {
    /// Those above the threshold.
    #[default]
    AboveThreshold,
    /// The `k` largest, ties to the lower index.
    TopK(usize),
    /// As many as the truth has, the largest, ties to the lower index. Precision, recall and F1
    /// are one number then.
    TruthSize,
}

/// Agreement of a mask with the truth. A statistic is `None` where it is undefined, unless
/// [`ZeroDivision`] says otherwise.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroundTruth {
    /// Share of elements on which mask and truth agree, in [0, 1].
    pub accuracy: f64,
    /// Share of the truth that was found, in [0, 1]; undefined without a true element.
    pub recall: Option<f64>,
    /// Share of what was predicted that is true, in [0, 1]; undefined without a prediction.
    pub precision: Option<f64>,
    /// `2 TP / (2 TP + FP + FN)`, in [0, 1]; undefined when neither has an element.
    pub f1_score: Option<f64>,
    /// Probability that a true element scores above a false one, ties counting half: 0.5 = chance,
    /// 1 = perfect; undefined when the truth has one class only.
    pub auroc: Option<f64>,
    /// Mean of the precision at each true element, over descending scores (area under the
    /// precision-recall curve, ties together); undefined without a true element. Chance is the
    /// share of true elements.
    pub average_precision: Option<f64>,
    /// `TP / (TP + FP + FN)`, in [0, 1]: intersection over union, the explanation accuracy of
    /// `GraphXAI`; undefined when neither has an element.
    pub jaccard: Option<f64>,
    /// The counts behind them.
    pub confusion: Confusion,
    /// How many of the seven statistics are undefined, whatever value was asked for then.
    pub n_undefined: usize,
}

/// Elements by prediction and truth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Confusion {
    /// Predicted and true.
    pub true_positives: u64,
    /// Predicted, not true.
    pub false_positives: u64,
    /// True, not predicted.
    pub false_negatives: u64,
    /// Neither.
    pub true_negatives: u64,
}

impl Confusion {
    /// Counts one element.
    #[inline]
    fn count(&mut self, predicted: bool, truth: bool) {
        self.true_positives += u64::from(predicted & truth);
        self.false_positives += u64::from(predicted & !truth);
        self.false_negatives += u64::from(!predicted & truth);
        self.true_negatives += u64::from(!predicted & !truth);
    }

    fn add(&mut self, other: Self) {
        self.true_positives += other.true_positives;
        self.false_positives += other.false_positives;
        self.false_negatives += other.false_negatives;
        self.true_negatives += other.true_negatives;
    }

    /// The number of elements.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.true_positives + self.false_positives + self.false_negatives + self.true_negatives
    }

    /// TP + TN over all.
    fn accuracy(&self) -> Option<f64> {
        ratio(self.true_positives + self.true_negatives, self.total())
    }

    fn recall(&self) -> Option<f64> {
        ratio(
            self.true_positives,
            self.true_positives + self.false_negatives,
        )
    }

    fn precision(&self) -> Option<f64> {
        ratio(
            self.true_positives,
            self.true_positives + self.false_positives,
        )
    }

    fn f1_score(&self) -> Option<f64> {
        let twice = 2 * self.true_positives;
        ratio(twice, twice + self.false_positives + self.false_negatives)
    }

    fn jaccard(&self) -> Option<f64> {
        let hits = self.true_positives;
        ratio(hits, hits + self.false_positives + self.false_negatives)
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    #[allow(clippy::cast_precision_loss)] // exact below 2^53 elements
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl fmt::Display for GroundTruth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("accuracy", Some(self.accuracy)),
            ("recall", self.recall),
            ("precision", self.precision),
            ("F1 score", self.f1_score),
            ("AUROC", self.auroc),
            ("average precision", self.average_precision),
            ("Jaccard", self.jaccard),
        ];
        for (name, value) in rows {
            match value {
                Some(value) => writeln!(f, "{name:<18}{value:.4}")?,
                None => writeln!(f, "{name:<18}undefined")?,
            }
        }
        write!(
            f,
            "{} elements, {} true, {} predicted",
            self.confusion.total(),
            self.confusion.true_positives + self.confusion.false_negatives,
            self.confusion.true_positives + self.confusion.false_positives,
        )
    }
}

/// Agreement of a soft mask with the truth at threshold ½, undefined statistics as `None`.
///
/// An element is true when `target ≥ ½`, predicted when `predicted > ½` (strictly; see
/// [`GroundTruthMetric::threshold`]).
///
/// # Errors
/// [`Error::ShapeMismatch`], [`Error::Empty`], [`Error::NonFinite`], and [`Error::OutOfDomain`]
/// for a score outside [0, 1].
///
/// ```
/// use ndarray::array;
/// let truth = array![1.0, 1.0, 0.0, 0.0];
/// let scores = array![0.9, 0.4, 0.6, 0.1];
/// let agreement = xai_graph::ground_truth(scores.view(), truth.view())?;
/// assert_eq!(agreement.accuracy, 0.5);
/// assert_eq!((agreement.recall, agreement.precision), (Some(0.5), Some(0.5)));
/// assert_eq!(agreement.auroc, Some(0.75)); // of 4 pairs only (0.4, 0.6) is the wrong way round
/// assert!((agreement.average_precision.unwrap() - 5.0 / 6.0).abs() < 1e-15); // (1/1 + 2/3) / 2
/// assert_eq!(agreement.jaccard, Some(1.0 / 3.0));
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn ground_truth<T: Real>(
    predicted: ArrayView1<'_, T>,
    target: ArrayView1<'_, T>,
) -> Result<GroundTruth> {
    GroundTruthMetric::default().evaluate(predicted, target)
}

/// Ground-truth scores with their choices.
///
/// ```
/// use ndarray::array;
/// use xai_graph::{GroundTruthMetric, Selection, ZeroDivision};
/// let nothing = array![0.0f32, 0.0];
/// let scores = GroundTruthMetric::new(0.5)?.zero_division(ZeroDivision::Zero);
/// assert_eq!(scores.evaluate(nothing.view(), nothing.view())?.recall, Some(0.0));
/// let top = GroundTruthMetric::new(0.5)?.selection(Selection::TopK(1));
/// let found = top.evaluate(array![0.2, 0.3].view(), array![0.0, 1.0].view())?;
/// assert_eq!(found.jaccard, Some(1.0));
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// `groundtruth_metrics` of `PyTorch` Geometric gives the first five with
/// [`ZeroDivision::Zero`]. It applies a sigmoid to all scores when one lies outside [0, 1], without a word;
/// here that is an error unless [`logits`](Self::logits) says so.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroundTruthMetric {
    threshold: f64,
    selection: Selection,
    zero_division: ZeroDivision,
    logits: bool,
}

impl Default for GroundTruthMetric {
    fn default() -> Self {
        Self {
            threshold: 0.5,
            selection: Selection::default(),
            zero_division: ZeroDivision::default(),
            logits: false,
        }
    }
}

impl GroundTruthMetric {
    /// Scores at a threshold: an element is true when `target ≥ threshold`, predicted when
    /// `predicted > threshold`.
    ///
    /// The two sides differ on purpose: it is the rule of `PyTorch` Geometric with torchmetrics, so
    /// hard 0/1 masks work with thresholds 0 < t < 1 and a score exactly at the threshold is not
    /// predicted. Single-precision masks meet the threshold rounded to single precision.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a threshold outside [0, 1].
    pub fn new(threshold: f64) -> Result<Self> {
        if !(0.0..=1.0).contains(&threshold) {
            return Err(Error::parameter(
                "threshold",
                threshold,
                "a threshold in [0, 1]",
            ));
        }
        Ok(Self {
            threshold,
            ..Self::default()
        })
    }

    /// The threshold.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Which elements count as predicted. The truth is always by threshold.
    #[must_use]
    pub fn selection(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// What undefined statistics are.
    #[must_use]
    pub fn zero_division(mut self, zero_division: ZeroDivision) -> Self {
        self.zero_division = zero_division;
        self
    }

    /// The predictions are logits, any finite numbers: the threshold meets their sigmoid. Ranks
    /// are those of the logits themselves, which do not saturate.
    #[must_use]
    pub fn logits(mut self, logits: bool) -> Self {
        self.logits = logits;
        self
    }

    /// Scores one mask.
    ///
    /// `predicted` and `target` are `(n_elements,)`, in [0, 1].
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when the lengths differ, [`Error::Empty`] without elements,
    /// [`Error::NonFinite`], [`Error::OutOfDomain`] for a score outside [0, 1] that is not said to
    /// be a logit, [`Error::InvalidParameter`] for a top-k beyond the elements.
    pub fn evaluate<T: Real>(
        &self,
        predicted: ArrayView1<'_, T>,
        target: ArrayView1<'_, T>,
    ) -> Result<GroundTruth> {
        let mut state = self.accumulator();
        state.update((predicted, target))?;
        state.finish_into()
    }

    /// Scores one mask against several valid truths, `(n_truths, n_elements)`, and takes the one
    /// with the largest Jaccard index (the lowest of several; an undefined one counts as least).
    ///
    /// Returns which truth it was, and the scores against it.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); [`Error::Empty`] without a truth.
    ///
    /// ```
    /// use ndarray::array;
    /// let predicted = array![0.0, 0.9, 0.8];
    /// let truths = array![[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]];
    /// let (which, best) =
    ///     xai_graph::GroundTruthMetric::default().best_of(predicted.view(), truths.view())?;
    /// assert_eq!((which, best.jaccard), (1, Some(1.0)));
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    ///
    /// # Source
    /// Explanation accuracy in Agarwal et al., `GraphXAI`, arXiv 2208.09339.
    pub fn best_of<T: Real>(
        &self,
        predicted: ArrayView1<'_, T>,
        truths: ArrayView2<'_, T>,
    ) -> Result<(usize, GroundTruth)> {
        let mut best: Option<(usize, GroundTruth)> = None;
        for (which, truth) in truths.rows().into_iter().enumerate() {
            let scores = self.evaluate(predicted, truth)?;
            let better = match &best {
                None => true,
                Some((_, so_far)) => scores.confusion.jaccard() > so_far.confusion.jaccard(),
            };
            if better {
                best = Some((which, scores));
            }
        }
        best.ok_or_else(|| Error::empty("truths"))
    }

    /// A state of no elements with these choices.
    #[must_use]
    pub fn accumulator<T>(&self) -> GroundTruthAccumulator<T> {
        GroundTruthAccumulator {
            metric: *self,
            confusion: Confusion::default(),
            ranking: Ranking::default(),
            element: PhantomData,
        }
    }
}

/// [`GroundTruth`] over the elements of many masks together (micro average) as a state.
///
/// A batch is `(predicted, target)`, one mask; top-k selects within it. The state keeps 4 bytes
/// per element of a single-precision mask and 8 of a double-precision one, since the ranks among
/// all elements need every score.
///
/// ```
/// use ndarray::array;
/// use xai_graph::{Accumulator, GroundTruthMetric};
/// let mut state = GroundTruthMetric::default().accumulator();
/// state.update((array![0.9, 0.4].view(), array![1.0, 1.0].view()))?;
/// state.update((array![0.6, 0.1].view(), array![0.0, 0.0].view()))?;
/// assert_eq!(state.finish()?.auroc, Some(0.75));
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound = ""))]
pub struct GroundTruthAccumulator<T> {
    metric: GroundTruthMetric,
    confusion: Confusion,
    ranking: Ranking,
    element: PhantomData<T>,
}

impl<T: Real> GroundTruthAccumulator<T> {
    /// [`finish`](Accumulator::finish) without a copy of the scores.
    ///
    /// # Errors
    /// [`Error::Empty`] without elements.
    pub fn finish_into(self) -> Result<GroundTruth> {
        let confusion = self.confusion;
        let accuracy = confusion
            .accuracy()
            .ok_or_else(|| Error::empty("elements"))?;
        let ranks = self.ranking.evaluate();
        let mut n_undefined = 0;
        let mut or_policy = |statistic: Option<f64>| {
            n_undefined += usize::from(statistic.is_none());
            statistic.or(self.metric.zero_division.value())
        };
        Ok(GroundTruth {
            accuracy,
            recall: or_policy(confusion.recall()),
            precision: or_policy(confusion.precision()),
            f1_score: or_policy(confusion.f1_score()),
            auroc: or_policy(ranks.auroc),
            average_precision: or_policy(ranks.average_precision),
            jaccard: or_policy(confusion.jaccard()),
            confusion,
            n_undefined,
        })
    }
}

impl<T: Real> Accumulator for GroundTruthAccumulator<T> {
    type Batch<'a> = (ArrayView1<'a, T>, ArrayView1<'a, T>);
    type Output = GroundTruth;

    fn update(&mut self, (predicted, target): Self::Batch<'_>) -> Result<()> {
        let n = predicted.len();
        if target.len() != n {
            return Err(Error::shape("target", &[n], &[target.len()]));
        }
        if n == 0 {
            return Err(Error::empty("elements"));
        }
        let (predicted, target) = (contiguous(predicted), contiguous(target));
        let (predicted, target): (&[T], &[T]) = (&predicted, &target);
        let threshold = T::from_f64_nearest(self.metric.threshold);
        let truth = |i: usize| target[i] >= threshold;
        let blocks = parallel::map_blocks(n, BLOCK, |range| {
            self.metric
                .count(&predicted[range.clone()], &target[range], threshold)
        });
        if blocks.iter().any(|block| block.is_none()) {
            return Err(self.metric.first_error(predicted, target));
        }
        let mut confusion = Confusion::default();
        let mut n_true = Vec::with_capacity(blocks.len());
        for block in blocks.into_iter().flatten() {
            #[allow(clippy::cast_possible_truncation)] // at most the length of a slice
            n_true.push((block.true_positives + block.false_negatives) as usize);
            confusion.add(block);
        }
        let k = match self.metric.selection {
            Selection::AboveThreshold => None,
            Selection::TruthSize => Some(n_true.iter().sum()),
            Selection::TopK(k) if (1..=n).contains(&k) => Some(k),
            Selection::TopK(k) => {
                let expected = format!("1..={n}, the number of elements");
                return Err(Error::parameter("top_k", k, expected));
            }
        };
        if let Some(k) = k {
            confusion = Confusion::default();
            let mut selected = largest(predicted, k).into_iter().peekable();
            for i in 0..n {
                confusion.count(selected.next_if_eq(&i).is_some(), truth(i));
            }
        }
        self.ranking.extend(predicted, truth, &n_true);
        self.confusion.add(confusion);
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        if self.metric != other.metric {
            return Err(Error::parameter(
                "merged state",
                format!("{:?}", other.metric),
                format!("the same choices, {:?}", self.metric),
            ));
        }
        self.confusion.add(other.confusion);
        self.ranking.append(other.ranking);
        Ok(())
    }

    fn finish(&self) -> Result<GroundTruth> {
        self.clone().finish_into()
    }
}

impl GroundTruthMetric {
    /// Counts a block by threshold; `None` if it holds something that is not a score.
    fn count<T: Real>(&self, predicted: &[T], target: &[T], threshold: T) -> Option<Confusion> {
        let (mut n_true, mut n_predicted, mut n_both) = (0u32, 0u32, 0u32);
        // Sums instead of early exits, so that the loop vectorises.
        let mut n_bad = 0u32;
        for (&score, &truth) in predicted.iter().zip(target) {
            let is_true = truth >= threshold;
            let above = if self.logits {
                n_bad += u32::from(!score.is_finite());
                sigmoid(score.to_f64_exact()) > self.threshold
            } else {
                n_bad += u32::from(!(score >= T::zero() && score <= T::one()));
                score > threshold
            };
            n_bad += u32::from(!truth.is_finite());
            n_true += u32::from(is_true);
            n_predicted += u32::from(above);
            n_both += u32::from(is_true & above);
        }
        let n = predicted.len() as u64;
        let [n_true, n_predicted, n_both] = [n_true, n_predicted, n_both].map(u64::from);
        (n_bad == 0).then(|| Confusion {
            true_positives: n_both,
            false_positives: n_predicted - n_both,
            false_negatives: n_true - n_both,
            true_negatives: n + n_both - n_true - n_predicted,
        })
    }

    /// What is wrong with scores or truth; something is.
    #[cold]
    fn first_error<T: Real>(&self, predicted: &[T], target: &[T]) -> Error {
        let finite = check_finite_slice("predicted", predicted)
            .and_then(|()| check_finite_slice("target", target));
        if let Err(error) = finite {
            return error;
        }
        let outside = |x: &T| *x < T::zero() || *x > T::one();
        let i = predicted.iter().position(outside).unwrap_or_default();
        Error::out_of_domain(
            "predicted",
            &[i],
            predicted[i].to_f64_exact(),
            "a score in [0, 1]; for raw scores say that they are logits",
        )
    }
}

/// The elements in order, copied only where they do not lie side by side.
fn contiguous<T: Real>(mask: ArrayView1<'_, T>) -> Cow<'_, [T]> {
    match mask.to_slice() {
        Some(slice) => Cow::Borrowed(slice),
        None => Cow::Owned(mask.to_vec()),
    }
}

/// `1 / (1 + e^{−x})` through `e^{−|x|}`, which cannot overflow.
fn sigmoid(x: f64) -> f64 {
    let e = elementary::exp(-x.abs());
    (if x >= 0.0 { 1.0 } else { e }) / (1.0 + e)
}
