//! Fidelity: is the explanatory subgraph sufficient, and is it necessary?

use std::fmt;
use std::ops::Range;

use ndarray::ArrayView2;
use xai_core::{Accumulator, Error, ExactSum, Name, Real, Result, parallel};

use crate::Predictions;
use crate::outputs::{OutputRows, ReturnType};

/// Rows that one thread compares at a time: three buffers of classes stay in the first-level cache.
const BLOCK: usize = 1024;

/// How a prediction changes when the explanation is taken away, and when it alone is left.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fidelity {
    /// fid₊ in [0, 1]: how much changes without the explanation. 1 = necessary.
    pub pos: f64,
    /// fid₋ in [0, 1]: how much changes with nothing but the explanation. 0 = sufficient.
    pub neg: f64,
    /// The number of samples compared.
    pub n_samples: u64,
}

impl Fidelity {
    /// The [characterization score](crate::characterization_score) with weights ½ and ½.
    #[must_use]
    pub fn characterization(&self) -> f64 {
        crate::characterization::score(self.pos, self.neg, 0.5, 0.5)
    }
}

impl fmt::Display for Fidelity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "fidelity over {} samples: fid+ {:.4} (1 = necessary), fid- {:.4} (0 = sufficient), \
             characterization {:.4}",
            self.n_samples,
            self.pos,
            self.neg,
            self.characterization()
        )
    }
}

/// Fidelity of explanations of the *model*: does its prediction stay?
///
/// ```text
/// fid₊ = 1 − mean_i 1[ŷ_i^{G∖S} = ŷ_i]      fid₋ = 1 − mean_i 1[ŷ_i^{S} = ŷ_i]
/// ```
///
/// - `full`: predictions ŷ on the whole graph
/// - `kept`: predictions on the explanation S alone
/// - `complement`: predictions on the graph without the explanation
///
/// Each is labels or outputs, see [`Predictions`]. [`FidelityMetric`] compares with true labels,
/// on a subset of the samples, or by probabilities.
///
/// # Errors
/// [`Error::ShapeMismatch`] when the numbers of samples differ, [`Error::Empty`] without samples,
/// and the errors of [`Predictions::classes`].
///
/// ```
/// let full = [0, 1, 2, 1];
/// let kept = [0, 1, 2, 0]; // one of four changes
/// let complement = [1, 0, 2, 0]; // three of four change
/// let fidelity = xai_graph::fidelity(&full, &kept, &complement)?;
/// assert_eq!((fidelity.pos, fidelity.neg), (0.75, 0.25));
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// Amara et al., *`GraphFramEx`*, arXiv 2206.09677, section 3.2. `PyTorch` Geometric's `fidelity`
/// computes the same in single precision.
pub fn fidelity<F, K, C>(full: &F, kept: &K, complement: &C) -> Result<Fidelity>
where
    F: Predictions + ?Sized,
    K: Predictions + ?Sized,
    C: Predictions + ?Sized,
{
    FidelityMetric::model().evaluate(full, kept, complement)
}

/// Fidelity with its choices: what is compared, and on which samples.
///
/// ```
/// use xai_graph::FidelityMetric;
/// let target = [0, 1, 1, 0];
/// let (full, kept, complement) = ([0, 1, 1, 1], [0, 1, 0, 0], [1, 1, 0, 1]);
/// let fidelity = FidelityMetric::phenomenon(&target).evaluate(&full, &kept, &complement)?;
/// // right on the full graph: yes, yes, yes, no; on the kept: yes, yes, no, yes
/// assert_eq!((fidelity.pos, fidelity.neg), (0.5, 0.5));
/// let first = FidelityMetric::phenomenon(&target).index(&[0]).evaluate(&full, &kept, &complement)?;
/// assert_eq!((first.pos, first.neg), (1.0, 0.0));
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct FidelityMetric<'a> {
    target: Option<&'a dyn Predictions>,
    index: Option<&'a [usize]>,
}

impl fmt::Debug for FidelityMetric<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FidelityMetric")
            .field("phenomenon", &self.target.is_some())
            .field("index", &self.index)
            .finish()
    }
}

impl<'a> FidelityMetric<'a> {
    /// Explanations of the model: the prediction on the full graph is the reference.
    #[must_use]
    pub fn model() -> Self {
        Self::default()
    }

