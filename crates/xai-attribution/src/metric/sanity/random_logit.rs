//! Random logit test: maps of the target class against maps of another class.

use ndarray::Array2;
use xai_core::describe::{Parameters, metric};
use xai_core::number::class_index;
use xai_core::output::arg_max;
use xai_core::random::{random_stream, uniform_index};
use xai_core::{Error, Input, InputLayout, Real, Result};

use crate::batch::{Dataset, DatasetWork, ExplainedBatch, Plan};
use crate::input;
use crate::map::MapSimilarity;
use crate::metric::{IMAGES_ONLY, Measure, PrecomputedDraws, Registered};
use crate::model::Targets;
use crate::side::SideInput;

/// Similarity of the maps of the target class and of another class.
///
/// ```text
/// similarity of e(x, target) and e(x, another class)
/// ```
///
/// Every sample is explained for its target and for another class, drawn uniformly; the value is
/// the similarity of the two maps. **Lower is better**: an explanation that is the same for both classes (1)
/// does not explain the prediction of either.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::map::MapSimilarity;
/// use xai_attribution::metric::RandomLogit;
/// use xai_attribution::{Evaluate, model::Targets};
/// let x = array![[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]];
/// let test = RandomLogit::new(2).similarity(MapSimilarity::Spearman);
/// let class_independent = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.to_owned())
/// };
/// assert_eq!(test.evaluate_explainer(&class_independent, x.view(), &[0, 1])?.value, 1.0);
/// let signed = |x: ArrayViewD<'_, f64>, y: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     let Targets::Classes(classes) = y else { return Err(std::fmt::Error) };
///     let mut maps = x.to_owned();
///     for (mut map, class) in maps.outer_iter_mut().zip(classes) {
///         map *= 1.0 - 2.0 * *class as f64;
///     }
///     Ok(maps)
/// };
/// assert_eq!(test.evaluate_explainer(&signed, x.view(), &[0, 1])?.value, -1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The explainer sees `2 n` inputs. Targets are class indices, or rows whose largest column is
/// the class; the targets of other classes are of the same kind (one-hot rows for rows).
///
/// A sample without a similarity has no value: for a constant map, only SSIM is defined.
///
/// # Extremes
/// −1: the maps are opposite. 0: they are not related. 1: the map does not depend on the class.
///
/// # Limits
/// The two classes of a binary model have opposite or equal maps by construction, and classes that look alike rightly
/// have similar maps.
///
/// # Source
/// Sixt et al., *When Explanations Lie*, 2020; Adebayo et al., *Sanity Checks for Saliency Maps*, 2018.
///
/// It equals Xplique's `RandomLogitMetric`, except for the drawn classes. Quantus draws the same classes for every
/// batch: [`OtherTargets::Given`] with its draws gives its numbers for Spearman's and Pearson's correlation. Its
/// structural similarity is that of *flattened* maps, whose windows cross the ends of rows and channels; there is no
/// option for it.
///
/// # Elsewhere
/// `quantus.RandomLogit`, `xplique.RandomLogitMetric`
#[metric(
    name = "random-logit",
    title = "Random Logit",
    direction = Direction::Lower,
    range = Range::SIGNED_SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = &[input::EXPLAINER, input::INPUTS, input::TARGETS],
    example = 0.077,
    constructor = false,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct RandomLogit {
    #[param(flatten, default = OtherClasses { n_classes: None, seed: 1, source: OtherTargets::Drawn, })]
    others: OtherClasses,
    /// Similarity of two maps.
    #[param(default = MapSimilarity::Ssim)]
    similarity: MapSimilarity,
}

/// Source of the other targets that samples are explained for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum OtherTargets {
    /// Another class, drawn uniformly. Each sample has its own random stream.
    #[default]
    Drawn,
    /// Targets from [`PrecomputedTargets`], to reproduce another tool's run or to choose the classes.
    Given,
}

/// Other targets that samples are explained for, one target per sample.
#[derive(Debug, Clone, PartialEq)]
pub struct PrecomputedTargets(pub Targets);

impl SideInput for PrecomputedTargets {
    const INPUT: Input = input::OTHER_TARGETS;

    fn check(&self, shape: &[usize], _layout: InputLayout) -> Result<()> {
        match self.0.n_samples() {
            n if n == shape[0] => Ok(()),
            n => Err(Error::shape(Self::INPUT, &[shape[0]], &[n])),
        }
    }
}

impl RandomLogit {
    /// Creates a test with SSIM and seed 1, for a model with `n_classes` classes, at least 2.
    #[must_use]
    pub fn new(n_classes: usize) -> Self {
        Self::default().n_classes(Some(n_classes))
    }

