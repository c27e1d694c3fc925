//! Validation of stored states, which may come from untrusted files.

use serde::de::{Deserialize, Deserializer, Error};

/// Largest count in a state. The counts of up to 65 535 states add up without overflow of `u64`.
pub const MAX_COUNT: u64 = 1 << 48;

/// Error text for a larger count.
pub const TOO_MANY: &str = "a state that counts more than 2^48";

/// Deserializes a count of at most [`MAX_COUNT`], for `#[serde(deserialize_with = "…")]`.
///
/// # Errors
/// A number outside `0..=MAX_COUNT`.
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
