//! MeGe and ReCo: do models that agree have similar maps?

use ndarray::{ArrayView2, ArrayViewD};
use xai_core::describe::metric;
use xai_core::number::check_finite;
use xai_core::statistics::{centred_ranks, correlate_ranks};
use xai_core::{Error, ExactMean, InputLayout, Label, Real, Result, parallel};

use crate::input;
use crate::map::positions::attributions_of_maps;
use crate::metric::Parameters;

/// Similarity of maps of models that are both right (MeGe), and its contrast to pairs with one wrong model (ReCo).
///
/// ```text
/// MeGe = 1 / (1 + mean S⁼), ReCo = max over γ of (share of S⁼ up to γ + share of S^≠ above γ − 1), S the distances
/// √(1 − |Spearman|) of the maps of two models that are both right (S⁼), and of which one is (S^≠)
/// ```
///
/// Models of the same architecture are trained on different parts of the data. The distance of the maps of two models
/// for one sample is `√(1 − |Spearman|)`. It belongs to `S⁼` if both models are right about the sample, to `S^≠` if one
/// of them is, and is left out if neither is.
///
/// MeGe (representativity) is in [0.5, 1]: 1 = models that agree have the same maps, so that one explanation
/// is representative of all. ReCo (consistency) is in [0, 1]: 1 = the distance shows whether two models
/// agree, 0 = it does not. Higher is better for both.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::InputLayout;
/// use xai_attribution::metric::Representativity;
/// let first = array![[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]].into_dyn();
/// let second = array![[1.0, 2.0, 4.0], [2.0, 1.0, 3.0]].into_dyn();
/// // Both are right about sample 0 and have the same ranking; about sample 1 only the first is right.
/// let predictions = array![[0, 1], [0, 0]];
/// let values = Representativity::new(InputLayout::Tabular)
///     .evaluate(&[first.view(), second.view()], predictions.view(), &[0, 1])?;
/// assert_eq!((values.mege, values.reco), (Some(1.0), Some(1.0)));
/// assert_eq!((values.n_same, values.n_different), (1, 1));
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// MeGe 0.5: maps of models that agree are not related, 1: they have the same ranking. ReCo 0: distances do not show
/// whether two models agree, 1: they do.
///
/// # Limits
/// Models may agree for different reasons, and their maps then rightly differ. It needs several trainings, and does not
/// evaluate single maps.
///
/// # Source
/// Fel et al., *How good is your explanation? Algorithmic stability measures to assess the quality of explanations for
/// deep neural networks*, 2020.
///
/// Xplique's `MeGe` tries about 20 thresholds and leaves out distances that equal the threshold;
/// [`peer_thresholds`](Self::peer_thresholds) gives its number if no two distances are equal. Otherwise, the distances
/// that are left out depend on the last bits of the rank correlations, which the two implementations sum in different
/// orders.
///
/// # Elsewhere
/// `xplique.MeGe`
#[metric(
    name = "representativity",
    title = "Representativity (MeGe, ReCo)",
    direction = Direction::Higher,
    range = Range::SHARE.when("(MeGe: at least 0.5)"),
    invariance = Invariance::SCALE,
    needs = &[input::EXPLANATIONS, input::PREDICTIONS, input::LABELS],
    constructor = false,
)]
#[derive(Debug, Clone, PartialEq, Eq, Parameters)]
pub struct Representativity {
    #[param(skip)]
    layout: InputLayout,
    #[param(skip)]
    folds: Option<Vec<usize>>,
    /// Uses Xplique's thresholds for ReCo instead of all: about 20 of the sorted distances, and distances that equal
    /// the threshold are left out. If no two distances are equal, the value is Xplique's, up to rounding.
    peer_thresholds: bool,
}

