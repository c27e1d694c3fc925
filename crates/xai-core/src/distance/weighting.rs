//! Weights of neighbours by their distance.

use std::str::FromStr;

use crate::describe::{Kind, Parameter, Value, Word, WordValue, parse};
use crate::error::{Error, Input, Result};
use crate::input;

/// Weight of a neighbour as a function of its distance.
///
/// Implemented by [`Kernel`] and by every closure `Fn(f64) -> f64`. A weight must be finite and at
/// least 0, which is checked where weights are used.
///
/// ```
/// use xai_core::{Kernel, Weighting};
/// assert_eq!(Kernel::InverseCube.weight(1.0), 0.125);
/// assert_eq!((|d: f64| 1.0 - d).weight(0.25), 0.75);
/// ```
pub trait Weighting: Send + Sync {
    /// Weight at a distance, which is finite and at least 0.
    fn weight(&self, distance: f64) -> f64;
}

impl<F: Fn(f64) -> f64 + Send + Sync> Weighting for F {
    fn weight(&self, distance: f64) -> f64 {
        self(distance)
    }
}

/// Common weightings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Kernel {
    /// `1 / (d + 1)³`, the default.
    #[default]
    InverseCube,
    /// 1: plain voting.
    Uniform,
    /// `1 / (d + offset)^exponent`, both positive.
    InversePower {
        /// Exponent: larger values make the weight fall faster.
        exponent: f64,
        /// Offset, which keeps the weight finite at distance 0.
        offset: f64,
    },
    /// `exp(−d² / (2 h²))`.
    Gaussian {
        /// `h`, in units of the distance.
        bandwidth: f64,
    },
    /// `exp(−d / h)`.
    Exponential {
        /// `h`, in units of the distance.
        bandwidth: f64,
    },
}

impl Kernel {
    /// Checks the parameters of the kernel.
    ///
    /// # Errors
    /// `InvalidParameter` for a parameter that is not finite and positive.
    pub fn validate(&self) -> Result<()> {
        let parameters: &[(Input, f64)] = match self {
            Self::InverseCube | Self::Uniform => &[],
            Self::InversePower { exponent, offset } => {
                &[(input::EXPONENT, *exponent), (input::OFFSET, *offset)]
            }
            Self::Gaussian { bandwidth } | Self::Exponential { bandwidth } => {
                &[(input::BANDWIDTH, *bandwidth)]
            }
        };
        for &(parameter, value) in parameters {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::parameter(
                    parameter,
                    value,
                    "a finite number above 0",
                ));
            }
        }
        Ok(())
    }

    /// Ratio of two weights, `weight(distance) / weight(reference)`.
    ///
    /// It is computed from the distances, so it is correct even if both weights underflow to 0. It
    /// is at least 1 for a distance below the reference, and may then be ∞.
    ///
    /// ```
    /// use xai_core::{Kernel, Weighting};
    /// let kernel = Kernel::Exponential { bandwidth: 1.0 };
    /// assert_eq!((kernel.weight(746.0), kernel.weight(747.0)), (0.0, 0.0));
    /// assert_eq!(kernel.ratio(747.0, 746.0), (-1f64).exp());
    /// ```
    #[inline]
    #[must_use]
    pub fn ratio(&self, distance: f64, reference: f64) -> f64 {
        match *self {
            Self::InverseCube => {
                let ratio = (reference + 1.0) / (distance + 1.0);
                ratio * ratio * ratio
            }
            Self::Uniform => 1.0,
            Self::InversePower { exponent, offset } => {
                let ratio = (reference + offset) / (distance + offset);
                // A quotient outside the normal range has lost its digits or overflowed; its
                // logarithm has not.
                if (f64::MIN_POSITIVE..=f64::MAX).contains(&ratio) {
                    ratio.powf(exponent)
                } else {
                    self.ln_ratio(distance, reference).exp()
                }
            }
            Self::Gaussian { .. } | Self::Exponential { .. } => {
                self.ln_ratio(distance, reference).exp()
            }
        }
    }

    /// Natural logarithm of the [`ratio`](Self::ratio). It is never NaN.
    ///
    /// ```
    /// use xai_core::Kernel;
    /// let kernel = Kernel::Gaussian { bandwidth: 1.0 };
    /// assert_eq!(kernel.ln_ratio(200.0, 100.0), -15_000.0);
    /// ```
    #[must_use]
    pub fn ln_ratio(&self, distance: f64, reference: f64) -> f64 {
        // Terms of equal huge distances may overflow below, and 0 · ∞ and ∞ − ∞ are NaN.
        if distance == reference {
            return 0.0;
        }
        match *self {
            Self::InverseCube => 3.0 * (reference.ln_1p() - distance.ln_1p()),
            Self::Uniform => 0.0,
            Self::InversePower { exponent, offset } => {
                // The sum of two large numbers may overflow; that of their halves does not, and `ln
                // 2` corrects the factor.
                let ln = |distance: f64| match distance + offset {
                    sum if sum.is_finite() => sum.ln(),
                    _ => (0.5 * distance + 0.5 * offset).ln() + std::f64::consts::LN_2,
                };
                exponent * (ln(reference) - ln(distance))
            }
            // (r² − d²) / (2 h²) as a product of two factors, which does not cancel for close distances.
            Self::Gaussian { bandwidth } => {
                let difference = (reference - distance) / bandwidth;
                0.5 * difference * (distance / bandwidth + reference / bandwidth)
            }
            Self::Exponential { bandwidth } => (reference - distance) / bandwidth,
        }
    }
}