    /// Sets the source of the other classes. Given ones need no number of classes.
    #[must_use]
    pub fn others(mut self, source: OtherTargets) -> Self {
        self.others.source = source;
        self
    }
}

registered!(RandomLogit, options);

impl<T: Real> Measure<T> for RandomLogit {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        dataset.shared(&self.others).map(drop)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        plan.explained(&self.others, plan.n_samples());
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let (dataset, samples) = (batch.dataset(), batch.samples());
        let maps = explained.maps()?;
        let other_targets = dataset.shared(&self.others)?.select(samples.clone());
        let call = dataset.call(&samples);
        let other_maps = explained.explain(batch.inputs(), &other_targets, |row| row, &call)?;
        self.similarity
            .per_sample(maps, other_maps.view(), dataset.layout())
    }
}

impl Registered for RandomLogit {
    // The default similarity, SSIM, is defined for images only.
    const TAKES: &'static [InputLayout] = IMAGES_ONLY;
    const PRECOMPUTED_DRAWS: Option<PrecomputedDraws<Self>> = Some(PrecomputedDraws {
        input: input::OTHER_TARGETS,
        take: |metric| metric.others(OtherTargets::Given),
    });
}

/// Work that determines another class for every sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
#[params(of = RandomLogit, at = others)]
struct OtherClasses {
    /// Number of classes, which is required if targets are class indices. Default: the number of
    /// columns of targets that are rows.
    #[param(
        none = "auto",
        none_doc = "The number of columns of targets that are rows of weights.",
        at_least = 2
    )]
    n_classes: Option<usize>,
    /// Seed of the draws of the other classes. Default: 1.
    seed: u64,
    #[param(skip)]
    source: OtherTargets,
}

impl OtherClasses {
    /// Checks that given classes exist. An explainer might read a negative class from the end, as Python does.
    fn check(&self, given: &Targets) -> Result<()> {
        let Targets::Classes(classes) = given else {
            return Ok(());
        };
        let n_classes = self.n_classes.unwrap_or(usize::MAX);
        let mut classes = classes.iter().enumerate();
        classes.try_for_each(|(sample, &class)| {
            class_index(input::OTHER_TARGETS, sample, class, n_classes).map(drop)
        })
    }
}

impl<T: Real> DatasetWork<T> for OtherClasses {
    type Output = Targets;

    fn compute(&self, dataset: &Dataset<'_, T>) -> Result<Targets> {
        // Computed once per run: the classes are the same for all explainers, and given ones are checked before the
        // first call.
        if self.source == OtherTargets::Given {
            let given = &dataset.side::<PrecomputedTargets>()?.0;
            self.check(given)?;
            return Ok(given.clone());
        }
        let n_classes = match (self.n_classes, dataset.targets()) {
            (Some(n_classes), _) => n_classes,
            (None, Targets::Rows(rows)) => rows.ncols(),
            (None, Targets::Classes(_)) => {
                let expected = "the number of classes, for targets that are class indices";
                return Err(Error::parameter(input::N_CLASSES, "auto", expected));
            }
        };
        if n_classes < 2 {
            return Err(Error::parameter(input::N_CLASSES, n_classes, "at least 2"));
        }
        let other = |sample: usize, class: usize| {
            let mut stream = random_stream(self.seed, dataset.item(sample));
            // A draw from one class less, from which the target's own class is skipped, is uniform over all others.
            let drawn = uniform_index(&mut stream, n_classes - 1);
            drawn + usize::from(drawn >= class)
        };
        match dataset.targets() {
            Targets::Classes(classes) => {
                let others = classes.iter().enumerate().map(|(sample, &class)| {
                    let class = class_index(input::TARGETS, sample, class, n_classes)?;
                    Ok(i64::try_from(other(sample, class)).unwrap_or(i64::MAX))
                });
                others.collect::<Result<_>>().map(Targets::Classes)
            }
            Targets::Rows(rows) if rows.ncols() != n_classes => {
                let expected = [rows.nrows(), n_classes];
                Err(Error::shape(input::TARGETS, &expected, rows.shape()))
            }
            Targets::Rows(rows) => {
                let mut others = Array2::zeros(rows.dim());
                for (sample, row) in rows.outer_iter().enumerate() {
                    let class = arg_max(&row.to_vec()).unwrap_or_default();
                    others[[sample, other(sample, class)]] = 1.0;
                }
                Ok(Targets::Rows(others))
            }
        }
    }
}
