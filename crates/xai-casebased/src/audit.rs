//! A whole data set in one table.

use std::collections::BTreeMap;
use std::fmt;

use xai_core::{Accumulator, Error, ExactMean, ExactSum, Result};

use crate::Explanation;

/// Adds up explanations: mean correspondence by class and by right or wrong, calibration of
/// correspondence against accuracy, and the least supported predictions.
///
/// A state that takes batches and merges: audits of parts, in any order and on any number of
/// machines, give the same report to the last bit.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::{Accumulator, Audit, CaseExplainer};
/// let explainer = CaseExplainer::builder().k(1).fit(array![[0.0], [1.0]].view(), &[0, 1])?;
/// let mut audit = Audit::new();
/// for (rows, predicted, truth) in [(array![[0.1], [0.9]], [0, 1], [0, 0]), (array![[0.2], [0.8]], [1, 1], [0, 1])] {
///     let explanations = explainer.explain_batch(rows.view(), &predicted)?;
///     audit.update(&explainer.with_truth(explanations, &truth)?)?;
/// }
/// let report = audit.finish()?;
/// assert_eq!(report.mean_correspondence, Some(0.75)); // 1, 1, 0, 1
/// assert_eq!((report.right.n, report.wrong.n), (2, 2));
/// assert_eq!(report.wrong.mean_correspondence, Some(0.5));
/// assert_eq!(report.least_supported[0].sample, 2);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Audit {
    n_listed: usize,
    next_sample: usize,
    n_samples: usize,
    n_undefined: usize,
    all: ExactMean,
    right: Group,
    wrong: Group,
    by_class: BTreeMap<i64, ClassState>,
    bins: [BinState; BINS],
    least: Vec<LeastSupported>,
}

#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Group {
    n: usize,
    scores: ExactMean,
}

#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct ClassState {
    n: usize,
    scores: ExactMean,
    n_judged: usize,
    n_right: usize,
}

#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct BinState {
    n: usize,
    scores: ExactSum,
    n_right: usize,
}

/// One of the predictions with the least support.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeastSupported {
    /// The sample, counted over all batches of the audit.
    pub sample: usize,
    /// The predicted class.
    pub predicted: Option<i64>,
    /// The true class, where it is known.
    #[cfg_attr(feature = "serde", serde(rename = "true"))]
    pub truth: Option<i64>,
    /// Its correspondence.
    pub correspondence: f64,
}

impl LeastSupported {
    fn precedes(&self, other: &Self) -> bool {
        self.correspondence
            .total_cmp(&other.correspondence)
            .then(self.sample.cmp(&other.sample))
            .then(self.predicted.cmp(&other.predicted))
            .then(self.truth.cmp(&other.truth))
            .is_lt()
    }
}

/// The answer of an [`Audit`]; `Display` is the table a person reads.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AuditReport {
    /// Audited samples.
    pub n_samples: usize,
    /// Those without a correspondence; they count in no mean.
    pub n_undefined: usize,
    /// The mean correspondence of those that have one, in [0, 1].
    pub mean_correspondence: Option<f64>,
    /// Predictions that are right. Samples without a known true class are neither right nor wrong.
    pub right: AuditGroup,
    /// Predictions that are wrong.
    pub wrong: AuditGroup,
    /// By predicted class.
    pub by_class: BTreeMap<i64, AuditClass>,
    /// Ten bins of correspondence, `[0, 0.1), …, [0.9, 1]`, over the samples with a known true
    /// class: where correspondence were a probability, accuracy would follow it.
    pub reliability: Vec<ReliabilityBin>,
    /// The mean distance of accuracy from correspondence over the bins, by their number of samples:
    /// 0 = calibrated. `None` without a known true class.
    pub expected_calibration_error: Option<f64>,
    /// The least supported predictions, least first, equals by lower sample.
    pub least_supported: Vec<LeastSupported>,
}

/// Right or wrong predictions of an [`AuditReport`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AuditGroup {
    /// How many.
    pub n: usize,
    /// The mean correspondence of those that have one.
    pub mean_correspondence: Option<f64>,
}

