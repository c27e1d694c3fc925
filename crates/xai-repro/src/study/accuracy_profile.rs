//! How each metric moves with accuracy.

use xai_core::statistics::quantile;
use xai_core::{Error, ExactMean, Result};

use crate::input;
use crate::study::mean_metrics::MeanMetrics;
use crate::study::simulation::{StudyDraw, check_draws};

/// The mean and the spread of a metric over draws of similar accuracy, apart for independent and dependent errors:
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
    /// The 10 % quantile of these values.
    pub low: f64,
    /// The 90 % quantile of these values.
    pub high: f64,
    /// How many of them define the metric.
    pub n_defined: usize,
}

impl AccuracyProfile {
    /// The profiles of all metrics, in the order of [`MeanMetrics::names`], over `n_bins` bins of
    /// accuracy of equal width. Bins without a draw that defines the metric have no point.
    ///
    /// # Errors
    /// `InvalidParameter` for no bins or more than 10 000, `Empty` without draws, `Corrupt` for a draw with
    /// another number of metrics.
    ///
    /// ```
    /// use xai_repro::SimulationStudy;
    /// use xai_repro::study::{AccuracyProfile, StudySettings};
    /// let study = SimulationStudy::new(StudySettings { n_samples: 100, ..Default::default() })?;
    /// let profiles = AccuracyProfile::per_metric(&study.simulate(0..200)?, 5)?;
    /// let shared_errors = &profiles[1]; // ec_global
    /// assert_eq!(shared_errors.metric, "ec_global");
    /// // Accurate runs have few errors to share.
    /// assert!(shared_errors.independent[0].mean > shared_errors.independent.last().unwrap().mean);
    /// # Ok::<(), xai_repro::Error>(())
    /// ```
    pub fn per_metric(draws: &[StudyDraw], n_bins: usize) -> Result<Vec<Self>> {
        if !(1..=10_000).contains(&n_bins) {
            return Err(Error::parameter(input::N_BINS, n_bins, "1 to 10 000"));
        }
        check_draws(draws)?;
        let profile = |(i, name): (usize, &str)| {
            Ok(Self {
                metric: name.to_owned(),
                independent: points(draws, i, n_bins, false)?,
                dependent: points(draws, i, n_bins, true)?,
            })
        };
        MeanMetrics::names().enumerate().map(profile).collect()
    }
}

fn points(
    draws: &[StudyDraw],
    metric: usize,
    n_bins: usize,
    dependent: bool,
) -> Result<Vec<ProfilePoint>> {
    let mut bins = vec![(ExactMean::new(), Vec::new()); n_bins];
    for draw in draws
        .iter()
        .filter(|draw| draw.copied.is_some() == dependent)
    {
        if let Some(value) = draw.metrics[metric] {
            // Accuracy is in [0, 1].
            let bin = ((draw.accuracy * n_bins as f64) as usize).min(n_bins - 1);
            bins[bin].0.add(draw.accuracy);
            bins[bin].1.push(value);
        }
    }
    let points = bins.iter().map(|(accuracy, values)| {
        let mean: ExactMean = values.iter().copied().collect();
        let ends = quantile(values, 0.1)?.zip(quantile(values, 0.9)?);
        let found = accuracy.value().zip(mean.value()).zip(ends);
        Ok(found.map(|((accuracy, mean), (low, high))| ProfilePoint {
            accuracy,
            mean,
            low,
            high,
            n_defined: values.len(),
        }))
    });
    points.filter_map(Result::transpose).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{SimulationStudy, StudySettings};

    #[test]
    fn the_band_holds_eight_draws_of_ten() {
        let study = SimulationStudy::new(StudySettings {
            n_samples: 50,
            ..Default::default()
        });
        let mut draws = study.unwrap().simulate(0..12).unwrap();
        for (i, draw) in draws.iter_mut().enumerate() {
            (draw.copied, draw.accuracy) = (None, 0.5);
            // 10, 9, …, 0, and one that is undefined.
            draw.metrics[0] = (i < 11).then_some(10.0 - i as f64);
        }
        let profile = &AccuracyProfile::per_metric(&draws, 4).unwrap()[0];
        let point = ProfilePoint {
            accuracy: 0.5,
            mean: 5.0,
            low: 1.0,
            high: 9.0,
            n_defined: 11,
        };
        assert_eq!(profile.independent, [point]);
        assert!(profile.dependent.is_empty());
    }
}
