//! Maps of a second explainer for the same samples, and reference maps.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use ndarray::{ArrayD, ArrayViewD};
use xai_core::tensor::Positions;
use xai_core::{Error, Input, InputLayout, Real, Result};

use crate::batch::{BatchWork, SampleBatch};
use crate::input;
use crate::map::positions::attributions_by_position;
use crate::model::explainer::explain_rows;
use crate::model::samples::{check_in_memory, checked_batch};
use crate::model::{BoxError, Samples, Targets};
use crate::side::SideInput;

/// Function from a batch of inputs and their targets to their maps.
pub type SecondExplainer =
    Arc<dyn Fn(ArrayViewD<'_, f64>, &Targets) -> Result<ArrayD<f64>, BoxError> + Send + Sync>;

/// Maps of a second explainer for the same samples, for metrics that compare two explainers: that of the randomized
/// model in [`EfficientRandomization`](crate::metric::EfficientRandomization), or that of the model of shifted inputs
/// in [`InputInvariance`](crate::metric::InputInvariance).
#[derive(Clone)]
pub struct SecondMaps(MapSource);

#[derive(Clone)]
enum MapSource {
    Maps(Arc<dyn Samples<f64>>),
    Explainer(SecondExplainer),
}

impl SecondMaps {
    /// Creates second maps from existing maps, samples first: an array, or a reader for data larger than memory.
    pub fn from_maps(maps: impl Samples<f64> + 'static) -> Self {
        Self(MapSource::Maps(Arc::new(maps)))
    }

    /// Creates second maps from an explainer, which receives every input once, unchanged (it may shift or otherwise
    /// change the inputs itself).
    ///
    /// It is called once for all explainers of a run, and its rows are not part of the [plan](crate::batch::Plan).
    /// Several threads call it at once only with a [`Concurrent`](crate::model::Concurrent) model.
    pub fn from_fn<E: Into<BoxError>>(
        explainer: impl Fn(ArrayViewD<'_, f64>, &Targets) -> Result<ArrayD<f64>, E>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self(MapSource::Explainer(Arc::new(move |inputs, targets| {
            explainer(inputs, targets).map_err(Into::into)
        })))
    }

    /// Returns whether an explainer is called for the maps.
    pub(crate) fn calls_explainer(&self) -> bool {
        matches!(self.0, MapSource::Explainer(_))
    }
}

impl std::fmt::Debug for SecondMaps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            MapSource::Maps(maps) => f.debug_tuple("SecondMaps").field(&maps.shape()).finish(),
            MapSource::Explainer(_) => f.write_str("SecondMaps(..)"),
        }
    }
}

impl SideInput for SecondMaps {
    const INPUT: Input = input::SECOND_MAPS;

    fn check(&self, shape: &[usize], _layout: InputLayout) -> Result<()> {
        let MapSource::Maps(maps) = &self.0 else {
            return Ok(());
        };
        let map_shape = maps.shape();
        if map_shape.len() < 2 || map_shape[0] != shape[0] || map_shape.contains(&0) {
            let expected = format!("{} maps, as the inputs", shape[0]);
            return Err(Error::shape_described(Self::INPUT, expected, map_shape));
        }
        check_in_memory(Self::INPUT, &**maps)
    }
}

/// [`SecondMaps`] of a batch, in row-major order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondMapsOfBatch;

impl<T: Real> BatchWork<T> for SecondMapsOfBatch {
    type Output = ArrayD<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<ArrayD<f64>> {
        let samples = batch.samples();
        match &batch.dataset().side::<SecondMaps>()?.0 {
            MapSource::Maps(maps) => {
                let maps = checked_batch(input::SECOND_MAPS, &**maps, samples.clone())?;
                Ok(batch.dataset().towards_targets(maps, samples).into_owned())
            }
            MapSource::Explainer(explainer) => {
                // A second explainer always works in double precision, so that its type does not depend on that of the
                // run.
                let inputs = batch.inputs().mapv(|x| x.to_f64_exact());
                let (start, call) = (samples.start, batch.dataset().call(&samples));
                let explainer =
                    |inputs: ArrayViewD<'_, f64>, targets: &Targets| explainer(inputs, targets);
                let sample = |row| start + row;
                explain_rows(&explainer, inputs.view(), &batch.targets(), sample, &call)
                    .map_err(|error| error.about(input::SECOND_MAPS))
            }
        }
    }
}

