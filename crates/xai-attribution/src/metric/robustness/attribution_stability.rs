//! Stability of maps among neighbours of one prediction.

use ndarray::Axis;
use xai_core::describe::{Parameters, metric};
use xai_core::{Real, Result};

use crate::batch::{ExplainedBatch, MapWork, Plan, RunData};
use crate::input;
use crate::map::MapSimilarity;
use crate::metric::{GivenDraws, Measure, Registered};
use crate::perturbation::neighborhood::neighbor_changes::{in_calls, maps_of_neighbors};
use crate::perturbation::{Neighborhood, Neighbors, OutputChanges};

/// Similarity of the maps of a sample and of its neighbours with the same prediction.
///
/// ```text
/// mean over neighbours x' of the same prediction of similarity(e(x), e(x'))
/// ```
///
/// By structural similarity, Spearman's correlation or the share of the largest attributions that are the
/// same ([`MapSimilarity`]): where the map is, how it orders, what it marks. In [−1, 1], **higher is
/// better**, 1 = the map stays as it is. Neighbours of another prediction are left out: their
/// explanation ought to change. No value without a neighbour that is left, and where all
/// similarities are undefined, as the correlation of a constant map is.
///
/// ```
/// use ndarray::{Array2, ArrayD, ArrayViewD, array};
/// use xai_attribution::model::Targets;
/// use xai_attribution::{Evaluate, batch::Data, metric::AttributionStability};
/// let model = |x: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(x.into_dimensionality().unwrap().to_owned())
/// };
/// // The map is the input: within 0.1 its order stays as it is.
/// let same = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.to_owned())
/// };
/// let x = array![[1.0, 2.0, 3.0]];
/// let data = Data::new(x.view(), &[2]).model(&model).explainer(&same);
/// assert_eq!(AttributionStability::new().evaluate_on(data)?.value, 1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The explainer sees `n · (1 + n_neighbors)` inputs, and so does the model; the three of
/// [`suite`](Self::suite) together no more.
///
/// Defaults: by Spearman's correlation, which takes maps of any layout, of 20 neighbours within 0.1 both ways, seed 1.
///
/// # Extremes
/// −1: maps of neighbours are opposite. 0: they are not related. 1: the map stays as it is.
///
/// # Limits
/// A map that is the same for all inputs has 1 and may say nothing.
///
/// # Source
/// Subramaniakuppusamy and Gajjar, *Feature Attribution Stability Suite: How Stable Are Post-Hoc Attributions?*, 2026.
///
/// The suite also rotates, brightens and compresses images: pass such copies minus their images as [given
/// neighbours](Neighborhood::Given). Maps are compared position by position.
#[metric(
    name = "attribution-stability",
    title = "Attribution Stability (FASS)",
    direction = Direction::Higher,
    range = Range::SIGNED_SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::MODEL, input::EXPLAINER, input::INPUTS, input::TARGETS],
    example = 0.9645,
)]
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct AttributionStability {
    /// Neighbours of each sample.
    #[param(flatten, setter, default = Neighbors { neighborhood: Neighborhood::Around, ..Neighbors::default() })]
    neighbors: Neighbors,
    /// Similarity of two maps.
    #[param(default = MapSimilarity::Spearman)]
    similarity: MapSimilarity,
    /// Whether it shares the neighbours' maps with the others of the suite.
    #[param(skip)]
    in_suite: bool,
}

/// The similarities of [`AttributionStability::suite`].
const SUITE: [MapSimilarity; 3] = [
    MapSimilarity::Ssim,
    MapSimilarity::Spearman,
    MapSimilarity::Jaccard { percent: 10 },
];

impl AttributionStability {
    /// By structural similarity, by Spearman's correlation and by the largest tenth of the attributions:
    /// three metrics of images that share their neighbours' maps where one run has them.
    #[must_use]
    pub fn suite() -> [Self; 3] {
        SUITE.map(|similarity| Self {
            similarity,
            in_suite: true,
            ..Self::default()
        })
    }

    /// With another similarity than those of the suite it shares no maps.
    fn work(&self) -> NeighborSimilarities {
        let similarities = match self.in_suite && SUITE.contains(&self.similarity) {
            true => SUITE.to_vec(),
            false => vec![self.similarity],
        };
        NeighborSimilarities {
            neighbors: self.neighbors,
            similarities,
        }
    }
}

/// How alike the maps of all neighbours are to those of their samples, by each of some similarities.
#[derive(Debug, Clone, PartialEq)]
struct NeighborSimilarities {
    neighbors: Neighbors,
    similarities: Vec<MapSimilarity>,
}

impl<T: Real> MapWork<T> for NeighborSimilarities {
    /// One entry per neighbour, in it one per similarity.
    type Output = Vec<Vec<Option<f64>>>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Self::Output> {
        let (batch, maps) = (explained.batch(), explained.maps()?);
        in_calls(batch, &self.neighbors, |rows, count| {
            let answer = maps_of_neighbors(explained, &self.neighbors, rows.clone(), count)?;
            let sample_of: Vec<usize> = rows.clone().map(|row| row / count).collect();
            let of_samples = maps.select(Axis(0), &sample_of);
            let mut values = vec![Vec::new(); rows.len()];
            for similarity in &self.similarities {
                let (maps, neighbors) = (of_samples.view(), answer.view());
                let by_row = similarity.per_sample(maps, neighbors, batch.layout())?;
                values.iter_mut().zip(by_row).for_each(|(v, s)| v.push(s));
            }
            Ok(values)
        })
    }
}

impl<T: Real> Measure<T> for AttributionStability {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.neighbors.prepare(run)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let count = self.neighbors.count(plan.run())?;
        plan.maps();
        plan.explained(&self.work(), plan.n_samples() * count as u64);
        OutputChanges(self.neighbors).plan(plan)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let kept = batch.shared(&OutputChanges(self.neighbors))?;
        let work = self.work();
        let similarities = explained.shared(&work)?;
        let place = work
            .similarities
            .iter()
            .position(|s| *s == self.similarity)
            .expect("its own similarity");
        let count = self.neighbors.count(batch.run())?;
        let value = |sample: usize| {
            let rows = (sample * count..(sample + 1) * count).filter(|&r| kept.same_prediction[r]);
            let defined: Vec<f64> = rows.filter_map(|r| similarities[r][place]).collect();
            (!defined.is_empty()).then(|| defined.iter().sum::<f64>() / defined.len() as f64)
        };
        Ok((0..batch.n_samples()).map(value).collect())
    }
}

registered!(AttributionStability, options);

impl Registered for AttributionStability {
    const GIVEN_DRAWS: Option<GivenDraws<Self>> = given_neighbors!();
}
