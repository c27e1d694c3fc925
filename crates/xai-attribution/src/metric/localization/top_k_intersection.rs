//! Top-k intersection.

use std::str::FromStr;

use xai_core::{Direction, Error, MetricInfo, Result};

use crate::input;
use crate::metric::kinds::mask_metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap};
use crate::metric::options::{MetricOption, OptionInfo, parse};

/// What share of the largest attributions lies on the object?
///
/// ```text
/// TKI_i = |top k positions ∩ object| / k        capped: / min(k, |object|)
/// ```
///
/// In [0, 1], **higher is better**. An object of fewer than `k` positions can reach at most
/// `|object| / k`; [`capped`](MaskMetric::capped) divides by what can be reached.
/// [`influence`](MaskMetric::influence) multiplies by `n_positions / |object|`, which makes 1 what a
/// random map has (and larger values possible). Ties go to the lower position; an empty mask has no
/// value.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::metric::{TopK, TopKIntersection};
/// use xai_attribution::Evaluate;
/// let maps = array![[0.9, 0.8, 0.1, 0.0]];
/// let data = || Data::of_maps(maps.view()).with(Masks::new(array![[[true, false, false, false]]]));
/// let metric = TopKIntersection::new().k(TopK::Count(2));
/// assert_eq!(metric.evaluate_on(data())?.value, 0.5);
/// assert_eq!(metric.clone().capped(true).evaluate_on(data())?.value, 1.0);
/// assert_eq!(metric.influence(true).evaluate_on(data())?.value, 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Theiner et al., *Interpretable Semantic Photo Geolocation*, 2021. Quantus takes 1 000 positions
/// by default, whatever the size of the map.
pub type TopKIntersection = MaskMetric<Intersection>;

/// How many positions are the top.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TopK {
    /// So many, at least 1 and at most the positions of a map.
    Count(usize),
    /// This share of the positions, in (0, 1]: the nearest number, at least 1.
    Share(f64),
}

impl Default for TopK {
    /// A tenth of the positions.
    fn default() -> Self {
        Self::Share(0.1)
    }
}

impl TopK {
    const EXPECTED: &'static str =
        "a number of positions of a map, at least 1, or a share of them in (0, 1]";

    /// The option `top-k`.
    pub(crate) const OPTION: OptionInfo = OptionInfo {
        name: "top-k",
        value_name: "TOP",
        default: "0.1",
        help: "How many positions are the top: a number, or a share such as 0.1",
    };

    /// The number for maps of so many positions.
    ///
    /// # Errors
    /// An invalid parameter.
    pub fn of(self, n_positions: usize) -> Result<usize> {
        match self {
            Self::Count(k) if (1..=n_positions).contains(&k) => Ok(k),
            Self::Share(share) if share > 0.0 && share <= 1.0 => {
                Ok(((share * n_positions as f64).round() as usize).max(1))
            }
            Self::Count(k) => Err(Error::parameter(
                input::TOP_K,
                k,
                format!("1 to {n_positions}, the positions of a map"),
            )),
            Self::Share(share) => Err(Error::parameter(input::TOP_K, share, Self::EXPECTED)),
        }
    }
}

impl FromStr for TopK {
    type Err = Error;

    /// A whole number is a count, a decimal fraction a share: `20`, `0.1`.
    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        if let Ok(count) = text.parse() {
            return Ok(Self::Count(count));
        }
        parse(input::TOP_K, text, Self::EXPECTED).map(Self::Share)
    }
}

/// The formula of [`TopKIntersection`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Intersection {
    k: TopK,
    capped: bool,
    influence: bool,
}

impl MaskMetric<Intersection> {
    /// How many positions are the top. Default: a tenth of them.
    #[must_use]
    pub fn k(mut self, k: TopK) -> Self {
        self.formula.k = k;
        self
    }

    /// Whether an object of fewer than `k` positions can reach 1.
    #[must_use]
    pub fn capped(mut self, capped: bool) -> Self {
        self.formula.capped = capped;
        self
    }

    /// Whether the share is in units of the object's share of the positions.
    #[must_use]
    pub fn influence(mut self, influence: bool) -> Self {
        self.formula.influence = influence;
        self
    }
}

impl MaskFormula for Intersection {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "top-k-intersection",
        title: "Top-k intersection",
        question: "What share of the largest attributions lies on the object?",
        direction: Direction::Higher,
        range: "[0, 1]; with influence [0, inf)",
        needs: MASK_NEEDS,
        source: "Theiner et al., Interpretable Semantic Photo Geolocation, 2021",
    };

    const OPTIONS: &'static [MetricOption<TopKIntersection>] = &[
        MetricOption {
            info: TopK::OPTION,
            set: |metric, text| Ok(metric.k(text.parse()?)),
        },
        MetricOption {
            info: OptionInfo {
                name: "capped",
                value_name: "true|false",
                default: "false",
                help: "Whether an object smaller than the top can reach 1",
            },
            set: |metric, text| Ok(metric.capped(parse(input::CAPPED, text, "true or false")?)),
        },
        MetricOption {
            info: OptionInfo {
                name: "influence",
                value_name: "true|false",
                default: "false",
                help: "Whether the share is in units of what a random map has",
            },
            set: |metric, text| {
                Ok(metric.influence(parse(input::INFLUENCE, text, "true or false")?))
            },
        },
        TopKIntersection::POOL_OPTION,
    ];

    fn check(&self, n_positions: usize) -> Result<()> {
        self.k.of(n_positions).map(drop)
    }

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        let k = self.k.of(map.inside.len()).ok()?;
        let reachable = if self.capped { k.min(map.n_inside) } else { k };
        let share = map.hits(k) as f64 / reachable as f64;
        Some(match self.influence {
            true => share * map.inside.len() as f64 / map.n_inside as f64,
            false => share,
        })
    }
}
