//! The pointing game.

use xai_core::describe::{Parameter, Parameters, metric};

use crate::metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap};

/// Whether the largest attribution lies on the object.
///
/// ```text
/// 1[some position of the object is within radius of the position of the largest attribution]
/// ```
///
/// Without ties it is 1 or 0 per sample, **higher is better**; the value is the share of hits. The distance is
/// Euclidean, in positions. If several positions share the largest attribution, the value is the share of them that
/// hit, and a map whose attributions are all equal has no value, unless [`ties`](MaskMetric::ties) says otherwise. With
/// [`weighted`](MaskMetric::weighted), a hit counts `1 − size of the object / size of the map`, so that large objects,
/// which are easily hit by chance, count less. An empty mask has no value.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::PointingGame};
/// let maps = array![[0.1, 0.9, 0.2], [0.8, 0.1, 0.7]];
/// let masks = Masks::new(array![[[false, true, false]], [[false, false, true]]]);
/// let data = || EvaluationData::from_maps(maps.view()).with(masks.clone());
/// assert_eq!(PointingGame::new().evaluate_on(data())?.value, 0.5);
/// assert_eq!(PointingGame::new().radius(2.0).evaluate_on(data())?.value, 1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: the largest attribution of no map is on the object. 1: that of every map is.
///
/// # Limits
/// It uses a single position of each map. Large objects are easily hit by chance, and a model may rightly use the
/// background.
///
/// # Source
/// Zhang et al., *Top-Down Neural Attention by Excitation Backprop*, 2018 (with a radius of 15 pixels).
///
/// Quantus uses radius 0 and [`PointingTies::Any`], and counts an empty mask as a hit.
///
/// # Elsewhere
/// `quantus.PointingGame`
#[metric(
    name = "pointing-game",
    describes = Pointing,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 1.0,
)]
pub type PointingGame = MaskMetric<Pointing>;

/// Treatment of positions that share the largest attribution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "ties")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum PointingTies {
    /// The value is the share of the tied positions that hit. A map whose attributions are all equal has no value.
    #[default]
    Expected,
    /// The position of the lowest index counts. Mirror images then have different values.
    LowestIndex,
    /// A hit by any of the tied positions is a hit, as in Quantus.
    Any,
}

/// The formula of [`PointingGame`].
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
#[params(of = PointingGame, at = formula)]
pub struct Pointing {
    /// Distance from the object that still counts as a hit, in positions.
    #[param(at_least = 0)]
    radius: f64,
    /// Treatment of positions that share the largest attribution.
    ties: PointingTies,
    /// Multiplies a hit by the share of the map outside the object: a large object is easier to hit.
    weighted: bool,
}

impl Pointing {
    /// Returns a function that tests whether a position is within the radius of the object.
    fn hits<'m>(&self, map: &'m MaskedMap<'m>) -> impl Fn(usize) -> bool + use<'m> {
        let (radius, n_columns) = (self.radius, map.n_columns);
        let n_rows = map.inside.len() / n_columns;
        // For each position, the distance to the nearest position of the object in its row. A test then reads one
        // number per row within reach instead of all positions, which matters because many positions may be tied. Below
        // a radius of 1 only positions of the object itself hit.
        let in_row = if radius < 1.0 {
            Vec::new()
        } else {
            let rows = map.inside.chunks_exact(n_columns);
            rows.flat_map(distances_in_row).collect()
        };
        move |position| {
            if map.inside[position] || radius < 1.0 {
                return map.inside[position];
            }
            let (row, column) = (position / n_columns, position % n_columns);
            // No row is farther away than `n_rows`; without the bound, `row + reach` would overflow for a huge radius.
            let reach = radius.min(n_rows as f64) as usize;
            (row.saturating_sub(reach)..(row + reach + 1).min(n_rows)).any(|other| {
                let across: f64 = in_row[other * n_columns + column];
                across.hypot(other.abs_diff(row) as f64) <= radius
            })
        }
    }
}

/// Distance of each position of a row to the nearest position of the object in that row; infinite if there is none.
fn distances_in_row(inside: &[bool]) -> Vec<f64> {
    // One pass in each direction; the nearest position on either side is the one seen last.
    let mut distances = vec![f64::INFINITY; inside.len()];
    let mut visit = |columns: &mut dyn Iterator<Item = usize>| {
        let mut nearest = f64::INFINITY;
        for column in columns {
            nearest = if inside[column] { 0.0 } else { nearest + 1.0 };
            distances[column] = distances[column].min(nearest);
        }
    };
    visit(&mut (0..inside.len()));
    visit(&mut (0..inside.len()).rev());
    distances
}

impl MaskFormula for Pointing {
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        if self.ties == PointingTies::Expected && map.is_constant() {
            return None;
        }
        let largest = map.attributions.iter().copied().fold(f64::MIN, f64::max);
        let tops = (0..map.attributions.len()).filter(|&p| map.attributions[p] == largest);
        let hits = self.hits(map);
        let mut are_hits = tops.map(hits);
        let share = match self.ties {
            PointingTies::Expected => {
                let (n_hits, n) = are_hits.fold((0, 0), |(n_hits, n), hit| {
                    (n_hits + usize::from(hit), n + 1)
                });
                n_hits as f64 / f64::from(n)
            }
            PointingTies::LowestIndex => f64::from(u8::from(are_hits.next() == Some(true))),
            PointingTies::Any => f64::from(u8::from(are_hits.any(|hit| hit))),
        };
        let weight = if self.weighted {
            1.0 - map.n_inside as f64 / map.inside.len() as f64
        } else {
            1.0
        };
        Some(share * weight)
    }
}
