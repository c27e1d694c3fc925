//! The pointing game.

use xai_core::describe::{
    Direction, Invariance, MetricInfo, Parameter, Parameters, Range, Reading,
};

use crate::metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap};

/// Does the largest attribution lie on the object?
///
/// ```text
/// PG_i = 1[ some position of the object is within `radius` of the position of the largest attribution ]
/// ```
///
/// 1 or 0 per sample, **higher is better**; the value is the share of hits. The distance is
/// Euclidean, in positions. Where several positions share the largest attribution the lowest
/// counts, or any of them ([`Ties::Any`]). [`weighted`](MaskMetric::weighted) makes a hit count
/// `1 − size of the object / size of the map`, so that large objects, which are hit by chance,
/// count less. An empty mask has no value.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::PointingGame};
/// let maps = array![[0.1, 0.9, 0.2], [0.8, 0.1, 0.7]];
/// let masks = Masks::new(array![[[false, true, false]], [[false, false, true]]]);
/// let data = || Data::of_maps(maps.view()).with(masks.clone());
/// assert_eq!(PointingGame::new().evaluate_on(data())?.value, 0.5);
/// assert_eq!(PointingGame::new().radius(2.0).evaluate_on(data())?.value, 1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Zhang et al., *Top-Down Neural Attention by Excitation Backprop*, 2018 (with a radius of 15
/// pixels). Quantus takes radius 0 and [`Ties::Any`], and counts an empty mask as a hit.
pub type PointingGame = MaskMetric<Pointing>;

/// Which position counts where several share the largest attribution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Ties {
    /// The lowest of them.
    #[default]
    Lowest,
    /// A hit by any of them is a hit.
    Any,
}

/// The formula of [`PointingGame`].
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
#[params(of = PointingGame, at = formula)]
pub struct Pointing {
    /// How far beside the object still counts, in positions.
    #[param(at_least = 0)]
    radius: f64,
    /// Which position counts where several share the largest attribution.
    ties: Ties,
    /// Whether a hit counts by how small the object is: a large one is easier to hit.
    weighted: bool,
}

impl Pointing {
    fn hits(&self, map: &MaskedMap<'_>, position: usize) -> bool {
        if map.inside[position] || self.radius < 1.0 {
            return map.inside[position];
        }
        let place = |p: usize| ((p / map.n_columns) as f64, (p % map.n_columns) as f64);
        let (row, column) = place(position);
        let within = |p: usize| {
            let (r, c) = place(p);
            (r - row).hypot(c - column) <= self.radius
        };
        (0..map.inside.len()).any(|p| map.inside[p] && within(p))
    }
}

impl MaskFormula for Pointing {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "pointing-game",
        title: "Pointing game",
        question: "Does the largest attribution lie on the object?",
        direction: Direction::Higher,
        invariance: Invariance::SCALE_AND_MIRROR,
        range: Range::SHARE,
        needs: MASK_NEEDS,
        source: "Zhang et al., Top-Down Neural Attention by Excitation Backprop, 2018",
        reading: Reading {
            formula: "1[some position of the object is within radius of the position of the largest attribution]",
            extremes: "0: no largest attribution lies on the object. 1: every one does.",
            limits: "One position is all that it looks at. Large objects are hit by chance, and a model may rightly use what is beside the object.",
            peers: &["quantus.PointingGame"],
            example: Some(1.0),
        },
    };

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        let largest = map.attributions.iter().copied().fold(f64::MIN, f64::max);
        let mut tops = (0..map.attributions.len()).filter(|&p| map.attributions[p] == largest);
        let is_hit = match self.ties {
            Ties::Lowest => tops.next().is_some_and(|top| self.hits(map, top)),
            Ties::Any => tops.any(|top| self.hits(map, top)),
        };
        let weight = match self.weighted {
            true => 1.0 - map.n_inside as f64 / map.inside.len() as f64,
            false => 1.0,
        };
        Some(if is_hit { weight } else { 0.0 })
    }
}