    /// Explanations of the phenomenon: does it stay *right*?
    ///
    /// ```text
    /// fid₊ = mean_i |1[ŷ_i = y_i] − 1[ŷ_i^{G∖S} = y_i]|      fid₋ = mean_i |1[ŷ_i = y_i] − 1[ŷ_i^{S} = y_i]|
    /// ```
    ///
    /// `target` holds the true label of every sample; outside an [`index`](Self::index) it may be
    /// anything.
    #[must_use]
    pub fn phenomenon(target: &'a dyn Predictions) -> Self {
        Self {
            target: Some(target),
            index: None,
        }
    }

    /// Compares only these samples, by their position; one named twice counts twice.
    #[must_use]
    pub fn index(mut self, index: &'a [usize]) -> Self {
        self.index = Some(index);
        self
    }

    /// Fidelity by predicted classes.
    ///
    /// # Errors
    /// As [`fidelity`]; [`Error::OutOfDomain`] for an index beyond the samples, and
    /// [`Error::LabelOutOfRange`] for a target label that the outputs have no column for.
    pub fn evaluate<F, K, C>(&self, full: &F, kept: &K, complement: &C) -> Result<Fidelity>
    where
        F: Predictions + ?Sized,
        K: Predictions + ?Sized,
        C: Predictions + ?Sized,
    {
        let mut state = FidelityAccumulator::new();
        state.update(FidelityBatch {
            metric: *self,
            full: &full,
            kept: &kept,
            complement: &complement,
        })?;
        state.finish()
    }

    /// Fidelity by the probability of one class instead of a changed prediction.
    ///
    /// ```text
    /// fid₊ = mean_i |p_i(y) − p_i^{G∖S}(y)|      fid₋ = mean_i |p_i(y) − p_i^{S}(y)|
    /// ```
    ///
    /// `y` is the true label for explanations of the phenomenon, the predicted class of the full
    /// graph for those of the model. Outputs are `(n_samples, n_classes)`; `returns` says what they
    /// hold. The differences are in [0, 1] like the changes they soften.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); [`Error::NonFinite`] for an output that is not finite and
    /// [`Error::OutOfDomain`] for rows that are not distributions, see [`ReturnType`].
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_graph::{FidelityMetric, ReturnType};
    /// let full = array![[0.9, 0.1]];
    /// let kept = array![[0.7, 0.3]];
    /// let complement = array![[0.2, 0.8]];
    /// let fidelity = FidelityMetric::model().evaluate_probabilities(
    ///     full.view(), kept.view(), complement.view(), ReturnType::Probs)?;
    /// assert!((fidelity.pos - 0.7).abs() < 1e-15 && (fidelity.neg - 0.2).abs() < 1e-15);
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    ///
    /// # Source
    /// Amara et al., *`GraphFramEx`*, arXiv 2206.09677.
    pub fn evaluate_probabilities<T: Real>(
        &self,
        full: ArrayView2<'_, T>,
        kept: ArrayView2<'_, T>,
        complement: ArrayView2<'_, T>,
        returns: ReturnType,
    ) -> Result<Fidelity> {
        let mut state = FidelityAccumulator::new();
        state.update_probabilities(self, full, kept, complement, returns)?;
        state.finish()
    }