/// A predicted class of an [`AuditReport`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AuditClass {
    /// How many samples were predicted so.
    pub n: usize,
    /// The mean correspondence of those that have one.
    pub mean_correspondence: Option<f64>,
    /// The share of right predictions among those with a known true class.
    pub accuracy: Option<f64>,
}

/// A bin of the reliability table of an [`AuditReport`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReliabilityBin {
    /// The least correspondence of the bin.
    pub from: f64,
    /// The end of the bin; it belongs to the next one, but for 1.
    pub to: f64,
    /// Samples in it.
    pub n: usize,
    /// Their mean correspondence.
    pub mean_correspondence: Option<f64>,
    /// The share of right predictions among them.
    pub accuracy: Option<f64>,
}

/// Bins of the reliability table.
const BINS: usize = 10;

impl Default for Audit {
    fn default() -> Self {
        Self::new()
    }
}

impl Audit {
    /// An audit that lists the 20 least supported predictions.
    #[must_use]
    pub fn new() -> Self {
        Self::listing(20)
    }

    /// An audit that lists so many of the least supported predictions.
    #[must_use]
    pub fn listing(n_least_supported: usize) -> Self {
        Self {
            n_listed: n_least_supported,
            next_sample: 0,
            n_samples: 0,
            n_undefined: 0,
            all: ExactMean::default(),
            right: Group::default(),
            wrong: Group::default(),
            by_class: BTreeMap::new(),
            bins: Default::default(),
            least: Vec::new(),
        }
    }

    /// Where the numbers of the samples begin, so that audits of parts that are merged number the
    /// samples of the whole. Call it before the first update.
    #[must_use]
    pub fn starting_at(mut self, sample: usize) -> Self {
        self.next_sample = sample;
        self
    }

    fn list(&mut self, candidate: LeastSupported) {
        let full = self.least.len() == self.n_listed;
        if full
            && self
                .least
                .last()
                .is_none_or(|last| !candidate.precedes(last))
        {
            return;
        }
        let place = self.least.partition_point(|kept| kept.precedes(&candidate));
        self.least.insert(place, candidate);
        self.least.truncate(self.n_listed);
    }

    fn add(&mut self, sample: usize, explanation: &Explanation) {
        let score = explanation.correspondence.score;
        let correct = explanation.is_correct();
        match score {
            Some(score) => {
                self.all.add(score);
                self.list(LeastSupported {
                    sample,
                    predicted: explanation.predicted,
                    truth: explanation.truth,
                    correspondence: score,
                });
            }
            None => self.n_undefined += 1,
        }
        if let Some(correct) = correct {
            let group = if correct {
                &mut self.right
            } else {
                &mut self.wrong
            };
            group.n += 1;
            if let Some(score) = score {
                group.scores.add(score);
                // In [0, 1], so the product is at most 10.
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let bin = &mut self.bins[((score * 10.0) as usize).min(BINS - 1)];
                bin.n += 1;
                bin.n_right += usize::from(correct);
                bin.scores.add(score);
            }
        }
        if let Some(predicted) = explanation.predicted {
            let class = self.by_class.entry(predicted).or_default();
            class.n += 1;
            class.n_judged += usize::from(correct.is_some());
            class.n_right += usize::from(correct == Some(true));
            if let Some(score) = score {
                class.scores.add(score);
            }
        }
    }
}

impl Accumulator for Audit {
    type Batch<'a> = &'a [Explanation];
    type Output = AuditReport;

    /// Adds the explanations of the next samples.
    fn update(&mut self, batch: &[Explanation]) -> Result<()> {
        for explanation in batch {
            self.add(self.next_sample, explanation);
            self.next_sample += 1;
            self.n_samples += 1;
        }
        Ok(())
    }

