//! The random logit test.

use ndarray::Array2;
use xai_core::describe::{Parameters, metric};
use xai_core::number::class_index;
use xai_core::output::arg_max;
use xai_core::random::{random_stream, uniform_index};
use xai_core::{Error, Input, Layout, Real, Result};

use crate::batch::{ExplainedBatch, Plan, RunData, RunWork, SideInput};
use crate::input;
use crate::map::MapSimilarity;
use crate::metric::{GivenDraws, IMAGES_ONLY, Measure, Registered};
use crate::model::Targets;

/// Similarity of the maps of the target class and of another class.
///
/// ```text
/// similarity of e(x, target) and e(x, another class)
/// ```
///
/// Every sample is explained for its target and for another class, drawn uniformly; the value is
/// the similarity of the two maps. **Lower is better**: an explanation that stays the same whatever
/// is asked (1) does not explain the answer.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::map::MapSimilarity;
/// use xai_attribution::metric::RandomLogit;
/// use xai_attribution::{Evaluate, model::Targets};
/// let x = array![[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]];
/// let test = RandomLogit::new(2).similarity(MapSimilarity::Spearman);
/// let deaf = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.to_owned())
/// };
/// assert_eq!(test.evaluate_explainer(&deaf, x.view(), &[0, 1])?.value, 1.0);
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
/// The explainer sees `2 n` inputs. Targets are class indices, or rows of which the largest column is
/// the class; the explainer is given others of the same kind (one-hot rows for rows).
///
/// No value where the similarity has none: of a constant map by any but SSIM.
///
/// # Extremes
/// −1: the maps are opposite. 0: they are not related. 1: the map does not depend on the class.
///
/// # Limits
/// Two classes of a binary model have opposite or equal maps by construction, and classes that look alike have like maps
/// for good reason.
///
/// # Source
/// Sixt et al., *When Explanations Lie*, 2020; Adebayo et al., *Sanity Checks for Saliency Maps*, 2018.
///
/// As Xplique's `RandomLogitMetric`, up to which class is drawn. Quantus draws the same classes for every batch:
/// [`OtherTargets::Given`] with its draws gives its numbers by Spearman's and Pearson's correlation. Its structural
/// similarity is that of *flattened* maps, whose windows run over the ends of rows and channels; it has no option here.
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
    /// Options of the comparison.
    #[param(default = MapSimilarity::Ssim)]
    similarity: MapSimilarity,
}

/// What else a sample is explained for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum OtherTargets {
    /// Another class, drawn uniformly, of each sample from a stream of its own.
    #[default]
    Drawn,
    /// What is handed in as [`GivenTargets`]: to repeat another tool's run, or to ask for a class of
    /// one's own choice.
    Given,
}

/// What else every sample is explained for: one target per sample.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenTargets(pub Targets);

impl SideInput for GivenTargets {
    const INPUT: Input = input::OTHER_TARGETS;

    fn check(&self, shape: &[usize], _layout: Layout) -> Result<()> {
        match self.0.n_samples() {
            n if n == shape[0] => Ok(()),
            n => Err(Error::shape(Self::INPUT, &[shape[0]], &[n])),
        }
    }
}

impl RandomLogit {
    /// A test of a model of so many classes, at least 2: by SSIM, seed 1.
    #[must_use]
    pub fn new(n_classes: usize) -> Self {
        Self::default().n_classes(Some(n_classes))
    }

    /// Where the other classes come from. Given ones need no number of classes.
    #[must_use]
    pub fn others(mut self, source: OtherTargets) -> Self {
        self.others.source = source;
        self
    }
}

registered!(RandomLogit, options);

impl<T: Real> Measure<T> for RandomLogit {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        run.shared(&self.others).map(drop)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        plan.explained(&self.others, plan.n_samples());
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let (run, samples) = (batch.run(), batch.samples());
        let maps = explained.maps()?;
        let others = run.shared(&self.others)?.select(samples.clone());
        let call = run.call(&samples);
        let others = explained.explain(batch.inputs(), &others, |row| row, &call)?;
        self.similarity
            .per_sample(maps, others.view(), run.layout())
    }
}

impl Registered for RandomLogit {
    // By its default similarity.
    const TAKES: &'static [Layout] = IMAGES_ONLY;
    const GIVEN_DRAWS: Option<GivenDraws<Self>> = Some(GivenDraws {
        input: input::OTHER_TARGETS,
        take: |metric| metric.others(OtherTargets::Given),
    });
}

/// Another class for every sample, each from a stream of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
#[params(of = RandomLogit, at = others)]
struct OtherClasses {
    /// The number of classes, which has to be given for targets that are class indices. Default: the number of
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
    /// An explainer may read a class that there is not from the other end.
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

impl<T: Real> RunWork<T> for OtherClasses {
    type Output = Targets;

    fn compute(&self, run: &RunData<'_, T>) -> Result<Targets> {
        if self.source == OtherTargets::Given {
            let given = &run.side::<GivenTargets>()?.0;
            self.check(given)?;
            return Ok(given.clone());
        }
        let n_classes = match (self.n_classes, run.targets()) {
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
            let mut stream = random_stream(self.seed, run.item(sample));
            let drawn = uniform_index(&mut stream, n_classes - 1);
            drawn + usize::from(drawn >= class)
        };
        match run.targets() {
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