impl Weighting for Kernel {
    #[inline]
    fn weight(&self, distance: f64) -> f64 {
        match *self {
            Self::InverseCube => {
                let d = distance + 1.0;
                1.0 / (d * d * d)
            }
            Self::Uniform => 1.0,
            Self::InversePower { exponent, offset } => (distance + offset).powf(-exponent),
            Self::Gaussian { bandwidth } => {
                let scaled = distance / bandwidth;
                (-0.5 * scaled * scaled).exp()
            }
            Self::Exponential { bandwidth } => (-distance / bandwidth).exp(),
        }
    }
}

const POSITIVE: Kind = f64::KIND.above(0.0);

/// Word with a positive number behind a colon.
const fn word_with_parameter(
    name: &'static str,
    doc: &'static str,
    value_name: &'static str,
) -> Word {
    let value = Some(WordValue {
        name: value_name,
        kind: &POSITIVE,
        has_default: false,
    });
    let alias = "";
    Word {
        name,
        alias,
        doc,
        value,
    }
}

/// Word without a value.
const fn word(name: &'static str, doc: &'static str) -> Word {
    let value = None;
    let alias = "";
    Word {
        name,
        alias,
        doc,
        value,
    }
}

// Implemented by hand, because the text of an inverse power has one of its two parameters; the offset is 1.
impl Parameter for Kernel {
    const KIND: Kind = Kind::Words(&[
        word("inverse-cube", "1 / (d + 1)³ at distance d."),
        word("uniform", "1: plain voting."),
        word_with_parameter("inverse-power", "1 / (d + 1)^P at distance d.", "P"),
        word_with_parameter("gaussian", "exp(−d² / (2 H²)) at distance d.", "H"),
        word_with_parameter("exponential", "exp(−d / H) at distance d.", "H"),
    ]);

    fn from_value(value: &Value) -> Option<Self> {
        if !Self::KIND.admits(value) {
            return None;
        }
        let text = value.to_string();
        let (name, behind) = text.split_once(':').unwrap_or((&text, ""));
        let parameter = behind.trim().parse().unwrap_or(1.0);
        Some(match name.trim().replace('_', "-").as_str() {
            "uniform" => Self::Uniform,
            "inverse-power" => Self::InversePower {
                exponent: parameter,
                offset: 1.0,
            },
            "gaussian" => Self::Gaussian {
                bandwidth: parameter,
            },
            "exponential" => Self::Exponential {
                bandwidth: parameter,
            },
            _ => Self::InverseCube,
        })
    }

