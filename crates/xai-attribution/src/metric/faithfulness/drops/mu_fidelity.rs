//! μFidelity.

use xai_core::{Direction, Error, MetricInfo, Real, Result, parallel};

use crate::batch::explained::ExplainedBatch;
use crate::batch::plan::Plan;
use crate::batch::run_data::RunData;
use crate::input;
use crate::metric::kinds::score_metric::SCORE_NEEDS;
use crate::metric::options::{
    GivenDraws, MetricOption, OptionInfo, Registered, parse, parse_unless,
};
use crate::metric::parameters::{takes_baseline, takes_seed};
use crate::metric::protocol::{Measure, Metric};
use crate::perturbation::absence::baseline::Baseline;
use crate::perturbation::features::Features;
use crate::perturbation::subsets::{
    RandomSubsets, SubsetDropRanks, SubsetDrops, SubsetSampling, SubsetSize, Subsets,
};
use xai_core::statistics::Correlation;
use xai_core::statistics::ranks::{centred_ranks, correlation_of_ranks};

/// Does the score fall as much as the attribution says, for random subsets of the input?
///
/// ```text
/// μF_i = correlation over subsets S of ( Σ_{p ∈ S} attribution_p ,  g(f, x_i, y_i) − g(f, x_i with S at the baseline, y_i) )
/// ```
///
/// In [−1, 1], **higher is better**: 1 = drops are ranked as the attributions have them, 0 = as by
/// chance. The correlation is Spearman's unless [`correlation`](MuFidelity::correlation) says
/// otherwise. The value is the mean over samples; a sample whose drops or attributions are all equal
/// has no correlation: `None`, and counted.
///
/// On images subsets are made of the cells of a grid (super-pixels), on time series of stretches of
/// time of one feature, on tables of single features. A cell is `⌊(row + ½) · grid / height⌋`,
/// `⌊(column + ½) · grid / width⌋`; a grid finer than the input means single positions. Sample `i` draws
/// from a stream of its own under the seed, the same for all explainers, so in an
/// [`Evaluation`](crate::Evaluation) the drops are taken once for all of them.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, MuFidelity};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 1.0, 0.5]].into_dyn();
/// let fidelity = MuFidelity::new().n_subsets(50);
/// assert_eq!(fidelity.evaluate(&sum, x.view(), &[0], x.view())?.value, 1.0);
/// let reversed = x.mapv(|v| -v);
/// assert_eq!(fidelity.evaluate(&sum, x.view(), &[0], reversed.view())?.value, -1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n · (1 + n_subsets)` rows.
///
/// Also known as Faithfulness Correlation. Quantus' number comes with [`Correlation::Pearson`],
/// [`subset_size`](MuFidelity::subset_size), [`Features::Positions`], [`Baseline::SampleMin`] and
/// its draws as [`GivenSubsets`](crate::perturbation::GivenSubsets), on inputs flattened to rows:
/// its features are elements, not positions.
///
/// # Source
/// Bhatt et al., *Evaluating and Aggregating Feature-based Model Explanations*, 2020, definition 3.
/// Xplique's `MuFidelity` draws its subsets as [`SubsetSampling::Independent`] does, though its
/// text promises a fixed size, shares them between the samples of a batch, and counts an undefined
/// correlation as 0 (its mean is `value · (n − n_undefined) / n`).
#[derive(Debug, Clone, PartialEq)]
pub struct MuFidelity {
    drops: SubsetDrops,
    correlation: Correlation,
}

impl Default for MuFidelity {
    fn default() -> Self {
        let subsets = RandomSubsets {
            features: Features::Grid(9),
            size: SubsetSize::Fraction(0.2),
            n_subsets: 200,
            sampling: SubsetSampling::default(),
            seed: 1,
        };
        Self {
            drops: SubsetDrops {
                subsets,
                baseline: Baseline::default(),
            },
            correlation: Correlation::default(),
        }
    }
}

impl MuFidelity {
    /// 200 subsets of a fifth of a 9 × 9 grid, baseline 0, seed 1.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn subsets(&mut self) -> &mut RandomSubsets {
        &mut self.drops.subsets
    }

    /// The number of cells along height, width and time, at least 1; `None` takes every position
    /// by itself.
    #[must_use]
    pub fn grid(mut self, cells: Option<usize>) -> Self {
        self.subsets().features = cells.map_or(Features::Positions, Features::Grid);
        self
    }

    /// Which positions go together in subsets.
    #[must_use]
    pub fn features(mut self, features: Features) -> Self {
        self.subsets().features = features;
        self
    }

    /// Which correlation: Spearman's is the default, Pearson's that of Quantus.
    #[must_use]
    pub fn correlation(mut self, correlation: Correlation) -> Self {
        self.correlation = correlation;
        self
    }

    /// The share of the cells in a subset, in (0, 1).
    #[must_use]
    pub fn fraction(mut self, fraction: f64) -> Self {
        self.subsets().size = SubsetSize::Fraction(fraction);
        self
    }

    /// The number of cells in a subset, instead of a share.
    #[must_use]
    pub fn subset_size(mut self, count: usize) -> Self {
        self.subsets().size = SubsetSize::Count(count);
        self
    }

    /// The number of subsets per sample, at least 2.
    #[must_use]
    pub fn n_subsets(mut self, n_subsets: usize) -> Self {
        self.subsets().n_subsets = n_subsets;
        self
    }

    /// How subsets are drawn.
    #[must_use]
    pub fn sampling(mut self, sampling: SubsetSampling) -> Self {
        self.subsets().sampling = sampling;
        self
    }
}

