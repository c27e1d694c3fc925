//! Metrics that compare a map with a reference map.

use std::fmt::Debug;

use xai_core::{Input, MetricInfo, Real, Result, parallel};

use crate::batch::explained::ExplainedBatch;
use crate::batch::reference::{ReferenceAttributions, ReferenceMaps};
use crate::batch::run_data::RunData;
use crate::input;
use crate::metric::kinds::map_agreement::AgreementOptions;
use crate::metric::options::{MetricOption, OptionInfo, Registered, parse};
use crate::metric::protocol::{Measure, Metric};
use crate::metric::registry::top_k_intersection::TopK;

/// What metrics of maps and reference maps need.
pub const REFERENCE_NEEDS: &[Input] = &[input::EXPLANATIONS, input::REFERENCE_MAPS];

/// A formula over two maps: what makes a [`ReferenceMetric`].
pub trait AgreementFormula: Debug + Clone + Default + PartialEq + Send + Sync + 'static {
    /// Name, question, direction, range, needs and source.
    const INFO: &'static MetricInfo;

    /// Its parameters.
    const OPTIONS: &'static [MetricOption<ReferenceMetric<Self>>];

    /// The agreement of the attributions of two maps, all finite; `None` where it is undefined.
    fn value(&self, map: &[f64], reference: &[f64], options: &AgreementOptions) -> Option<f64>;
}

/// A metric over maps and [`ReferenceMaps`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReferenceMetric<F> {
    formula: F,
    options: AgreementOptions,
}

impl<F: AgreementFormula> ReferenceMetric<F> {
    /// The defaults of all parameters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How maps are compared, all at once.
    #[must_use]
    pub fn options(mut self, options: AgreementOptions) -> Self {
        self.options = options;
        self
    }

    /// The option `top-k`.
    pub const TOP_K: MetricOption<Self> = MetricOption {
        info: TopK::OPTION,
        set: |mut metric, text| {
            metric.options.k = text.parse()?;
            Ok(metric)
        },
    };

    /// The option `over-top`.
    pub const OVER_TOP: MetricOption<Self> = MetricOption {
        info: OptionInfo {
            name: "over-top",
            value_name: "true|false",
            default: "false",
            help: "Whether agreement is averaged over tops of 1 to `top-k` features",
        },
        set: |mut metric, text| {
            metric.options.over_top = parse(input::OVER_TOP, text, "true or false")?;
            Ok(metric)
        },
    };

    /// The option `rank-ties`.
    pub const RANK_TIES: MetricOption<Self> = MetricOption {
        info: OptionInfo {
            name: "rank-ties",
            value_name: "mid|dense",
            default: "mid",
            help: "The ranks of attributions of one size: the mean of theirs, or one with no rank left out",
        },
        set: |mut metric, text| {
            metric.options.rank_ties = text.parse()?;
            Ok(metric)
        },
    };
}

impl<F: AgreementFormula> Metric for ReferenceMetric<F> {
    fn info(&self) -> &'static MetricInfo {
        F::INFO
    }
}

impl<T: Real, F: AgreementFormula> Measure<T> for ReferenceMetric<F> {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        run.side::<ReferenceMaps>()?;
        self.options.k.of(run.n_positions()).map(drop)
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

impl<F: AgreementFormula> Registered for ReferenceMetric<F> {
    const INFO: &'static MetricInfo = F::INFO;
    const OPTIONS: &'static [MetricOption<Self>] = F::OPTIONS;

    fn with_defaults() -> Self {
        Self::new()
    }
}
