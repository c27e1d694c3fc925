//! The maps of a second explainer for the same samples.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use ndarray::{ArrayD, ArrayViewD};
use xai_core::tensor::Positions;
use xai_core::{Error, Input, Layout, Real, Result};

use crate::batch::{BatchWork, SampleBatch, SideInput};
use crate::input;
use crate::map::positions::attributions_by_position;
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
    pub fn from_maps(maps: impl Samples<f64> + Send + 'static) -> Self {
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
                let maps = checked_batch(input::SECOND_MAPS, &**maps, samples.clone())?;
                Ok(batch.run().towards_targets(maps, samples).into_owned())
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

/// Maps that others are compared with: of another explainer, or true ones such as the weights of a linear
/// model. `(n, …)`, or `(1, …)` for one map that all samples share, shaped like any maps.
///
/// They are read batch by batch, as all [`Samples`].
#[derive(Clone)]
pub struct ReferenceMaps(Arc<dyn Reference>);

/// Samples of any precision.
trait Reference: Send + Sync {
    fn shape(&self) -> &[usize];
    fn check(&self) -> Result<()>;
    fn attributions(&self, maps: Range<usize>, shape: &[usize], layout: Layout)
    -> Result<Vec<f64>>;
}

struct Of<S, T>(S, PhantomData<fn() -> T>);

impl<T: Real, S: Samples<T> + Send> Reference for Of<S, T> {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    fn check(&self) -> Result<()> {
        check_in_memory(input::REFERENCE_MAPS, &self.0)
    }

    fn attributions(
        &self,
        maps: Range<usize>,
        shape: &[usize],
        layout: Layout,
    ) -> Result<Vec<f64>> {
        let maps = checked_batch(input::REFERENCE_MAPS, &self.0, maps)?;
        let attributions = attributions_by_position(maps.view(), shape, layout)
            .map_err(|error| error.renamed(input::EXPLANATIONS, input::REFERENCE_MAPS))?;
        Ok(attributions.into_iter().map(Real::to_f64_exact).collect())
    }
}

impl ReferenceMaps {
    /// Reference maps: an array that is owned, or a reader.
    #[must_use]
    pub fn new<T: Real>(maps: impl Samples<T> + Send + 'static) -> Self {
        Self(Arc::new(Of(maps, PhantomData)))
    }
}

impl Debug for ReferenceMaps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ReferenceMaps")
            .field(&self.0.shape())
            .finish()
    }
}

impl SideInput for ReferenceMaps {
    const INPUT: Input = input::REFERENCE_MAPS;

    fn check(&self, shape: &[usize], layout: Layout) -> Result<()> {
        let (n, own) = (shape[0], self.0.shape());
        let n_own = own.first().copied().unwrap_or_default();
        if n_own != n && n_own != 1 {
            let expected = format!("{n} samples, as the inputs, or 1 for all of them");
            return Err(Error::shape_described(Self::INPUT, expected, own));
        }
        let shape = match layout {
            // Inputs that no layout fits are rows, too.
            Layout::Tabular => vec![n_own, layout.n_positions(shape)],
            _ => [&[n_own], &shape[1..]].concat(),
        };
        Positions::check_maps(&shape, own, layout)
            .map_err(|error| error.renamed(input::EXPLANATIONS, Self::INPUT))?;
        self.0.check()
    }
}

/// The attributions of the reference map of every sample of a batch, or the one of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReferenceAttributions;

impl<T: Real> BatchWork<T> for ReferenceAttributions {
    type Output = Vec<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<f64>> {
        let reference = &batch.run().side::<ReferenceMaps>()?.0;
        let maps = match reference.shape()[0] {
            n if n == batch.run().n_samples() => batch.samples(),
            _ => 0..1,
        };
        let shape = [&[maps.len()], &batch.shape()[1..]].concat();
        let first = maps.start;
        let attributions = reference.attributions(maps, &shape, batch.layout());
        let attributions = attributions.map_err(|error| error.shifted(0, first))?;
        let run = batch.run();
        if run.scoring().explained_class.is_none() {
            return Ok(attributions);
        }
        // References explain the class that all given maps explain. The one that samples share has a sign for each of them.
        let of_samples = attributions.chunks_exact(run.n_positions()).cycle();
        let towards_target = |(sample, map): (usize, &[f64])| -> Vec<f64> {
            let sign = if run.explains_other_class(sample) {
                -1.0
            } else {
                1.0
            };
            map.iter().map(|value| sign * value).collect()
        };
        Ok(batch
            .samples()
            .zip(of_samples)
            .flat_map(towards_target)
            .collect())
    }
}
