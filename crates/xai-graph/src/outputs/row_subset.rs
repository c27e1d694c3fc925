//! A subset of the samples, by position.

use xai_core::{Error, Result};

/// The number of rows to visit: those of `index`, or all `n_samples`.
///
/// # Errors
/// [`Error::Empty`] when there are none, [`Error::OutOfDomain`] for one beyond the samples.
pub(crate) fn n_rows(index: Option<&[usize]>, n_samples: usize) -> Result<usize> {
    let Some(index) = index else {
        return if n_samples == 0 {
            Err(Error::empty("samples"))
        } else {
            Ok(n_samples)
        };
    };
    if index.is_empty() {
        return Err(Error::empty("index"));
    }
    if let Some(at) = index.iter().position(|&row| row >= n_samples) {
        #[allow(clippy::cast_precision_loss)] // for the message
        let value = index[at] as f64;
        return Err(Error::out_of_domain(
            "index",
            &[at],
            value,
            format!("a sample, 0..{n_samples}"),
        ));
    }
    Ok(index.len())
}
