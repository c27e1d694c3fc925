//! Stability of maps among neighbours with the same prediction (FASS).

use ndarray::Axis;
use xai_core::describe::{Parameters, metric};
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, MapWork, Plan};
use crate::input;
use crate::map::MapSimilarity;
use crate::metric::{Measure, PrecomputedDraws, Registered};
use crate::perturbation::neighborhood::neighbor_changes::{in_calls, maps_of_neighbors};
use crate::perturbation::{Neighbors, OutputChanges};

/// Similarity of the maps of a sample and of its neighbours with the same prediction.
///
/// ```text
/// mean over neighbours x' of the same prediction of similarity(e(x), e(x'))
/// ```
///
/// The similarity ([`MapSimilarity`]) is the structural similarity, Spearman's or Pearson's correlation, or the Jaccard
/// index of the largest attributions. In [−1, 1] (with the Jaccard index in [0, 1]), **higher is better**. Neighbours
/// with another prediction are left out, because their explanation should differ, and so are undefined similarities,
/// such as the correlation with a constant map. The value is undefined if no neighbour remains.
///
/// ```
/// use ndarray::{Array2, ArrayD, ArrayViewD, array};
/// use xai_attribution::model::Targets;
/// use xai_attribution::{Evaluate, EvaluationData, metric::AttributionStability};
/// let model = |x: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(x.into_dimensionality().unwrap().to_owned())
/// };
/// // The map is the input, whose order does not change within 0.1.
/// let same = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.to_owned())
/// };
/// let x = array![[1.0, 2.0, 3.0]];
/// let data = EvaluationData::new(x.view(), &[2]).model(&model).explainer(&same);
/// assert_eq!(AttributionStability::new().evaluate_on(data)?.value, 1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The explainer sees `n · (1 + n_neighbors)` inputs, and so does the model; this also holds for the three metrics of
/// [`suite`](Self::suite) together.
///
/// Defaults: Spearman's correlation, which is defined for any layout, and 20 neighbours within ±0.1, seed 1.
///
/// # Extremes
/// −1: maps of neighbours are opposite. 0: they are not related. 1: the map does not change.
///
/// # Limits
/// A map that is the same for all inputs has 1 and may say nothing.
///
/// # Source
/// Subramaniakuppusamy and Gajjar, *Feature Attribution Stability Suite: How Stable Are Post-Hoc Attributions?*, 2026.
///
/// The paper also rotates, brightens and compresses images: pass the differences between such copies and their images
/// as [given neighbours](crate::perturbation::Neighborhood::Given). Maps are compared position by position.
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
    #[param(flatten, setter, default = Neighbors::around(0.1))]
    neighbors: Neighbors,
    /// Similarity of two maps.
    #[param(default = MapSimilarity::Spearman)]
    similarity: MapSimilarity,
    /// Shares the maps of the neighbours with the other metrics of the suite.
    #[param(skip)]
    in_suite: bool,
}

/// Similarities of [`AttributionStability::suite`].
const SUITE: [MapSimilarity; 3] = [
    MapSimilarity::Ssim,
    MapSimilarity::Spearman,
    MapSimilarity::Jaccard { percent: 10 },
];

impl AttributionStability {
    /// Returns the metrics of the suite: structural similarity, Spearman's correlation, and the Jaccard index of the
    /// largest tenth of the attributions. They are for images, and share the maps of the neighbours within a run.
    #[must_use]
    pub fn suite() -> [Self; 3] {
        SUITE.map(|similarity| Self {
            similarity,
            in_suite: true,
            ..Self::default()
        })
    }

    /// Returns the work on the neighbours' maps. Maps are not kept, so metrics share them by computing all similarities
    /// of the suite at once; a metric with another similarity computes only its own.
    fn work(&self) -> NeighborSimilarities {
        let similarities = if self.in_suite && SUITE.contains(&self.similarity) {
            SUITE.to_vec()
        } else {
            vec![self.similarity]
        };
        NeighborSimilarities {
            neighbors: self.neighbors,
            similarities,
        }
    }
}

/// Work that computes the similarities of the maps of all neighbours to those of their samples.
#[derive(Debug, Clone, PartialEq)]
struct NeighborSimilarities {
    neighbors: Neighbors,
    similarities: Vec<MapSimilarity>,
}

impl<T: Real> MapWork<T> for NeighborSimilarities {
    /// Similarities by `[neighbour][similarity]`.
    type Output = Vec<Vec<Option<f64>>>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Self::Output> {
        let (batch, maps) = (explained.batch(), explained.maps()?);
        in_calls(batch, &self.neighbors, |rows, count| {
            let neighbor_maps = maps_of_neighbors(explained, &self.neighbors, rows.clone(), count)?;
            let samples: Vec<usize> = rows.clone().map(|row| row / count).collect();
            let sample_maps = maps.select(Axis(0), &samples);
            let mut values = vec![Vec::new(); rows.len()];
            for similarity in &self.similarities {
                let (maps, neighbors) = (sample_maps.view(), neighbor_maps.view());
                let by_row = similarity.per_sample(maps, neighbors, batch.layout())?;
                for (values, similarity) in values.iter_mut().zip(by_row) {
                    values.push(similarity);
                }
            }
            Ok(values)
        })
    }
}

impl<T: Real> Measure<T> for AttributionStability {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.neighbors.prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let count = self.neighbors.count(plan.dataset())?;
        plan.maps();
        plan.explained(&self.work(), plan.n_samples() * count as u64);
        OutputChanges(self.neighbors).plan(plan)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let kept = batch.shared(&OutputChanges(self.neighbors))?;
        let work = self.work();
        let similarities = explained.shared(&work)?;
        let own = work
            .similarities
            .iter()
            .position(|s| *s == self.similarity)
            .expect("its own similarity");
        let count = self.neighbors.count(batch.dataset())?;
        let value = |sample: usize| {
            let rows = (sample * count..(sample + 1) * count).filter(|&r| kept.same_prediction[r]);
            let defined: Vec<f64> = rows.filter_map(|r| similarities[r][own]).collect();
            (!defined.is_empty()).then(|| defined.iter().sum::<f64>() / defined.len() as f64)
        };
        Ok((0..batch.n_samples()).map(value).collect())
    }
}

registered!(AttributionStability, options);

impl Registered for AttributionStability {
    const PRECOMPUTED_DRAWS: Option<PrecomputedDraws<Self>> = given_neighbors!();
}
