//! Adapters between single and double precision.

use std::marker::PhantomData;
use std::ops::Range;

use ndarray::{Array2, ArrayViewD, CowArray, IxDyn};
use xai_core::{InputLayout, Real};

use crate::model::black_box::BorrowedModel;
use crate::model::{BoxError, Job, Model, RowKind, Samples};

/// A model of inputs in single precision that is evaluated on inputs and maps in double precision.
///
/// Inputs are changed in double precision, and each row is rounded before the model is called. Together with
/// [`Converted`] inputs, this evaluates a model of `f32` with maps of `f64` without rounding the maps.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::model::{Converted, SinglePrecision};
/// use xai_attribution::{Evaluate, metric::AverageDrop};
/// let model = |batch: ArrayViewD<'_, f32>| -> Result<Array2<f32>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let inputs = array![[1.0_f32, 2.0]];
/// let maps = array![[0.0_f64, 1.0]];
/// let (model, inputs) = (SinglePrecision(&model), Converted::new(inputs.view()));
/// let drop = AverageDrop::new().evaluate(&model, inputs, &[1], maps.view())?;
/// assert_eq!(drop.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SinglePrecision<'a, M: ?Sized>(pub &'a M);

impl<M: Model<f32> + ?Sized> Model<f64> for SinglePrecision<'_, M> {
    fn outputs(&self, batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, BoxError> {
        self.0.outputs(batch.mapv(f32::from_f64_nearest).view())
    }

    fn outputs_for_samples(
        &self,
        batch: ArrayViewD<'_, f64>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        let rounded = batch.mapv(f32::from_f64_nearest);
        self.0.outputs_for_samples(rounded.view(), sample_of)
    }

    fn row_kind(&self, shape: &[usize]) -> RowKind {
        self.0.row_kind(shape)
    }

    fn run(&self, n_jobs: usize, job: &Job<'_, f64>) {
        self.0.run(n_jobs, &|index, model| {
            job(index, &SinglePrecision(&BorrowedModel(model)))
        });
    }

    fn threads(&self) -> usize {
        self.0.threads()
    }
}

/// Samples of one precision as samples of the other, converted batch by batch: `f32` to `f64` exactly, `f64` to the
/// nearest `f32`.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::AverageDrop, model::Converted};
/// let model = |batch: ArrayViewD<'_, f32>| -> Result<Array2<f32>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let inputs = array![[1.0_f32, 2.0]];
/// let maps = array![[0.0_f64, 1.0]]; // rounded to single precision, like the inputs
/// let drop = AverageDrop::new().evaluate(&model, inputs.view(), &[1], Converted::new(maps.view()))?;
/// assert_eq!(drop.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Converted<S, F> {
    samples: S,
    from: PhantomData<fn() -> F>,
}

impl<F: Real, S: Samples<F>> Converted<S, F> {
    /// Creates samples that are converted when they are read.
    pub fn new(samples: S) -> Self {
        let from = PhantomData;
        Self { samples, from }
    }
}

impl<T: Real, F: Real, S: Samples<F>> Samples<T> for Converted<S, F> {
    fn shape(&self) -> &[usize] {
        self.samples.shape()
    }

    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>, BoxError> {
        let convert = |value: F| T::from_f64_nearest(value.to_f64_exact());
        Ok(self.samples.batch(samples)?.mapv(convert).into())
    }

    fn layout(&self) -> Option<InputLayout> {
        self.samples.layout()
    }
}
