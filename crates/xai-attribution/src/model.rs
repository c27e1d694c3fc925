//! The model under study.

use ndarray::{Array2, ArrayD, ArrayViewD};
use xai_core::{Real, parallel};

/// Any error a model may give; it is kept as the source of ours.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A model: a batch of inputs in, one row of outputs a sample out.
///
/// Closures `Fn(ArrayViewD<T>) -> Result<Array2<O>, E>` with outputs of `f32` or `f64` are models.
/// The batch has the samples on its first axis; the answer is `(batch, n_outputs)`.
///
/// The metrics call a model in batches of at most the batch size they were given, one after
/// another; a model that several threads may call at once says so by [`Concurrent`].
pub trait Model<T: Real> {
    /// The outputs for one batch.
    ///
    /// # Errors
    /// The model's own.
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError>;

    /// The outputs for `n_batches` batches that `make` hands out. Implementations may call `make`
    /// and the model from several threads.
    #[doc(hidden)]
    fn outputs_of_batches(
        &self,
        n_batches: usize,
        make: &(dyn Fn(usize) -> Result<ArrayD<T>, BoxError> + Sync),
    ) -> Vec<Result<Array2<f64>, BoxError>> {
        let mut answers = Vec::with_capacity(n_batches);
        for batch in 0..n_batches {
            let answer = make(batch).and_then(|inputs| self.outputs(inputs.view()));
            let failed = answer.is_err();
            answers.push(answer);
            if failed {
                break;
            }
        }
        answers
    }
}

impl<T, F, O, E> Model<T> for F
where
    T: Real,
    O: Real,
    E: Into<BoxError>,
    F: Fn(ArrayViewD<'_, T>) -> Result<Array2<O>, E>,
{
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        Ok(self(batch)
            .map_err(Into::into)?
            .mapv_into_any(Real::to_f64_exact))
    }
}

/// A model that several threads may call at once: its batches run in parallel.
///
/// Results do not depend on it, as long as the model answers a batch the same way each time.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{AverageDrop, Concurrent};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let x = array![[1.0, 2.0], [3.0, 1.0]].into_dyn();
/// let metric = AverageDrop::new().batch_size(1);
/// assert_eq!(
///     metric.evaluate(&Concurrent(&model), x.view(), &[1, 0], x.view())?,
///     metric.evaluate(&model, x.view(), &[1, 0], x.view())?,
/// );
/// # Ok::<(), xai_attribution::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Concurrent<'a, M: ?Sized>(pub &'a M);

impl<T: Real, M: Model<T> + Sync + ?Sized> Model<T> for Concurrent<'_, M> {
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        self.0.outputs(batch)
    }

    fn outputs_of_batches(
        &self,
        n_batches: usize,
        make: &(dyn Fn(usize) -> Result<ArrayD<T>, BoxError> + Sync),
    ) -> Vec<Result<Array2<f64>, BoxError>> {
        parallel::map(n_batches, |batch| {
            make(batch).and_then(|inputs| self.0.outputs(inputs.view()))
        })
    }
}
