//! Attribution localization.

use xai_core::{Direction, Error, MetricInfo, Result};

use crate::input;
use crate::metric::kinds::mask_metric::{
    MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap, Relevance,
};
use crate::metric::options::{MetricOption, OptionInfo, parse};

/// How much of the relevance lies within the object, with the size of the object in view?
///
/// ```text
/// μ_i = R_in / R_tot        weighted: μ_w,i = μ_i · S_tot / S_in
/// ```
///
/// `R` sums the [`Relevance`] (by default the positive part of the attributions) over the object and
/// over all positions, `S` counts them. μ is in [0, 1], **higher is better**; weighted, 1 is what an
/// even map has, whatever the size of the object, and the largest value is `S_tot / S_in`. Samples
/// whose object takes a larger share than [`max_size`](MaskMetric::max_size) have no value, nor have
/// maps without relevance, nor empty masks.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::AttributionLocalization};
/// let maps = array![[3.0, 1.0, -9.0, 0.0]];
/// let data = || Data::of_maps(maps.view()).with(Masks::new(array![[[true, false, true, false]]]));
/// let localization = AttributionLocalization::new();
/// assert_eq!(localization.evaluate_on(data())?.value, 0.75);
/// assert_eq!(localization.weighted(true).evaluate_on(data())?.value, 1.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Kohlbrenner et al., *Towards Best Practice in Explaining Neural Network Decisions with LRP*,
/// 2020. Quantus divides by the relevance plus 1e-9, and its weight is another (the share of the
/// mask in the wrong axes).
pub type AttributionLocalization = MaskMetric<Localization>;

/// The formula of [`AttributionLocalization`].
#[derive(Debug, Clone, PartialEq)]
pub struct Localization {
    relevance: Relevance,
    weighted: bool,
    max_size: f64,
}

impl Default for Localization {
    fn default() -> Self {
        Self {
            relevance: Relevance::default(),
            weighted: false,
            max_size: 1.0,
        }
    }
}

impl MaskMetric<Localization> {
    /// Which part of an attribution counts.
    #[must_use]
    pub fn relevance(mut self, relevance: Relevance) -> Self {
        self.formula.relevance = relevance;
        self
    }

    /// Whether the share is in units of the object's size.
    #[must_use]
    pub fn weighted(mut self, weighted: bool) -> Self {
        self.formula.weighted = weighted;
        self
    }

    /// The largest share of the positions that an object may take, in (0, 1]. Default: 1.
    #[must_use]
    pub fn max_size(mut self, share: f64) -> Self {
        self.formula.max_size = share;
        self
    }
}

impl MaskFormula for Localization {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "attribution-localization",
        title: "Attribution localization",
        question: "What share of the relevance lies within the object, given its size?",
        direction: Direction::Higher,
        range: "[0, 1]; weighted [0, inf)",
        needs: MASK_NEEDS,
        source: "Kohlbrenner et al., Towards Best Practice in Explaining Neural Network Decisions with LRP, 2020",
    };

    const OPTIONS: &'static [MetricOption<AttributionLocalization>] = &[
        MetricOption {
            info: Relevance::INFO,
            set: |metric, text| Ok(metric.relevance(text.parse()?)),
        },
        MetricOption {
            info: OptionInfo {
                name: "weighted",
                value_name: "true|false",
                default: "false",
                help: "Whether the size of the object counts, which is easier to hit when it is large",
            },
            set: |metric, text| {
                let expected = "true or false";
                Ok(metric.weighted(parse(input::WEIGHTED, text, expected)?))
            },
        },
        MetricOption {
            info: OptionInfo {
                name: "max-size",
                value_name: "SHARE",
                default: "1",
                help: "The largest share of the positions that an object may take; others have no value",
            },
            set: |metric, text| {
                let expected = "a share in (0, 1]";
                Ok(metric.max_size(parse(input::MAX_SIZE, text, expected)?))
            },
        },
        AttributionLocalization::POOL_OPTION,
    ];

    fn check(&self, _n_positions: usize) -> Result<()> {
        if self.max_size > 0.0 && self.max_size <= 1.0 {
            return Ok(());
        }
        let expected = "a share in (0, 1]";
        Err(Error::parameter(input::MAX_SIZE, self.max_size, expected))
    }

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        let size = map.n_inside as f64 / map.inside.len() as f64;
        if size > self.max_size {
            return None;
        }
        let share = self.relevance.share_inside(map)?;
        Some(if self.weighted { share / size } else { share })
    }
}
