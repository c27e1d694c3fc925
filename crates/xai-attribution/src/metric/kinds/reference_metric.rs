//! Metrics that compare a map with a reference map.

use std::fmt::Debug;

use xai_core::describe::{Described, Param, Parameters, Value, same_word};
use xai_core::{Input, Real, Result, parallel};

use crate::batch::second_maps::ReferenceAttributions;
use crate::batch::{Dataset, ExplainedBatch};
use crate::input;
use crate::metric::Measure;
use crate::metric::map_agreement::AgreementOptions;
use crate::side::ReferenceMaps;

/// Inputs of metrics that compare maps with reference maps.
pub const REFERENCE_NEEDS: &[Input] = &[input::EXPLANATIONS, input::REFERENCE_MAPS];

/// The formula of a [`ReferenceMetric`]: the agreement of two maps.
pub trait AgreementFormula:
    Described + Debug + Clone + Default + PartialEq + Send + Sync + 'static
{
    /// `true` if the formula compares whole rankings and has the parameter `rank_ties`; `false` if it compares the top
    /// of both maps and has the other parameters of [`AgreementOptions`].
    const COMPARES_RANKINGS: bool;

    /// Returns the agreement of two maps of finite attributions; `None` where it is undefined.
    fn value(&self, map: &[f64], reference: &[f64], options: &AgreementOptions) -> Option<f64>;
}

/// A metric of maps and [`ReferenceMaps`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReferenceMetric<F> {
    formula: F,
    options: AgreementOptions,
}

/// Only the options that the formula reads are parameters.
impl<F: AgreementFormula> Parameters for ReferenceMetric<F> {
    fn describe(&self, params: &mut Vec<Param>) {
        let options = self.options.params().into_iter();
        params.extend(options.filter(|param| reads::<F>(param.name)));
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<bool> {
        Ok(reads::<F>(name) && self.options.set(name, value)?)
    }
}

fn reads<F: AgreementFormula>(name: &str) -> bool {
    same_word(name, input::RANK_TIES.name()) == F::COMPARES_RANKINGS
}

impl<F: AgreementFormula> ReferenceMetric<F> {
    /// Sets all options of the comparison at once.
    #[must_use]
    pub fn options(mut self, options: AgreementOptions) -> Self {
        self.options = options;
        self
    }
}

impl<T: Real, F: AgreementFormula> Measure<T> for ReferenceMetric<F> {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        dataset.side::<ReferenceMaps>()?;
        if F::COMPARES_RANKINGS {
            return Ok(());
        }
        self.options.k.resolve(dataset.n_positions()).map(drop)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let references = batch.shared(&ReferenceAttributions)?;
        let (references, maps): (&[f64], &[T]) = (&references, explained.attributions()?);
        let size = batch.dataset().n_positions();
        // A single reference map, for instance of a linear model, stands for all samples.
        let is_shared = references.len() == size;
        Ok(parallel::map(batch.n_samples(), |sample| {
            let map: Vec<f64> = maps[sample * size..(sample + 1) * size]
                .iter()
                .map(|x| x.to_f64_exact())
                .collect();
            let row = if is_shared { 0 } else { sample };
            let reference = &references[row * size..(row + 1) * size];
            self.formula.value(&map, reference, &self.options)
        }))
    }
}

registered!(ReferenceMetric<F: AgreementFormula>);
