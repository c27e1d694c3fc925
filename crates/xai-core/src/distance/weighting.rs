//! How much a neighbour counts, by its distance.

use std::str::FromStr;

use crate::describe::{Kind, Parameter, Value, Word, WordValue, parse};
use crate::error::{Error, Input, Result};
use crate::input;

/// The weight of a neighbour at a distance.
///
/// Implemented by [`Kernel`] and by every closure `Fn(f64) -> f64`. A weight is finite and at least
/// 0; who uses the weights checks that.
///
/// ```
/// use xai_core::{Kernel, Weighting};
/// assert_eq!(Kernel::InverseCube.weight(1.0), 0.125);
/// assert_eq!((|d: f64| 1.0 - d).weight(0.25), 0.75);
/// ```
pub trait Weighting: Send + Sync {
    /// The weight at a distance, which is finite and at least 0.
    fn weight(&self, distance: f64) -> f64;
}

impl<F: Fn(f64) -> f64 + Send + Sync> Weighting for F {
    fn weight(&self, distance: f64) -> f64 {
        self(distance)
    }
}

/// The usual weightings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Kernel {
    /// `1 / (d + 1)³`: the peer's, and the default.
    #[default]
    InverseCube,
    /// 1: plain voting.
    Uniform,
    /// `1 / (d + offset)^exponent`, both positive.
    InversePower {
        /// How fast the weight falls.
        exponent: f64,
        /// What keeps the weight finite at distance 0.
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
    /// Checks the kernel's own parameters.
    ///
    /// # Errors
    /// `InvalidParameter` for one that is not finite and positive.
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

const fn with_parameter(name: &'static str, doc: &'static str, value_name: &'static str) -> Word {
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

/// By hand, since an inverse power with another offset than 1 has two parameters.
impl Parameter for Kernel {
    const KIND: Kind = Kind::Words(&[
        word("inverse-cube", "1 / (d + 1)³ at distance d."),
        word("uniform", "1: plain voting."),
        with_parameter("inverse-power", "1 / (d + 1)^P at distance d.", "P"),
        with_parameter("gaussian", "exp(−d² / (2 H²)) at distance d.", "H"),
        with_parameter("exponential", "exp(−d / H) at distance d.", "H"),
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
