//! Fields of states that were stored, and come from anywhere.

use serde::de::{Deserialize, Deserializer, Error};

/// More is counted by no state: the counts of a great many states together stay within their integers.
pub const MAX_COUNT: u64 = 1 << 48;

/// What is said of a state that counts more.
pub const TOO_MANY: &str = "a state that counts more than 2^48";

/// Reads a count of at most [`MAX_COUNT`]; to be named by `#[serde(deserialize_with = "…")]`.
///
/// # Errors
/// A number that no state counts to.
pub fn bounded_count<'de, D, N>(deserializer: D) -> Result<N, D::Error>
where
    D: Deserializer<'de>,
    N: Deserialize<'de> + Copy + TryInto<u64>,
{
    let count = N::deserialize(deserializer)?;
    match count.try_into() {
        Ok(0..=MAX_COUNT) => Ok(count),
        _ => Err(D::Error::custom(TOO_MANY)),
    }
}