takes_baseline!(MuFidelity, drops.baseline);
takes_seed!(MuFidelity, drops.subsets.seed);

impl Metric for MuFidelity {
    fn info(&self) -> &'static MetricInfo {
        <Self as Registered>::INFO
    }
}

impl<T: Real> Measure<T> for MuFidelity {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.drops.subsets.prepare(run)?;
        self.drops.baseline.prepare(run)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        self.drops.plan(plan)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let subsets = batch.shared(&self.drops.subsets)?;
        // Ranks are taken once for all explainers.
        let of_ranks = self.correlation == Correlation::Spearman;
        let drops = match of_ranks {
            true => batch.shared(&SubsetDropRanks(self.drops.clone()))?,
            false => batch.shared(&self.drops)?,
        };
        // What threads may share; the caches may not be.
        let (drops, subsets): (&[f64], &Subsets) = (&drops, &subsets);
        let attributions = explained.attributions()?;
        let (positions, n_subsets) = (batch.run().n_positions(), subsets.n_subsets());
        Ok(parallel::map(batch.n_samples(), |sample| {
            let attributions = &attributions[sample * positions..(sample + 1) * positions];
            let sums = subsets.sums(sample, attributions);
            let drops = &drops[sample * n_subsets..(sample + 1) * n_subsets];
            match of_ranks {
                true => correlation_of_ranks(&centred_ranks(&sums), drops),
                false => self.correlation.of_finite(&sums, drops),
            }
        }))
    }
}

impl Registered for MuFidelity {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "mu-fidelity",
        title: "μFidelity",
        question: "Does the score fall as the attributions say when random subsets are removed?",
        direction: Direction::Higher,
        range: "[-1, 1]",
        needs: SCORE_NEEDS,
        source: "Bhatt et al., Evaluating and Aggregating Feature-based Model Explanations, 2020",
    };
    const OPTIONS: &'static [MetricOption<Self>] = &[
        MetricOption {
            info: OptionInfo {
                name: "subsets",
                value_name: "N",
                default: "200",
                help: "Random subsets per sample",
            },
            set: |metric, text| {
                let n = parse(input::N_SUBSETS, text, "a number of subsets, at least 2")?;
                Ok(metric.n_subsets(n))
            },
        },
        MetricOption {
            info: OptionInfo {
                name: "subset-fraction",
                value_name: "SHARE",
                default: "0.2",
                help: "The share of the cells in a subset, such as 0.2, or their number",
            },
            set: |metric, text| {
                let expected = "a share in (0, 1), or a number of cells";
                match text.trim().parse() {
                    Ok(count) => Ok(metric.subset_size(count)),
                    Err(_) => Ok(metric.fraction(parse(input::FRACTION, text, expected)?)),
                }
            },
        },
        MetricOption {
            info: OptionInfo {
                name: "subset-correlation",
                value_name: "spearman|pearson|kendall",
                default: "spearman",
                help: "Which correlation of drops and sums of attributions",
            },
            set: |metric, text| Ok(metric.correlation(text.parse()?)),
        },
        MetricOption {
            info: OptionInfo {
                name: "grid",
                value_name: "CELLS",
                default: "9",
                help: "Cells along each side of the grid that subsets are made of, or `none`",
            },
            set: |metric, text| {
                let expected = "a number of cells, at least 1, or none";
                Ok(metric.grid(parse_unless("none", input::GRID, text, expected)?))
            },
        },
        MetricOption {
            info: OptionInfo {
                name: "sampling",
                value_name: "fixed-size|independent",
                default: "fixed-size",
                help: "Whether all subsets have one size, or each cell is drawn by itself",
            },
            set: |metric, text| {
                let sampling = match text {
                    "fixed-size" => SubsetSampling::FixedSize,
                    "independent" => SubsetSampling::Independent,
                    _ => {
                        let expected = "fixed-size or independent";
                        return Err(Error::parameter(input::SAMPLING, text, expected));
                    }
                };
                Ok(metric.sampling(sampling))
            },
        },
        Self::BASELINE,
        Self::SEED,
    ];

    const GIVEN_DRAWS: Option<GivenDraws<Self>> = Some(GivenDraws {
        input: input::SUBSETS,
        take: |metric| metric.sampling(SubsetSampling::Given),
    });

    fn with_defaults() -> Self {
        Self::new()
    }
}
