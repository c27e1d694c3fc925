//! The explainer under study, where a metric has to ask it.

use ndarray::{ArrayD, ArrayViewD, Axis, IxDyn, concatenate};
use xai_core::{Error, Real, Result, check_finite};

use crate::samples::{check_in_memory, checked_batch, of_sample};
use crate::{BoxError, Samples, Targets};

/// An explainer: a batch of inputs and their targets in, one map a sample out.
///
/// Closures `Fn(ArrayViewD<T>, &Targets) -> Result<ArrayD<T>, E>` are explainers. The batch is in
/// row-major order, samples first; so is the answer, with any number of axes after the sample.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::{Explainer, Targets};
/// // The terms of a linear model of weights 2 and −1.
/// let terms = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(&x * &array![2.0, -1.0].into_dyn())
/// };
/// let x = array![[3.0, 4.0]].into_dyn();
/// let maps = terms.explain(x.view(), &Targets::Classes(vec![0])).unwrap();
/// assert_eq!(maps, array![[6.0, -4.0]].into_dyn());
/// ```
pub trait Explainer<T: Real> {
    /// The maps of one batch.
    ///
    /// # Errors
    /// The explainer's own.
    fn explain(&self, inputs: ArrayViewD<'_, T>, targets: &Targets) -> Result<ArrayD<T>, BoxError>;
}

impl<T, F, E> Explainer<T> for F
where
    T: Real,
    E: Into<BoxError>,
    F: Fn(ArrayViewD<'_, T>, &Targets) -> Result<ArrayD<T>, E>,
{
    fn explain(&self, inputs: ArrayViewD<'_, T>, targets: &Targets) -> Result<ArrayD<T>, BoxError> {
        self(inputs, targets).map_err(Into::into)
    }
}

/// Inputs and targets that explainers are asked about.
pub(crate) struct Explained<'a, T> {
    pub(crate) inputs: &'a dyn Samples<T>,
    pub(crate) targets: &'a Targets,
    pub(crate) batch_size: usize,
}

impl<'a, T: Real> Explained<'a, T> {
    pub(crate) fn new(
        inputs: &'a dyn Samples<T>,
        targets: &'a Targets,
        batch_size: usize,
    ) -> Result<Self> {
        if batch_size == 0 {
            return Err(Error::parameter("batch_size", 0, "at least 1"));
        }
        let n = inputs.shape().first().copied().unwrap_or_default();
        if n == 0 || inputs.shape().contains(&0) {
            return Err(Error::empty("inputs"));
        }
        if targets.n_samples() != n {
            return Err(Error::shape("targets", &[n], &[targets.n_samples()]));
        }
        check_in_memory("inputs", inputs)?;
        Ok(Self {
            inputs,
            targets,
            batch_size,
        })
    }

    pub(crate) fn n_samples(&self) -> usize {
        self.inputs.shape()[0]
    }

    /// The samples of each batch.
    pub(crate) fn batches(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let (n, size) = (self.n_samples(), self.batch_size);
        (0..n)
            .step_by(size)
            .map(move |start| start..(start + size).min(n))
    }

    /// The maps of a batch, towards targets that may be others than its own.
    pub(crate) fn explain(
        &self,
        explainer: &dyn Explainer<T>,
        samples: std::ops::Range<usize>,
        targets: &Targets,
    ) -> Result<ArrayD<T>> {
        let inputs = checked_batch("inputs", self.inputs, samples.clone())?;
        let batch = samples.start / self.batch_size;
        let what = format!("batch {batch} (samples {}..{})", samples.start, samples.end);
        checked_maps(
            explainer.explain(inputs.view(), targets),
            samples.len(),
            &what,
        )
        .map_err(|error| of_sample(error, samples.start))
    }

    /// The maps of all samples towards their own targets.
    pub(crate) fn explain_all(&self, explainer: &dyn Explainer<T>) -> Result<ArrayD<T>> {
        let maps: Result<Vec<ArrayD<T>>> = self
            .batches()
            .map(|samples| {
                let targets = self.targets.select(samples.clone());
                self.explain(explainer, samples, &targets)
            })
            .collect();
        let maps = maps?;
        let views: Vec<ArrayViewD<'_, T>> = maps.iter().map(|maps| maps.view()).collect();
        concatenate(Axis(0), &views).map_err(|_| {
            let first = maps[0].shape();
            let other = maps.iter().find(|m| m.shape()[1..] != first[1..]);
            Error::shape("explanations", first, other.map_or(&[], |m| m.shape()))
        })
    }
}

/// What an explainer answered: one map a row, finite, in row-major order.
pub(crate) fn checked_maps<T: Real>(
    answer: Result<ArrayD<T>, BoxError>,
    n_rows: usize,
    what: &str,
) -> Result<ArrayD<T>> {
    let maps = answer.map_err(|source| Error::model(format!("the maps of {what}"), source))?;
    let shape = maps.shape();
    if shape.first() != Some(&n_rows) || shape.len() < 2 || shape.contains(&0) {
        return Err(Error::shape_described(
            format!("explanations of {what}"),
            format!("{n_rows} maps"),
            shape,
        ));
    }
    check_finite("explanations", maps.view())?;
    if maps.is_standard_layout() {
        return Ok(maps);
    }
    let shape = IxDyn(maps.shape());
    let values: Vec<T> = maps.iter().copied().collect();
    let n = values.len();
    ArrayD::from_shape_vec(shape, values)
        .map_err(|_| Error::shape("explanations", maps.shape(), &[n]))
}
