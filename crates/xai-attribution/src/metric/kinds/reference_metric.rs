//! Metrics that compare a map with a reference map.

use std::fmt::Debug;

use xai_core::describe::{Described, Param, Parameters, Value, same_word};
use xai_core::{Input, Real, Result, parallel};

use crate::batch::second_maps::ReferenceAttributions;
use crate::batch::{ExplainedBatch, ReferenceMaps, RunData};
use crate::input;
use crate::metric::map_agreement::AgreementOptions;
use crate::metric::{Measure, Registered};

/// What metrics of maps and reference maps need.
pub const REFERENCE_NEEDS: &[Input] = &[input::EXPLANATIONS, input::REFERENCE_MAPS];

/// A formula over two maps: what makes a [`ReferenceMetric`].
pub trait AgreementFormula:
    Described + Debug + Clone + Default + PartialEq + Send + Sync + 'static
{
    /// Whether it compares whole rankings, and has the parameter of ties; else the top, and has those of the top.
    const OF_RANKINGS: bool;

    /// The agreement of the attributions of two maps, all finite; `None` where it is undefined.
    fn value(&self, map: &[f64], reference: &[f64], options: &AgreementOptions) -> Option<f64>;
}

/// A metric over maps and [`ReferenceMaps`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReferenceMetric<F> {
    formula: F,
    options: AgreementOptions,
}

/// Of the options those that the formula reads.
impl<F: AgreementFormula> Parameters for ReferenceMetric<F> {
    fn describe(&self, params: &mut Vec<Param>) {
        let read = self.options.params().into_iter();
        params.extend(read.filter(|param| reads::<F>(param.name)));
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<bool> {
        Ok(reads::<F>(name) && self.options.set(name, value)?)
    }
}

fn reads<F: AgreementFormula>(name: &str) -> bool {
    same_word(name, input::RANK_TIES.name()) == F::OF_RANKINGS
}

impl<F: AgreementFormula> ReferenceMetric<F> {
    /// How maps are compared, all at once.
    #[must_use]
    pub fn options(mut self, options: AgreementOptions) -> Self {
        self.options = options;
        self
    }
}

impl<T: Real, F: AgreementFormula> Measure<T> for ReferenceMetric<F> {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        run.side::<ReferenceMaps>()?;
        match F::OF_RANKINGS {
            true => Ok(()),
            false => self.options.k.of(run.n_positions()).map(drop),
        }
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let references = batch.shared(&ReferenceAttributions)?;
        let (references, maps): (&[f64], &[T]) = (&references, explained.attributions()?);
        let size = batch.run().n_positions();
        let is_shared = references.len() == size;
        Ok(parallel::map(batch.n_samples(), |sample| {
            let map: Vec<f64> = maps[sample * size..(sample + 1) * size]
                .iter()
                .map(|x| x.to_f64_exact())
                .collect();
            let reference = if is_shared { 0 } else { sample };
            let reference = &references[reference * size..(reference + 1) * size];
            self.formula.value(&map, reference, &self.options)
        }))
    }
}

registered!(ReferenceMetric<F: AgreementFormula>);

impl<F: AgreementFormula> Registered for ReferenceMetric<F> {}
