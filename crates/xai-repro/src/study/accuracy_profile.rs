//! Profile of each metric by accuracy, for independent and for dependent errors.

use xai_core::statistics::quantile;
use xai_core::{Error, ExactMean, Result};

use crate::input;
use crate::study::mean_metrics::MeanMetrics;
use crate::study::simulation::{StudyDraw, check_draws};

/// Mean and spread of a metric over draws of similar accuracy, separately for independent and dependent errors.
///
/// If the two curves differ, the metric detects dependence. If a curve rises or falls, the metric depends on accuracy.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AccuracyProfile {
    /// Name of the metric.
    pub metric: String,
    /// Bins of draws with independent errors, in ascending order of accuracy.
    pub independent: Vec<ProfilePoint>,
    /// Bins of draws with dependent errors, in ascending order of accuracy.
    pub dependent: Vec<ProfilePoint>,
}

/// Summary of the draws in one bin of accuracy for which the metric is defined.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ProfilePoint {
    /// Mean accuracy of these draws, in [0, 1].
    pub accuracy: f64,
    /// Mean of the metric over these draws.
    pub mean: f64,
    /// 10 % quantile of the metric.
    pub low: f64,
    /// 90 % quantile of the metric.
    pub high: f64,
    /// Number of these draws.
    pub n_defined: usize,
}

impl AccuracyProfile {
    /// Computes the profiles of all metrics, in the order of [`MeanMetrics::names`], with `n_bins` bins of accuracy of
    /// equal width. Bins in which the metric is undefined for all draws have no point.
    ///
    /// # Errors
    /// `InvalidParameter` for no bins or more than 10 000, `Empty` without draws, `Corrupt` for a draw without exactly
    /// one value per metric.
    ///
    /// ```
    /// use xai_repro::SimulationStudy;
    /// use xai_repro::study::{AccuracyProfile, StudySettings};
    /// let study = SimulationStudy::new(StudySettings::default().n_samples(100))?;
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

/// Points of one metric over the draws with or without dependent errors.
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
            // Accuracy 1 belongs to the last bin.
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
    use crate::study::simulation::{SimulationStudy, StudySettings};

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