    fn to_value(&self) -> Value {
        match self {
            Self::InverseCube => "inverse-cube".into(),
            Self::Uniform => "uniform".into(),
            Self::InversePower { exponent, offset } if *offset == 1.0 => {
                Value::Text(format!("inverse-power:{exponent}"))
            }
            Self::InversePower { .. } => Value::Given,
            Self::Gaussian { bandwidth } => Value::Text(format!("gaussian:{bandwidth}")),
            Self::Exponential { bandwidth } => Value::Text(format!("exponential:{bandwidth}")),
        }
    }
}

impl FromStr for Kernel {
    type Err = Error;

    /// `inverse-cube`, `uniform`, `inverse-power:P` (offset 1), `gaussian:H` or `exponential:H`.
    fn from_str(text: &str) -> Result<Self> {
        parse(input::WEIGHTING, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn kernels_by_hand() {
        let at = |name: &str, d| name.parse::<Kernel>().unwrap().weight(d);
        assert_eq!(at("inverse-cube", 0.0), 1.0);
        assert_eq!(at("inverse-power:2", 1.0), 0.25);
        assert_eq!(at("uniform", 7.0), 1.0);
        assert_eq!(at("gaussian:2", 2.0), (-0.5f64).exp());
        assert_eq!(at("exponential:2", 2.0), (-1f64).exp());
        let offset = Kernel::InversePower {
            exponent: 1.0,
            offset: 0.5,
        };
        assert_eq!(offset.weight(0.0), 2.0);
    }

    #[test]
    fn ratios_equal_those_of_weights_and_do_not_underflow() {
        let kernels = [
            "inverse-cube",
            "uniform",
            "inverse-power:2.5",
            "gaussian:2",
            "exponential:0.5",
        ];
        for kernel in kernels.map(|name| name.parse::<Kernel>().unwrap()) {
            for (distance, reference) in [(0.0, 0.0), (3.0, 1.0), (0.5, 4.0), (1e-3, 0.0)] {
                let expected = kernel.weight(distance) / kernel.weight(reference);
                let ratio = kernel.ratio(distance, reference);
                assert!(
                    (ratio / expected - 1.0).abs() < 1e-14,
                    "{kernel:?}: {ratio}, {expected}"
                );
                let ln_ratio = kernel.ln_ratio(distance, reference);
                assert!((ln_ratio - expected.ln()).abs() < 1e-13, "{kernel:?}");
            }
            for distance in [1e-300, 1e3, 1e104, 1e200, f64::MAX] {
                assert_eq!(kernel.ratio(distance, distance), 1.0, "{kernel:?}");
                let farther = kernel.ratio(distance, distance / 2.0);
                assert!((0.0..=1.0).contains(&farther), "{kernel:?}: {farther}");
            }
        }
        // A weight of 1e-330, and one of 8e-330.
        assert_eq!(Kernel::InverseCube.ratio(2e110, 1e110), 0.125);
        let slow = Kernel::InversePower {
            exponent: 1e-3,
            offset: 1e-300,
        };
        assert!((slow.ratio(1e300, 0.0) - 10f64.powf(-0.6)).abs() < 1e-13);
        let far = Kernel::InversePower {
            exponent: 1.0,
            offset: f64::MAX,
        };
        assert!((far.ratio(f64::MAX, 0.0) - 0.5).abs() < 1e-13);
    }

    #[test]
    fn parameters_outside_their_domain_are_refused() {
        for name in [
            "gaussian:0",
            "gaussian:-1",
            "gaussian",
            "uniform:1",
            "exponential:NaN",
            "cubic",
        ] {
            let error = name.parse::<Kernel>().unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::InvalidParameter { .. }),
                "{name}"
            );
        }
    }
}