/// Maps to compare with: those of another explainer, or ground truth such as the weights of a linear model.
///
/// They have the shape of maps of the inputs, `(n, …)`, or `(1, …)` for one map shared by all samples. They are read
/// batch by batch, like all [`Samples`].
#[derive(Clone)]
pub struct ReferenceMaps(Arc<dyn Reference>);

/// Samples of either precision, type-erased.
trait Reference: Send + Sync {
    fn shape(&self) -> &[usize];
    fn check(&self) -> Result<()>;
    fn attributions(
        &self,
        maps: Range<usize>,
        shape: &[usize],
        layout: InputLayout,
    ) -> Result<Vec<f64>>;
}

/// Samples with their precision `T`, to implement [`Reference`] for either.
struct Typed<S, T>(S, PhantomData<fn() -> T>);

impl<T: Real, S: Samples<T>> Reference for Typed<S, T> {
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
        layout: InputLayout,
    ) -> Result<Vec<f64>> {
        let maps = checked_batch(input::REFERENCE_MAPS, &self.0, maps)?;
        let attributions = attributions_by_position(maps.view(), shape, layout)
            .map_err(|error| error.renamed(input::EXPLANATIONS, input::REFERENCE_MAPS))?;
        Ok(attributions.into_iter().map(Real::to_f64_exact).collect())
    }
}

impl ReferenceMaps {
    /// Creates reference maps from an owned array or a reader.
    #[must_use]
    pub fn new<T: Real>(maps: impl Samples<T> + 'static) -> Self {
        Self(Arc::new(Typed(maps, PhantomData)))
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

    fn check(&self, shape: &[usize], layout: InputLayout) -> Result<()> {
        let (n, own) = (shape[0], self.0.shape());
        let n_own = own.first().copied().unwrap_or_default();
        if n_own != n && n_own != 1 {
            let expected = format!("{n} samples, as the inputs, or 1 for all of them");
            return Err(Error::shape_described(Self::INPUT, expected, own));
        }
        let shape = match layout {
            // Inputs that fit no layout are treated as rows of a table.
            InputLayout::Tabular => vec![n_own, layout.n_positions(shape)],
            _ => [&[n_own], &shape[1..]].concat(),
        };
        Positions::check_maps(&shape, own, layout)
            .map_err(|error| error.renamed(input::EXPLANATIONS, Self::INPUT))?;
        self.0.check()
    }
}

/// Attributions of the reference map of every sample of a batch. If all samples share one map, it is returned once,
/// or, if the class that the maps explain is set, once per sample with the sign for its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReferenceAttributions;

impl<T: Real> BatchWork<T> for ReferenceAttributions {
    type Output = Vec<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<f64>> {
        let reference = &batch.dataset().side::<ReferenceMaps>()?.0;
        let maps = match reference.shape()[0] {
            n if n == batch.dataset().n_samples() => batch.samples(),
            _ => 0..1,
        };
        let shape = [&[maps.len()], &batch.shape()[1..]].concat();
        let first = maps.start;
        let attributions = reference
            .attributions(maps, &shape, batch.layout())
            .map_err(|error| error.shifted(0, first))?;
        let dataset = batch.dataset();
        if dataset.scoring().explained_class.is_none() {
            return Ok(attributions);
        }
        // Like all given maps, references are about the explained class. A shared map must be repeated here, because
        // its sign differs between samples.
        let maps = attributions.chunks_exact(dataset.n_positions()).cycle();
        let towards_target = |(sample, map): (usize, &[f64])| -> Vec<f64> {
            let sign = if dataset.explains_other_class(sample) {
                -1.0
            } else {
                1.0
            };
            map.iter().map(|value| sign * value).collect()
        };
        Ok(batch.samples().zip(maps).flat_map(towards_target).collect())
    }
}