/// MeGe and ReCo, and the numbers of distances they are computed from.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MegeReco {
    /// Mean generalizability; `None` if `n_same` is 0.
    pub mege: Option<f64>,
    /// Relative consistency; `None` if `n_same` or `n_different` is 0.
    pub reco: Option<f64>,
    /// Number of distances for which both models are right; pairs without a distance are not counted.
    pub n_same: usize,
    /// Number of distances for which one of the two models is right.
    pub n_different: usize,
    /// Number of pairs left out because a constant map has no rank correlation.
    pub n_undefined: usize,
}

impl Representativity {
    /// Creates the metric over all samples and all thresholds, for maps of this layout.
    #[must_use]
    pub fn new(layout: InputLayout) -> Self {
        Self {
            layout,
            folds: None,
            peer_thresholds: false,
        }
    }

    /// Sets, for each sample, the index of the model that has *not* seen it in training, `(n,)`. A pair of models is
    /// then compared on the samples that one of the two has not seen, as in the cross-validation of the paper.
    #[must_use]
    pub fn held_out_by(mut self, models: Vec<usize>) -> Self {
        self.folds = Some(models);
        self
    }

    /// Computes MeGe and ReCo from the maps of every model, the predictions, of shape `(models, n)`, and the true
    /// labels, of shape `(n,)`.
    ///
    /// The metric has its own method because it compares the maps of several models, and the batches of a run
    /// have those of one.
    ///
    /// # Errors
    /// Less than two models, no samples, a shape mismatch, an attribution that is not finite, and a fold that
    /// is not the index of a model.
    pub fn evaluate<T: Real, L: Label>(
        &self,
        maps: &[ArrayViewD<'_, T>],
        predictions: ArrayView2<'_, L>,
        labels: &[L],
    ) -> Result<MegeReco> {
        self.check(maps.len(), predictions, labels)?;
        let n = labels.len();
        let ranks: Result<Vec<Vec<f64>>> = maps
            .iter()
            .map(|maps_of| self.ranks(maps_of, maps, n))
            .collect();
        let (mut same, mut different, mut n_undefined) = (Vec::new(), Vec::new(), 0);
        for (both_right, distance) in self.distances(&ranks?, predictions, labels) {
            match distance {
                None => n_undefined += 1,
                Some(distance) if both_right => same.push(distance),
                Some(distance) => different.push(distance),
            }
        }
        // Ascending for the binary searches of `reco`.
        same.sort_unstable_by(f64::total_cmp);
        different.sort_unstable_by(f64::total_cmp);
        let mean = same.iter().copied().collect::<ExactMean>().value();
        let both = !same.is_empty() && !different.is_empty();
        let reco = if self.peer_thresholds {
            reco_of_xplique
        } else {
            reco
        };
        Ok(MegeReco {
            mege: mean.map(|mean| 1.0 / (1.0 + mean)),
            reco: both.then(|| reco(&same, &different)),
            n_same: same.len(),
            n_different: different.len(),
            n_undefined,
        })
    }

    /// Checks that there are enough models, and predictions, labels and folds for all of them.
    fn check<L: Label>(
        &self,
        n_models: usize,
        predictions: ArrayView2<'_, L>,
        labels: &[L],
    ) -> Result<()> {
        let (k, n) = (n_models, labels.len());
        if k < 2 {
            return Err(Error::too_few(input::MODELS, 2, k));
        }
        if n == 0 {
            return Err(Error::empty(input::LABELS));
        }
        if predictions.dim() != (k, n) {
            return Err(Error::shape(
                input::PREDICTIONS,
                &[k, n],
                predictions.shape(),
            ));
        }
        let Some(folds) = &self.folds else {
            return Ok(());
        };
        if folds.len() != n {
            return Err(Error::shape(input::FOLDS, &[n], &[folds.len()]));
        }
        match folds.iter().position(|&fold| fold >= k) {
            None => Ok(()),
            Some(i) => {
                let expected = format!("the number of a model, below {k}");
                Err(Error::out_of_domain(
                    input::FOLDS,
                    &[i],
                    folds[i] as f64,
                    expected,
                ))
            }
        }
    }

    /// Returns, for every pair of models and every sample that counts, whether both models are right and the distance
    /// of their maps, which is `None` if one of them is constant.
    fn distances<L: Label>(
        &self,
        ranks: &[Vec<f64>],
        predictions: ArrayView2<'_, L>,
        labels: &[L],
    ) -> Vec<(bool, Option<f64>)> {
        let (k, n) = (ranks.len(), labels.len());
        let positions = ranks[0].len() / n;
        let mut pairs = Vec::new();
        for i in 0..k {
            for j in i + 1..k {
                pairs.extend((0..n).map(|sample| (i, j, sample)));
            }
        }
        let distances = parallel::map(pairs.len(), |pair| {
            let (i, j, sample) = pairs[pair];
            let held_out = |folds: &Vec<usize>| [i, j].contains(&folds[sample]);
            if !self.folds.as_ref().is_none_or(held_out) {
                return None;
            }
            let right = |model: usize| predictions[[model, sample]] == labels[sample];
            // Distances go to pairs of two right models or of a right and a wrong one; two wrong models are in neither
            // set.
            if !right(i) && !right(j) {
                return None;
            }
            let ranks_of = |model: usize| {
                let start = sample * positions;
                &ranks[model][start..start + positions]
            };
            let rho = correlate_ranks(ranks_of(i), ranks_of(j));
            Some((
                right(i) && right(j),
                rho.map(|rho| (1.0 - rho.abs()).sqrt()),
            ))
        });
        distances.into_iter().flatten().collect()
    }

    /// Centred ranks of the attributions of one model. They are computed once per model rather than once per pair.
    fn ranks<T: Real>(
        &self,
        maps: &ArrayViewD<'_, T>,
        all: &[ArrayViewD<'_, T>],
        n: usize,
    ) -> Result<Vec<f64>> {
        if maps.shape() != all[0].shape() || maps.shape().first() != Some(&n) {
            let mut expected = all[0].shape().to_vec();
            if let Some(first) = expected.first_mut() {
                *first = n;
            }
            return Err(Error::shape(input::EXPLANATIONS, &expected, maps.shape()));
        }
        check_finite(input::EXPLANATIONS, maps.view())?;
        let attributions = attributions_of_maps(maps.view(), self.layout)?;
        let positions = attributions.len() / n;
        let ranks = parallel::map(n, |i| {
            centred_ranks(&attributions[i * positions..(i + 1) * positions])
        });
        Ok(ranks.concat())
    }
}

/// ReCo over all thresholds. Both slices are sorted.
fn reco(same: &[f64], different: &[f64]) -> f64 {
    let at = |&gamma: &f64| {
        let share_up_to =
            |values: &[f64]| values.partition_point(|&x| x <= gamma) as f64 / values.len() as f64;
        share_up_to(same) - share_up_to(different)
    };
    // The difference only rises at distances in `same`, so its maximum is at one of them, or 0 below all.
    same.iter().map(at).fold(0.0, f64::max)
}

/// ReCo as Xplique computes it: over at most 20 evenly spaced ones of the sorted distances, without the distances that
/// equal the threshold, and with 1e-10 in the divisors.
fn reco_of_xplique(same: &[f64], different: &[f64]) -> f64 {
    let mut all = [same, different].concat();
    all.sort_unstable_by(f64::total_cmp);
    let at = |&gamma: &f64| {
        let sides = |values: &[f64]| {
            let below = values.partition_point(|&x| x < gamma);
            let above = values.len() - values.partition_point(|&x| x <= gamma);
            let (below, above) = (below as f64, above as f64);
            (
                below / (below + above + 1e-10),
                above / (below + above + 1e-10),
            )
        };
        sides(same).0 + sides(different).1 - 1.0
    };
    all.iter()
        .step_by(all.len() / 20 + 1)
        .map(at)
        .fold(0.0, f64::max)
}
