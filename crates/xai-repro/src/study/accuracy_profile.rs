//! How each metric moves with accuracy.

use xai_core::{Error, ExactMean, Result};

use super::StudyDraw;

/// The mean of a metric over draws of similar accuracy, apart for independent and dependent errors:
/// where the two lines part, the metric tells the two apart; where one rises, it follows accuracy.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AccuracyProfile {
    /// The metric.
    pub metric: String,
    /// Over draws with independent errors, by ascending accuracy.
    pub independent: Vec<ProfilePoint>,
    /// Over draws with dependent errors, by ascending accuracy.
    pub dependent: Vec<ProfilePoint>,
}

/// The draws of one bin of accuracy.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ProfilePoint {
    /// Their mean accuracy, in [0, 1].
    pub accuracy: f64,
    /// Their mean of the metric.
    pub mean: f64,
    /// How many of them define the metric.
    pub n_defined: usize,
}

impl AccuracyProfile {
    /// The profiles of all metrics, in the order of [`StudyDraw::METRICS`], over `n_bins` bins of
    /// accuracy of equal width. Bins without a draw that defines the metric have no point.
    ///
    /// # Errors
    /// [`Error::Empty`] without draws, [`Error::InvalidParameter`] for no bins or more than 10 000, [`Error::Corrupt`]
    /// for a draw with another number of metrics.
    ///
    /// ```
    /// use xai_repro::{AccuracyProfile, Study};
    /// let draws = Study::builder().n_samples(100).build()?.draws(0..200)?;
    /// let profiles = AccuracyProfile::all(&draws, 5)?;
    /// let shared_errors = &profiles[1]; // ec_global
    /// assert_eq!(shared_errors.metric, "ec_global");
    /// // Accurate runs have few errors to share.
    /// assert!(shared_errors.independent[0].mean > shared_errors.independent.last().unwrap().mean);
    /// # Ok::<(), xai_repro::Error>(())
    /// ```
    pub fn all(draws: &[StudyDraw], n_bins: usize) -> Result<Vec<Self>> {
        if draws.is_empty() {
            return Err(Error::empty("draws of the study"));
        }
        if !(1..=10_000).contains(&n_bins) {
            return Err(Error::parameter("bins", n_bins, "1 to 10 000 bins"));
        }
        if let Some(draw) = draws
            .iter()
            .find(|draw| draw.metrics.len() != StudyDraw::N_METRICS)
        {
            return Err(Error::Corrupt {
                what: format!("draw {}", draw.draw).into(),
                why: format!("{} metrics", draw.metrics.len()).into(),
            });
        }
        let profile = |(i, name): (usize, &&str)| Self {
            metric: (*name).to_owned(),
            independent: points(draws, i, n_bins, false),
            dependent: points(draws, i, n_bins, true),
        };
        Ok(StudyDraw::METRICS.iter().enumerate().map(profile).collect())
    }
}

fn points(draws: &[StudyDraw], metric: usize, n_bins: usize, dependent: bool) -> Vec<ProfilePoint> {
    let mut bins = vec![(ExactMean::new(), ExactMean::new()); n_bins];
    for draw in draws
        .iter()
        .filter(|draw| draw.copied.is_some() == dependent)
    {
        if let Some(value) = draw.metrics[metric] {
            #[allow(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss
            )] // accuracy is in [0, 1]
            let bin = ((draw.accuracy * n_bins as f64) as usize).min(n_bins - 1);
            bins[bin].0.add(draw.accuracy);
            bins[bin].1.add(value);
        }
    }
    bins.iter()
        .filter_map(|(accuracy, values)| {
            Some(ProfilePoint {
                accuracy: accuracy.value()?,
                mean: values.value()?,
                n_defined: usize::try_from(values.count()).unwrap_or(usize::MAX),
            })
        })
        .collect()
}
