//! How many positions are the top of a map.

use xai_core::describe::Parameter;
use xai_core::{Error, Result};

use crate::input;

/// How many positions are the top.
///
/// As text a whole number is a count, a decimal fraction a share: `20`, `0.1`.
#[derive(Debug, Clone, Copy, PartialEq, Parameter)]
#[param(name = "k")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TopK {
    /// So many, at least 1 and at most the positions of a map.
    #[param(plain, at_least = 1)]
    Count(usize),
    /// This share of the positions, in (0, 1]: the nearest number, at least 1.
    #[param(plain, above = 0, at_most = 1)]
    Share(f64),
}

impl Default for TopK {
    /// A tenth of the positions.
    fn default() -> Self {
        Self::Share(0.1)
    }
}

impl TopK {
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
                input::K,
                k,
                format!("1 to {n_positions}, the positions of a map"),
            )),
            Self::Share(share) => Err(Error::parameter(
                input::K,
                share,
                "a share of the positions in (0, 1]",
            )),
        }
    }
}