    /// The subset of the samples, if there is one.
    pub(crate) fn rows(&self) -> Option<&'a [usize]> {
        self.index
    }

    /// `mean_i (1[ŷ_i = y_i] − 1[ŷ'_i = y_i])`: how much less often the answer holds, where `y` is
    /// the target or, for explanations of the model, `ŷ` itself.
    pub(crate) fn signed_change(
        &self,
        full: &dyn Predictions,
        other: &dyn Predictions,
    ) -> Result<f64> {
        self.check_target(full.n_samples())?;
        let n = crate::index::n_rows(self.index, full.n_samples())?;
        let mut classes = [vec![0; n], vec![0; n], vec![0; n]];
        let [reference, changed, truth] = &mut classes;
        self.gather(&"full".into(), full, 0..n, reference)?;
        self.gather(&"outputs".into(), other, 0..n, changed)?;
        match self.target {
            Some(_) => self.gather_target(full.n_classes(), 0..n, truth)?,
            None => truth.copy_from_slice(reference),
        }
        let right = |classes: &[i64]| {
            std::iter::zip(classes, &*truth)
                .filter(|(class, truth)| class == truth)
                .count()
        };
        #[allow(clippy::cast_precision_loss)] // exact below 2^53 samples
        let change = (right(reference) as f64 - right(changed) as f64) / n as f64;
        Ok(change)
    }

    /// Checks that there is a target for every sample, if there is one at all.
    fn check_target(&self, n_samples: usize) -> Result<()> {
        match self.target {
            Some(target) if target.n_samples() != n_samples => {
                Err(Error::shape("target", &[n_samples], &[target.n_samples()]))
            }
            _ => Ok(()),
        }
    }

    /// The targets of the visited rows `range`, each one of `n_classes` where that is known; the
    /// rest may be anything (−1 for "no label"). Does nothing without a target.
    fn gather_target(
        &self,
        n_classes: Option<usize>,
        range: Range<usize>,
        truth: &mut [i64],
    ) -> Result<()> {
        let Some(target) = self.target else {
            return Ok(());
        };
        self.gather(&"target".into(), target, range.clone(), truth)?;
        if let Some(n_classes) = n_classes {
            for (visited, &class) in range.zip(&*truth) {
                let row = self.index.map_or(visited, |index| index[visited]);
                xai_core::class_index(row, class, n_classes)?;
            }
        }
        Ok(())
    }

    /// The classes of the visited rows `range`.
    fn gather(
        &self,
        what: &Name,
        predictions: &dyn Predictions,
        range: Range<usize>,
        classes: &mut [i64],
    ) -> Result<()> {
        match self.index {
            None => predictions.classes(what, range, classes),
            Some(index) => {
                for (&row, class) in index[range].iter().zip(classes) {
                    predictions.classes(what, row..row + 1, std::slice::from_mut(class))?;
                }
                Ok(())
            }
        }
    }
}

/// Predictions of some samples, for [`FidelityAccumulator`].
#[derive(Clone, Copy)]
pub struct FidelityBatch<'a> {
    /// What is compared; a target and an index count the samples of this batch.
    pub metric: FidelityMetric<'a>,
    /// Predictions on the whole graph.
    pub full: &'a dyn Predictions,
    /// Predictions on the explanation alone.
    pub kept: &'a dyn Predictions,
    /// Predictions on the graph without the explanation.
    pub complement: &'a dyn Predictions,
}

impl fmt::Debug for FidelityBatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FidelityBatch")
            .field("metric", &self.metric)
            .field("n_samples", &self.full.n_samples())
            .finish_non_exhaustive()
    }
}

/// [`Fidelity`] as a state: every sample counts the same, whatever batch it came in.
///
/// ```
/// use xai_graph::{Accumulator, FidelityAccumulator, FidelityBatch, FidelityMetric};
/// let batch = |full, kept, complement| FidelityBatch {
///     metric: FidelityMetric::model(), full, kept, complement,
/// };
/// let mut state = FidelityAccumulator::new();
/// state.update(batch(&[0, 1], &[0, 1], &[1, 1]))?;
/// state.update(batch(&[2, 1], &[2, 0], &[2, 0]))?;
/// let fidelity = state.finish()?;
/// assert_eq!((fidelity.pos, fidelity.neg), (0.5, 0.25));
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FidelityAccumulator {
    pos: ExactSum,
    neg: ExactSum,
    n_samples: u64,
}

/// Changed predictions in some rows.
#[derive(Clone, Copy, Default)]
struct Changes {
    pos: u64,
    neg: u64,
}

impl FidelityAccumulator {
    /// A state of no samples.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Folds in samples by the probability of one class, as
    /// [`FidelityMetric::evaluate_probabilities`].
    ///
    /// # Errors
    /// As there; the state is unchanged then.
    pub fn update_probabilities<T: Real>(
        &mut self,
        metric: &FidelityMetric<'_>,
        full: ArrayView2<'_, T>,
        kept: ArrayView2<'_, T>,
        complement: ArrayView2<'_, T>,
        returns: ReturnType,
    ) -> Result<()> {
        for (what, outputs) in [("kept", kept), ("complement", complement)] {
            if outputs.dim() != full.dim() {
                return Err(Error::shape(what, full.shape(), outputs.shape()));
            }
        }
        metric.check_target(full.nrows())?;
        let n = crate::index::n_rows(metric.index, full.nrows())?;
        let full = OutputRows::new("full", full, returns)?;
        let kept = OutputRows::new("kept", kept, returns)?;
        let complement = OutputRows::new("complement", complement, returns)?;
        let blocks = parallel::map_blocks(n, BLOCK, |range| -> Result<Self> {
            let mut part = Self::new();
            let mut truth = vec![0; range.len()];
            metric.gather_target(Some(full.n_classes()), range.clone(), &mut truth)?;
            let (mut p, mut other) = (Vec::new(), Vec::new());
            for (visited, &class) in range.zip(&truth) {
                let row = metric.index.map_or(visited, |index| index[visited]);
                let predicted = full.read(row, &mut p)?;
                let class = match metric.target {
                    Some(_) => xai_core::class_index(row, class, full.n_classes())?,
                    None => predicted,
                };
                let mut change = |outputs: &OutputRows<'_, T>| -> Result<f64> {
                    outputs.read(row, &mut other)?;
                    Ok((p[class] - other[class]).abs())
                };
                part.pos.add(change(&complement)?);
                part.neg.add(change(&kept)?);
                part.n_samples += 1;
            }
            Ok(part)
        });
        let mut sum = Self::new();
        for part in blocks {
            sum.merge(part?)?;
        }
        self.merge(sum)
    }
}