    /// Adds the audit of other samples.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] when the two list different numbers of predictions.
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.n_listed != other.n_listed {
            return Err(Error::parameter(
                "listed predictions",
                other.n_listed,
                format!("{} as in the other audit", self.n_listed),
            ));
        }
        self.next_sample = self.next_sample.max(other.next_sample);
        self.n_samples += other.n_samples;
        self.n_undefined += other.n_undefined;
        self.all.add_mean(&other.all);
        for (group, other) in [
            (&mut self.right, other.right),
            (&mut self.wrong, other.wrong),
        ] {
            group.n += other.n;
            group.scores.add_mean(&other.scores);
        }
        for (label, other) in other.by_class {
            let class = self.by_class.entry(label).or_default();
            class.n += other.n;
            class.n_judged += other.n_judged;
            class.n_right += other.n_right;
            class.scores.add_mean(&other.scores);
        }
        for (bin, other) in self.bins.iter_mut().zip(other.bins) {
            bin.n += other.n;
            bin.n_right += other.n_right;
            bin.scores.add_sum(&other.scores);
        }
        for listed in other.least {
            self.list(listed);
        }
        Ok(())
    }

    /// The report.
    ///
    /// # Errors
    /// [`Error::Empty`] without samples.
    #[allow(clippy::cast_precision_loss)] // counts below 2^53
    fn finish(&self) -> Result<AuditReport> {
        if self.n_samples == 0 {
            return Err(Error::empty("samples"));
        }
        let share = |part: usize, of: usize| (of > 0).then(|| part as f64 / of as f64);
        let group = |group: &Group| AuditGroup {
            n: group.n,
            mean_correspondence: group.scores.value(),
        };
        let reliability: Vec<ReliabilityBin> = self
            .bins
            .iter()
            .enumerate()
            .map(|(i, bin)| ReliabilityBin {
                from: i as f64 / BINS as f64,
                to: (i + 1) as f64 / BINS as f64,
                n: bin.n,
                mean_correspondence: (bin.n > 0).then(|| bin.scores.value() / bin.n as f64),
                accuracy: share(bin.n_right, bin.n),
            })
            .collect();
        let judged: usize = self.bins.iter().map(|bin| bin.n).sum();
        let gaps: ExactSum = reliability
            .iter()
            .filter_map(|bin| {
                let gap = (bin.mean_correspondence? - bin.accuracy?).abs();
                Some(gap * bin.n as f64 / judged as f64)
            })
            .collect();
        Ok(AuditReport {
            n_samples: self.n_samples,
            n_undefined: self.n_undefined,
            mean_correspondence: self.all.value(),
            right: group(&self.right),
            wrong: group(&self.wrong),
            by_class: self
                .by_class
                .iter()
                .map(|(label, class)| {
                    let row = AuditClass {
                        n: class.n,
                        mean_correspondence: class.scores.value(),
                        accuracy: share(class.n_right, class.n_judged),
                    };
                    (*label, row)
                })
                .collect(),
            reliability,
            expected_calibration_error: (judged > 0).then(|| gaps.value()),
            least_supported: self.least.clone(),
        })
    }
}

impl fmt::Display for AuditReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.4}"));
        writeln!(
            f,
            "{} samples, {} undefined, mean correspondence {}",
            self.n_samples,
            self.n_undefined,
            number(self.mean_correspondence)
        )?;
        for (name, group) in [("right", &self.right), ("wrong", &self.wrong)] {
            let mean = number(group.mean_correspondence);
            writeln!(f, "{name}: {} samples, mean correspondence {mean}", group.n)?;
        }
        for (label, class) in &self.by_class {
            let (mean, accuracy) = (number(class.mean_correspondence), number(class.accuracy));
            writeln!(
                f,
                "predicted {label}: {} samples, mean correspondence {mean}, accuracy {accuracy}",
                class.n
            )?;
        }
        for bin in self.reliability.iter().filter(|bin| bin.n > 0) {
            let (mean, accuracy) = (number(bin.mean_correspondence), number(bin.accuracy));
            writeln!(
                f,
                "correspondence {:.1} to {:.1}: {} samples, mean {mean}, accuracy {accuracy}",
                bin.from, bin.to, bin.n
            )?;
        }
        let error = number(self.expected_calibration_error);
        write!(f, "expected calibration error {error}")?;
        if !self.least_supported.is_empty() {
            write!(f, "\nleast supported:")?;
        }
        for listed in &self.least_supported {
            write!(f, " {} ({:.4})", listed.sample, listed.correspondence)?;
        }
        Ok(())
    }
}
