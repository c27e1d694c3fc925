//! The number of positions that count as the top of a map.

use xai_core::describe::Parameter;
use xai_core::{Error, Result};

use crate::input;

/// Number of positions in the top of a map.
///
/// As text, an integer such as `20` is a count, and a decimal fraction such as `0.1` is a share of the positions.
#[derive(Debug, Clone, Copy, PartialEq, Parameter)]
#[param(name = "k")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TopK {
    /// A count, at least 1 and at most the number of positions of a map.
    #[param(plain, at_least = 1)]
    Count(usize),
    /// A share of the positions, in (0, 1], rounded to the nearest count, at least 1.
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
    /// Returns the number of positions in the top of a map with `n_positions` positions.
    ///
    /// # Errors
    /// An invalid parameter for a count that is 0 or larger than the map, and for a share outside (0, 1].
    pub fn resolve(self, n_positions: usize) -> Result<usize> {
        match self {
            Self::Count(k) if (1..=n_positions).contains(&k) => Ok(k),
            // At least 1: a small share of a small map would otherwise round to an empty top.
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