impl Accumulator for FidelityAccumulator {
    type Batch<'a> = FidelityBatch<'a>;
    type Output = Fidelity;

    fn update(&mut self, batch: FidelityBatch<'_>) -> Result<()> {
        let FidelityBatch {
            metric,
            full,
            kept,
            complement,
        } = batch;
        let n_samples = full.n_samples();
        for (what, predictions) in [("kept", kept), ("complement", complement)] {
            if predictions.n_samples() != n_samples {
                return Err(Error::shape(what, &[n_samples], &[predictions.n_samples()]));
            }
        }
        // Outputs have columns, labels do not; two outputs of one model have the same.
        let mut n_classes = None;
        for (what, predictions) in [("full", full), ("kept", kept), ("complement", complement)] {
            match (n_classes, predictions.n_classes()) {
                (Some(expected), Some(actual)) if actual != expected => {
                    return Err(Error::shape(
                        what,
                        &[n_samples, expected],
                        &[n_samples, actual],
                    ));
                }
                (None, classes) => n_classes = classes,
                _ => {}
            }
        }
        metric.check_target(n_samples)?;
        let n = crate::index::n_rows(metric.index, n_samples)?;
        let names: [Name; 3] = ["full", "kept", "complement"].map(Name::from);
        let blocks = parallel::map_blocks(n, BLOCK, |range| -> Result<Changes> {
            let mut buffers = [[0i64; BLOCK]; 4];
            let [on_full, on_kept, on_complement, truth] =
                buffers.each_mut().map(|buffer| &mut buffer[..range.len()]);
            metric.gather(&names[0], full, range.clone(), on_full)?;
            metric.gather(&names[1], kept, range.clone(), on_kept)?;
            metric.gather(&names[2], complement, range.clone(), on_complement)?;
            let count = |other: &[i64], reference: &[i64], truth: Option<&[i64]>| -> u64 {
                match truth {
                    None => std::iter::zip(reference, other)
                        .map(|(a, b)| u64::from(a != b))
                        .sum(),
                    Some(truth) => std::iter::zip(truth, std::iter::zip(reference, other))
                        .map(|(y, (a, b))| u64::from((a == y) != (b == y)))
                        .sum(),
                }
            };
            metric.gather_target(n_classes, range, truth)?;
            let truth = metric.target.map(|_| &*truth);
            Ok(Changes {
                pos: count(on_complement, on_full, truth),
                neg: count(on_kept, on_full, truth),
            })
        });
        let mut total = Changes::default();
        for block in blocks {
            let block = block?;
            total.pos += block.pos;
            total.neg += block.neg;
        }
        #[allow(clippy::cast_precision_loss)] // exact below 2^53 samples
        {
            self.pos.add(total.pos as f64);
            self.neg.add(total.neg as f64);
        }
        self.n_samples += n as u64;
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        self.pos.add_sum(&other.pos);
        self.neg.add_sum(&other.neg);
        self.n_samples += other.n_samples;
        Ok(())
    }

    fn finish(&self) -> Result<Fidelity> {
        if self.n_samples == 0 {
            return Err(Error::empty("samples"));
        }
        #[allow(clippy::cast_precision_loss)] // exact below 2^53 samples
        let n = self.n_samples as f64;
        Ok(Fidelity {
            pos: self.pos.value() / n,
            neg: self.neg.value() / n,
            n_samples: self.n_samples,
        })
    }
}
