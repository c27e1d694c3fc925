//! The maps of a second explainer for the same samples.

use std::sync::Arc;

use ndarray::{ArrayD, ArrayViewD};
use xai_core::{Error, Input, Layout, Real, Result};

use crate::batch::{BatchWork, SampleBatch, SideInput};
use crate::input;
use crate::model::explainer::explain_rows;
use crate::model::samples::{check_in_memory, checked_batch};
use crate::model::{BoxError, Samples, Targets};

/// What answers the maps of a batch of inputs towards their targets.
pub type SecondExplainer =
    Arc<dyn Fn(ArrayViewD<'_, f64>, &Targets) -> Result<ArrayD<f64>, BoxError> + Send + Sync>;

/// The maps of the same samples from a second explainer, for metrics that compare the two: of the
/// randomized model in [`EfficientRandomization`](crate::metric::EfficientRandomization), of the model
/// of shifted inputs in [`InputInvariance`](crate::metric::InputInvariance).
#[derive(Clone)]
pub struct SecondMaps(Source);

#[derive(Clone)]
enum Source {
    Given(Arc<dyn Samples<f64> + Send>),
    Asked(SecondExplainer),
}

impl SecondMaps {
    /// Maps that exist, samples first: an array, or a reader of what no memory holds.
    pub fn given(maps: impl Samples<f64> + Send + 'static) -> Self {
        Self(Source::Given(Arc::new(maps)))
    }

    /// An explainer, which sees every input once; what it changes about an input first is its own
    /// affair. It is asked once for all explainers of a run, and is not among its planned rows. Several threads call it at once only beside a [`Concurrent`](crate::Concurrent) model.
    pub fn from_fn<E: Into<BoxError>>(
        explainer: impl Fn(ArrayViewD<'_, f64>, &Targets) -> Result<ArrayD<f64>, E>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self(Source::Asked(Arc::new(move |inputs, targets| {
            explainer(inputs, targets).map_err(Into::into)
        })))
    }
}

impl std::fmt::Debug for SecondMaps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Source::Given(maps) => f.debug_tuple("SecondMaps").field(&maps.shape()).finish(),
            Source::Asked(_) => f.write_str("SecondMaps(..)"),
        }
    }
}

impl SideInput for SecondMaps {
    const INPUT: Input = input::SECOND_MAPS;

    fn check(&self, shape: &[usize], _layout: Layout) -> Result<()> {
        let Source::Given(maps) = &self.0 else {
            return Ok(());
        };
        let of_maps = maps.shape();
        if of_maps.len() < 2 || of_maps[0] != shape[0] || of_maps.contains(&0) {
            let expected = format!("{} maps, as the inputs", shape[0]);
            return Err(Error::shape_described(Self::INPUT, expected, of_maps));
        }
        check_in_memory(Self::INPUT, &**maps)
    }
}

/// The [`SecondMaps`] of a batch, in row-major order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondMapsOfBatch;

impl<T: Real> BatchWork<T> for SecondMapsOfBatch {
    type Output = ArrayD<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<ArrayD<f64>> {
        let samples = batch.samples();
        match &batch.run().side::<SecondMaps>()?.0 {
            Source::Given(maps) => {
                let maps = checked_batch(input::SECOND_MAPS, &**maps, samples)?;
                Ok(maps.into_owned())
            }
            Source::Asked(explainer) => {
                let inputs = batch.inputs().mapv(|x| x.to_f64_exact());
                let (start, call) = (samples.start, batch.run().call(&samples));
                let explainer =
                    |inputs: ArrayViewD<'_, f64>, targets: &Targets| explainer(inputs, targets);
                let sample = |row| start + row;
                explain_rows(&explainer, inputs.view(), &batch.targets(), sample, &call)
                    .map_err(|error| error.about(input::SECOND_MAPS))
            }
        }
    }
}
