//! Labels drawn from class probabilities.

use xai_core::{Error, Result, random_stream, uniform};

/// How often labels are redrawn before a rare class is given up on.
const MOST_REDRAWS: u64 = 10_000;

/// Draws `n` labels, class `i` with probability `probabilities[i]`, from the stream of
/// `(seed, item)`.
///
/// With `every_class` the whole draw is repeated until each class occurs.
///
/// # Errors
/// [`Error::Empty`] without classes; [`Error::NonFinite`] and [`Error::OutOfDomain`] for
/// probabilities that are not at least 0 and do not sum to 1 (within 1e-9); with `every_class`
/// [`Error::TooFew`] for fewer labels than classes, and [`Error::InvalidParameter`] for a class too
/// rare to occur in 10 000 draws.
///
/// ```
/// let labels = xai_repro::sample_labels(&[0.5, 0.3, 0.2], 100, false, 1, 0)?;
/// assert!(labels.len() == 100 && labels.iter().all(|&label| label < 3));
/// # Ok::<(), xai_repro::Error>(())
/// ```
pub fn sample_labels(
    probabilities: &[f64],
    n: usize,
    every_class: bool,
    seed: u64,
    item: u64,
) -> Result<Vec<usize>> {
    let cumulative = cumulative(probabilities)?;
    let c = probabilities.len();
    if every_class && n < c {
        return Err(Error::too_few("labels, to have every class", c, n));
    }
    if every_class {
        check_likely(probabilities, n)?;
    }
    let mut stream = random_stream(seed, item);
    let mut labels = vec![0; n];
    for _ in 0..MOST_REDRAWS {
        for label in &mut labels {
            let u = uniform(&mut stream);
            *label = cumulative.partition_point(|&upper| upper <= u).min(c - 1);
        }
        if !every_class || has_every_class(&labels, c) {
            return Ok(labels);
        }
    }
    Err(too_rare(probabilities, n))
}

/// Refuses at once what redrawing would find out late: a draw has every class with at most the
/// chance that it has the rarest one.
fn check_likely(probabilities: &[f64], n: usize) -> Result<()> {
    #[allow(clippy::cast_precision_loss)] // a rough bound
    let absent = (n as f64 * (-rarest(probabilities)).ln_1p()).exp();
    #[allow(clippy::cast_precision_loss)]
    if (1.0 - absent) * (MOST_REDRAWS as f64) < 1.0 {
        return Err(too_rare(probabilities, n));
    }
    Ok(())
}

fn rarest(probabilities: &[f64]) -> f64 {
    probabilities.iter().copied().fold(f64::INFINITY, f64::min)
}

fn too_rare(probabilities: &[f64], n: usize) -> Error {
    Error::parameter(
        "probabilities",
        format!("{} for the rarest class", rarest(probabilities)),
        format!("a class likely enough to occur among {n} labels; draw more labels"),
    )
}

fn cumulative(probabilities: &[f64]) -> Result<Vec<f64>> {
    if probabilities.is_empty() {
        return Err(Error::empty("classes"));
    }
    xai_core::check_finite_slice("probabilities", probabilities)?;
    if let Some(i) = probabilities.iter().position(|&p| p < 0.0) {
        let value = probabilities[i];
        return Err(Error::out_of_domain(
            "probabilities",
            &[i],
            value,
            "a probability",
        ));
    }
    let total = probabilities
        .iter()
        .copied()
        .collect::<xai_core::ExactSum>()
        .value();
    if (total - 1.0).abs() > 1e-9 {
        return Err(Error::out_of_domain(
            "sum of probabilities",
            &[],
            total,
            "1, within 1e-9",
        ));
    }
    let mut sum = 0.0;
    let mut cumulative: Vec<f64> = probabilities
        .iter()
        .map(|p| {
            sum += p;
            sum
        })
        .collect();
    // Rounding must not leave a gap above the last class that is possible.
    let last = probabilities
        .iter()
        .rposition(|&p| p > 0.0)
        .unwrap_or_default();
    for upper in &mut cumulative[last..] {
        *upper = 1.0;
    }
    Ok(cumulative)
}

fn has_every_class(labels: &[usize], c: usize) -> bool {
    let mut seen = vec![false; c];
    for &label in labels {
        seen[label] = true;
    }
    seen.into_iter().all(|class| class)
}
