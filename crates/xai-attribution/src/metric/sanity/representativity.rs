//! MeGe and ReCo: do models that agree explain themselves alike?

use ndarray::{ArrayView2, ArrayViewD};
use xai_core::describe::metric;
use xai_core::number::check_finite;
use xai_core::statistics::ranks::{centred_ranks, correlate_ranks};
use xai_core::{Error, ExactMean, Label, Layout, Real, Result, parallel};

use crate::input;
use crate::map::positions::attributions_of_maps;
use crate::metric::Parameters;

/// Similarity of the maps of models that are both right (MeGe), and its contrast to models of which one is wrong (ReCo).
///
/// ```text
/// MeGe = 1 / (1 + mean S⁼), ReCo = max over γ of (share of S⁼ up to γ + share of S^≠ above γ − 1), S the distances
/// √(1 − |Spearman|) of the maps of two models that are both right (S⁼), and of which one is (S^≠)
/// ```
///
/// Models of the same architecture are trained on different parts of the data. The distance of the
/// maps of two models for one sample is `√(1 − |Spearman|)`. Where both models are right it goes to
/// `S⁼`, where one of them is right to `S^≠`, where none is it is left out.
///
/// MeGe (representativity) in [0.5, 1]: 1 = models that agree explain alike, so one explanation
/// tells about the others. ReCo (consistency) in [0, 1]: 1 = a distance tells whether two models
/// agree, 0 = it does not. Higher is better for both.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::Layout;
/// use xai_attribution::metric::Representativity;
/// let first = array![[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]].into_dyn();
/// let second = array![[1.0, 2.0, 4.0], [2.0, 1.0, 3.0]].into_dyn();
/// // Both are right about sample 0 and explain it alike; about sample 1 only the first is right.
/// let predictions = array![[0, 1], [0, 0]];
/// let of = Representativity::new(Layout::Tabular)
///     .evaluate(&[first.view(), second.view()], predictions.view(), &[0, 1])?;
/// assert_eq!((of.mege, of.reco), (Some(1.0), Some(1.0)));
/// assert_eq!((of.n_same, of.n_different), (1, 1));
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// MeGe 0.5: maps of models that agree are not related, 1: they are the same. ReCo 0: distances do not tell whether two
/// models agree, 1: they do.
///
/// # Limits
/// Models may agree for different reasons, and their maps then rightly differ. It needs several trainings, and says
/// nothing about one map.
///
/// # Source
/// Fel et al., *How good is your explanation? Algorithmic stability measures to assess the quality of explanations for
/// deep neural networks*, 2020.
///
/// Xplique's `MeGe` tries about 20 thresholds and leaves out what equals one; [`peer_thresholds`](Self::peer_thresholds)
/// gives its number where no two distances are equal. Which of equal distances are left out depends on the last bits of
/// the rank correlations, which the two compute in different orders.
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
    layout: Layout,
    #[param(skip)]
    folds: Option<Vec<usize>>,
    /// Whether ReCo takes the thresholds of Xplique instead of all: about 20 distances in their order, and
    /// what equals one is left out. Where no two distances are equal the value is Xplique's, up to rounding.
    peer_thresholds: bool,
}

/// MeGe and ReCo, and what they stand on.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MegeReco {
    /// Mean generalizability; `None` without a pair of models that agree.
    pub mege: Option<f64>,
    /// Relative consistency; `None` without a pair that agrees and one that differs.
    pub reco: Option<f64>,
    /// Distances where both models are right.
    pub n_same: usize,
    /// Distances where one of the two is right.
    pub n_different: usize,
    /// Pairs left out because a constant map has no rank correlation.
    pub n_undefined: usize,
}

impl Representativity {
    /// Over all samples and all thresholds, for maps of this layout.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        Self {
            layout,
            folds: None,
            peer_thresholds: false,
        }
    }

    /// Which model has *not* seen each sample in training, `(n,)`. A pair of models is then compared
    /// on the samples that one of the two has not seen, as the paper does in cross-validation.
    #[must_use]
    pub fn held_out_by(mut self, models: Vec<usize>) -> Self {
        self.folds = Some(models);
        self
    }

    /// MeGe and ReCo from the maps of every model, `predictions` `(models, n)` and the true labels
    /// `(n,)`.
    ///
    /// It has a call of its own because it judges the maps of several models together, which no
    /// batch of one model's maps has.
    ///
    /// # Errors
    /// Too few below two models, empty, a shape mismatch, not finite, out of domain for a fold that
    /// is no model.
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
        same.sort_unstable_by(f64::total_cmp);
        different.sort_unstable_by(f64::total_cmp);
        let mean = same.iter().copied().collect::<ExactMean>().value();
        let both = !same.is_empty() && !different.is_empty();
        let reco = if self.peer_thresholds {
            reco_of_peer
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

    /// The distance of every pair of models on every sample that counts, and whether both are right
    /// there; no distance where a constant map has no ranks.
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
            if !right(i) && !right(j) {
                return None;
            }
            let of = |model: usize| &ranks[model][sample * positions..(sample + 1) * positions];
            let rho = correlate_ranks(of(i), of(j));
            Some((
                right(i) && right(j),
                rho.map(|rho| (1.0 - rho.abs()).sqrt()),
            ))
        });
        distances.into_iter().flatten().collect()
    }

    /// The ranks of the attributions of one model.
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

fn share(count: usize, of: &[f64]) -> f64 {
    count as f64 / of.len() as f64
}

/// Over all thresholds; both sides ascend.
fn reco(same: &[f64], different: &[f64]) -> f64 {
    let at = |&gamma: &f64| {
        let below = |values: &[f64]| values.partition_point(|&x| x <= gamma);
        share(below(same), same) - share(below(different), different)
    };
    same.iter().map(at).fold(0.0, f64::max)
}

/// Over evenly spaced distances in their order, about 20 of them; a distance that equals the threshold
/// is on neither side.
fn reco_of_peer(same: &[f64], different: &[f64]) -> f64 {
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
