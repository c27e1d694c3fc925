//! What an evaluation says: scores, intervals, rankings, and which differences are more than chance.

use xai_core::{
    Error, ExactMean, Interval, Result, bootstrap_bca, parallel, random_stream, uniform_index,
};

use crate::wilcoxon::{holm, wilcoxon_signed_rank};
use crate::{Better, ModelCalls};

/// The scores of every explainer by every metric, sample by sample.
///
/// Parts of a data set that were evaluated apart (on several machines, for instance) are joined by
/// [`append`](Self::append); the [`table`](Self::table) of the joined scores is that of the whole.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{AverageDrop, Evaluation, Statistics};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// // Two machines, a sample each. The first map leaves out what the model reads, the second keeps it.
/// let part = |input: [f64; 2], map: [f64; 2], first_sample: u64| {
///     Evaluation::new(&model, array![input], &[0])
///         .explainer("mine", array![map])
///         .metric(AverageDrop::default())
///         .first_sample(first_sample)
///         .scores()
/// };
/// let mut scores = part([4.0, 1.0], [0.0, 1.0], 0)?;
/// scores.append(part([2.0, 1.0], [1.0, 0.0], 1)?)?;
/// let table = scores.table(&Statistics::default())?;
/// let mine = table.score("mine", "average_drop").unwrap();
/// assert!((mine.value.unwrap() - 0.5).abs() < 1e-7); // (1 + 0)/2
/// # Ok::<(), xai_attribution::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EvaluationScores {
    /// How many samples were explained.
    pub n_samples: usize,
    /// The names of the explainers.
    pub explainers: Vec<String>,
    /// The scores by each metric.
    pub metrics: Vec<MetricScores>,
    /// How often the model was called for all of it.
    pub model_calls: ModelCalls,
}

/// The scores of every explainer by one metric, sample by sample.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetricScores {
    /// The metric's name.
    pub metric: String,
    /// Which end of its scale is the good one.
    pub better: Better,
    /// `[explainer][sample]`; `None` where undefined.
    pub per_sample: Vec<Vec<Option<f64>>>,
}

/// How intervals are made.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Statistics {
    /// The coverage of the intervals, in (0, 1). Default: 0.95.
    pub level: f64,
    /// The number of bootstrap replicates; 0 makes no intervals. Default: 1000.
    pub replicates: usize,
    /// What the bootstrap depends on. Default: 1.
    pub seed: u64,
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            level: 0.95,
            replicates: 1000,
            seed: 1,
        }
    }
}

impl Statistics {
    pub(crate) fn check(&self) -> Result<()> {
        if self.replicates > 1_000_000 {
            return Err(Error::parameter(
                "replicates",
                self.replicates,
                "at most 1 000 000",
            ));
        }
        if self.level > 0.0 && self.level < 1.0 {
            Ok(())
        } else {
            Err(Error::parameter(
                "level",
                self.level,
                "a coverage in (0, 1)",
            ))
        }
    }
}

/// The table that an [`Evaluation`](crate::Evaluation) ends in: explainers by metrics.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EvaluationTable {
    /// How many samples were explained.
    pub n_samples: usize,
    /// The names of the explainers.
    pub explainers: Vec<String>,
    /// The results by each metric.
    pub metrics: Vec<MetricResult>,
    /// How often the model was called for all of it.
    pub model_calls: ModelCalls,
    /// How intervals were made.
    pub statistics: Statistics,
}

/// What one metric says about all explainers.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetricResult {
    /// The metric's name.
    pub metric: String,
    /// Which end of its scale is the good one.
    pub better: Better,
    /// The score of each explainer, in their order.
    pub scores: Vec<ExplainerScore>,
    /// The explainers by their place among the names, best value first; equal values in the order
    /// of the names, undefined ones last.
    pub ranking: Vec<usize>,
    /// Every pair of explainers, the better value first.
    pub comparisons: Vec<Comparison>,
}

/// One explainer's score by one metric.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExplainerScore {
    /// The explainer.
    pub explainer: String,
    /// The mean over the samples that have a score; `None` where none has.
    pub value: Option<f64>,
    /// An interval of that mean by a bias-corrected bootstrap over samples; `None` with fewer than
    /// two scores.
    pub interval: Option<Interval>,
    /// One a sample; `None` where undefined.
    pub per_sample: Vec<Option<f64>>,
    /// How many samples have no score.
    pub n_undefined: usize,
}

/// The paired test of the difference of two explainers by one metric.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Comparison {
    /// The explainer of the better value.
    pub first: String,
    /// The other one.
    pub second: String,
    /// Samples on which both have a score.
    pub n_pairs: usize,
    /// The mean over those of the score of the first less that of the second.
    pub difference: Option<f64>,
    /// Which of the two the signed ranks speak for; `None` when for neither. A few large
    /// differences may move the mean the other way.
    pub favours: Option<String>,
    /// Of the Wilcoxon signed-rank test; `None` when all differences are 0. Differences up to 10⁻⁶ of
    /// the largest score of the two count as 0: the ε of a formula makes such ones.
    pub p_value: Option<f64>,
    /// The same after Holm's correction for all pairs of this metric.
    pub p_corrected: Option<f64>,
}

/// Differences up to this share of the largest score of the two explainers count as none.
const NEGLIGIBLE: f64 = 1e-6;

impl EvaluationScores {
    /// Adds the scores of samples that come after these.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] when explainers or metrics are not the same, in the same order;
    /// nothing is added then.
    pub fn append(&mut self, next: Self) -> Result<()> {
        self.check()?;
        next.check()?;
        let names = |scores: &Self| -> Vec<String> {
            let metrics = scores.metrics.iter().map(|m| m.metric.clone());
            scores.explainers.iter().cloned().chain(metrics).collect()
        };
        let better = |scores: &Self| scores.metrics.iter().map(|m| m.better).collect::<Vec<_>>();
        if self.explainers != next.explainers
            || names(self) != names(&next)
            || better(self) != better(&next)
        {
            return Err(Error::parameter(
                "scores",
                names(&next).join(", "),
                format!("explainers and metrics {}", names(self).join(", ")),
            ));
        }
        self.n_samples += next.n_samples;
        self.model_calls += next.model_calls;
        for (metric, next) in self.metrics.iter_mut().zip(next.metrics) {
            for (scores, next) in metric.per_sample.iter_mut().zip(next.per_sample) {
                scores.extend(next);
            }
        }
        Ok(())
    }

    /// Whether every metric has a score of every explainer for every sample.
    fn check(&self) -> Result<()> {
        for metric in &self.metrics {
            let expected = [self.explainers.len(), self.n_samples];
            let actual = metric.per_sample.iter().map(Vec::len);
            if metric.per_sample.len() != expected[0] || actual.clone().any(|n| n != expected[1]) {
                let samples = actual.min().unwrap_or_default();
                return Err(Error::shape(
                    format!("scores of {}", metric.metric),
                    &expected,
                    &[metric.per_sample.len(), samples],
                ));
            }
        }
        Ok(())
    }

    /// Means, intervals, rankings and tests.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a level outside (0, 1) or more than a million replicates,
    /// [`Error::ShapeMismatch`] for scores that are not one an explainer and sample.
    pub fn table(&self, statistics: &Statistics) -> Result<EvaluationTable> {
        statistics.check()?;
        self.check()?;
        let columns: Vec<Column> = self
            .metrics
            .iter()
            .flat_map(|metric| &metric.per_sample)
            .map(|per_sample| Column::new(per_sample))
            .collect();
        let replicates = replicates(&columns, self.n_samples, statistics);
        let n_explainers = self.explainers.len();
        let metrics: Result<Vec<MetricResult>> = self
            .metrics
            .iter()
            .enumerate()
            .map(|(m, metric)| {
                let own = m * n_explainers..(m + 1) * n_explainers;
                let intervals = columns[own.clone()]
                    .iter()
                    .zip(&replicates[own])
                    .map(|(column, replicates)| column.interval(replicates, statistics.level))
                    .collect::<Result<Vec<_>>>()?;
                metric.result(&self.explainers, &intervals)
            })
            .collect();
        Ok(EvaluationTable {
            n_samples: self.n_samples,
            explainers: self.explainers.clone(),
            metrics: metrics?,
            model_calls: self.model_calls,
            statistics: *statistics,
        })
    }
}

impl MetricScores {
    fn result(
        &self,
        explainers: &[String],
        intervals: &[Option<Interval>],
    ) -> Result<MetricResult> {
        let scores: Vec<ExplainerScore> = explainers
            .iter()
            .zip(&self.per_sample)
            .zip(intervals)
            .map(|((explainer, per_sample), &interval)| {
                let defined: Vec<f64> = per_sample.iter().flatten().copied().collect();
                ExplainerScore {
                    explainer: explainer.clone(),
                    value: mean(&defined),
                    interval,
                    per_sample: per_sample.clone(),
                    n_undefined: per_sample.len() - defined.len(),
                }
            })
            .collect();
        let mut ranking: Vec<usize> = (0..scores.len()).collect();
        // The key is lower for the better; a stable sort keeps ties in order.
        let key = |&e: &usize| match (scores[e].value, self.better) {
            (Some(value), Better::Lower) => value,
            (Some(value), Better::Higher) => -value,
            (None, _) => f64::INFINITY,
        };
        ranking.sort_by(|a, b| key(a).total_cmp(&key(b)));
        Ok(MetricResult {
            metric: self.metric.clone(),
            better: self.better,
            comparisons: self.comparisons(&scores, &ranking)?,
            scores,
            ranking,
        })
    }

    fn comparisons(&self, scores: &[ExplainerScore], ranking: &[usize]) -> Result<Vec<Comparison>> {
        let mut pairs = Vec::new();
        for (place, &first) in ranking.iter().enumerate() {
            let behind = &ranking[place + 1..];
            pairs.extend(
                behind
                    .iter()
                    .map(|&second| (&scores[first], &scores[second])),
            );
        }
        let mut comparisons = parallel::try_map(pairs.len(), |pair| -> Result<Comparison> {
            let (first, second) = pairs[pair];
            // What an ε or a rounding makes of equal scores is no difference: it would favour the same
            // side of every pair, however small it is.
            let all = first.per_sample.iter().chain(&second.per_sample);
            let largest = all
                .flatten()
                .fold(0.0f64, |largest, x| largest.max(x.abs()));
            let noise = NEGLIGIBLE * largest;
            let differences: Vec<f64> = first
                .per_sample
                .iter()
                .zip(&second.per_sample)
                .filter_map(|(a, b)| Some(a.as_ref()? - b.as_ref()?))
                .map(|d| if d.abs() <= noise { 0.0 } else { d })
                .collect();
            let test = wilcoxon_signed_rank(&differences)?;
            let (low, high) = (test.w_minus > test.w_plus, test.w_plus > test.w_minus);
            let favours = match self.better {
                Better::Lower if low => Some(first),
                Better::Higher if high => Some(first),
                _ if low || high => Some(second),
                _ => None,
            };
            Ok(Comparison {
                first: first.explainer.clone(),
                second: second.explainer.clone(),
                n_pairs: differences.len(),
                difference: mean(&differences),
                favours: favours.map(|score| score.explainer.clone()),
                p_value: test.p_value,
                p_corrected: None,
            })
        })?;
        let p_values: Vec<Option<f64>> = comparisons.iter().map(|c| c.p_value).collect();
        for (comparison, corrected) in comparisons.iter_mut().zip(holm(&p_values)) {
            comparison.p_corrected = corrected;
        }
        Ok(comparisons)
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    values.iter().copied().collect::<ExactMean>().value()
}

/// The scores of one explainer by one metric, ready to be added up by weight.
struct Column {
    /// 0 where undefined.
    values: Vec<f64>,
    /// Which are defined, where not all are.
    defined: Option<Vec<bool>>,
    n_defined: usize,
}

impl Column {
    fn new(per_sample: &[Option<f64>]) -> Self {
        let defined: Vec<bool> = per_sample.iter().map(Option::is_some).collect();
        let n_defined = defined.iter().filter(|d| **d).count();
        Self {
            values: per_sample.iter().map(|s| s.unwrap_or_default()).collect(),
            defined: (n_defined < per_sample.len()).then_some(defined),
            n_defined,
        }
    }

    /// The mean over samples that are drawn so many times each; `None` where none is defined.
    fn mean_of_drawn(&self, times: &[f64]) -> Option<f64> {
        let sum = dot(&self.values, times);
        let drawn: f64 = match &self.defined {
            #[allow(clippy::cast_precision_loss)] // exact below 2^53 samples
            None => times.len() as f64,
            Some(defined) => {
                let drawn = times.iter().zip(defined).filter(|(_, defined)| **defined);
                drawn.map(|(times, _)| times).sum()
            }
        };
        (drawn > 0.0).then(|| sum / drawn)
    }

    fn interval(&self, replicates: &[f64], level: f64) -> Result<Option<Interval>> {
        let defined = || {
            let all = self.values.iter().enumerate();
            let is_defined = |i: usize| self.defined.as_ref().is_none_or(|d| d[i]);
            all.filter(move |(i, _)| is_defined(*i)).map(|(_, &x)| x)
        };
        if self.n_defined < 2 || replicates.len() < 2 {
            return Ok(None);
        }
        let Some(estimate) = defined().collect::<ExactMean>().value() else {
            return Ok(None);
        };
        #[allow(clippy::cast_precision_loss)] // exact below 2^53 samples
        let others = (self.n_defined - 1) as f64;
        let leave_one_out: Vec<f64> = defined()
            .map(|x| estimate + (estimate - x) / others)
            .collect();
        bootstrap_bca(estimate, replicates, &leave_one_out, level).map(Some)
    }
}

/// Bootstrap replicates of the mean of every column. A replicate draws samples with replacement from
/// a stream of its own, and all columns see the same draw: it costs one draw, and a sum a column.
fn replicates(columns: &[Column], n: usize, statistics: &Statistics) -> Vec<Vec<f64>> {
    let means = parallel::map(statistics.replicates, |replicate| {
        let mut stream = random_stream(statistics.seed, replicate as u64);
        let mut times = vec![0.0; n];
        for _ in 0..n {
            times[uniform_index(&mut stream, n)] += 1.0;
        }
        columns
            .iter()
            .map(|column| column.mean_of_drawn(&times))
            .collect::<Vec<_>>()
    });
    (0..columns.len())
        .map(|column| means.iter().filter_map(|of| of[column]).collect())
        .collect()
}

/// A sum of products in eight lanes: its order depends on the number of samples alone.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (mut a8, mut b8) = (a.chunks_exact(8), b.chunks_exact(8));
    for (a, b) in (&mut a8).zip(&mut b8) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    let rest = a8.remainder().iter().zip(b8.remainder());
    lanes.iter().sum::<f64>() + rest.map(|(a, b)| a * b).sum::<f64>()
}

impl EvaluationTable {
    /// What one metric says.
    #[must_use]
    pub fn metric(&self, metric: &str) -> Option<&MetricResult> {
        self.metrics.iter().find(|result| result.metric == metric)
    }

    /// One explainer's score by one metric.
    #[must_use]
    pub fn score(&self, explainer: &str, metric: &str) -> Option<&ExplainerScore> {
        self.metric(metric)?
            .scores
            .iter()
            .find(|score| score.explainer == explainer)
    }
}

impl MetricResult {
    /// Whether one explainer is better than another at a corrected significance level `alpha`.
    ///
    /// `None` for names that are not in the table.
    ///
    /// ```
    /// use xai_attribution::{Better, EvaluationScores, MetricScores, ModelCalls, Statistics};
    /// // Eight samples, of which the first explainer has the lower drop in all.
    /// let low = (1..=8).map(|i| Some(0.01 * f64::from(i))).collect();
    /// let high = (1..=8).map(|i| Some(0.02 * f64::from(i))).collect();
    /// let scores = EvaluationScores {
    ///     n_samples: 8,
    ///     explainers: vec!["low".into(), "high".into()],
    ///     metrics: vec![MetricScores {
    ///         metric: "average_drop".into(),
    ///         better: Better::Lower,
    ///         per_sample: vec![low, high],
    ///     }],
    ///     model_calls: ModelCalls::default(),
    /// };
    /// let table = scores.table(&Statistics::default())?;
    /// let drop = table.metric("average_drop").unwrap();
    /// assert_eq!(drop.comparisons[0].p_value, Some(2.0 / 256.0)); // one of 2^8 signs, both sides
    /// assert_eq!(drop.is_better("low", "high", 0.01), Some(true));
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    #[must_use]
    pub fn is_better(&self, explainer: &str, than: &str, alpha: f64) -> Option<bool> {
        let comparison = self.comparisons.iter().find(|c| {
            (c.first == explainer && c.second == than) || (c.first == than && c.second == explainer)
        })?;
        let favoured = comparison.favours.as_deref() == Some(explainer);
        Some(favoured && comparison.p_corrected.is_some_and(|p| p < alpha))
    }
}

/// The table as text: a row an explainer, a column a metric, the best value of each starred; then,
/// for every metric, the pairs that differ at the level of the table.
impl std::fmt::Display for EvaluationTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut columns: Vec<Vec<String>> = vec![
            std::iter::once("explainer".to_owned())
                .chain(self.explainers.iter().cloned())
                .collect(),
        ];
        for result in &self.metrics {
            let arrow = match result.better {
                Better::Lower => '↓',
                Better::Higher => '↑',
            };
            let mut column = vec![format!("{} {arrow}", result.metric)];
            for (e, score) in result.scores.iter().enumerate() {
                let star = if result.ranking.first() == Some(&e) {
                    "*"
                } else {
                    " "
                };
                column.push(match (score.value, score.interval) {
                    (None, _) => "–".to_owned(),
                    (Some(value), None) => format!("{value:.4}{star}"),
                    (Some(value), Some(Interval { low, high, .. })) => {
                        format!("{value:.4}{star} [{low:.4}, {high:.4}]")
                    }
                });
            }
            columns.push(column);
        }
        let width = |column: &Vec<String>| column.iter().map(|c| c.chars().count()).max();
        let widths: Vec<usize> = columns.iter().filter_map(width).collect();
        for row in 0..=self.explainers.len() {
            let mut line = String::new();
            for (column, width) in columns.iter().zip(&widths) {
                line.push_str(&format!("{:<width$}  ", column[row]));
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        let alpha = 1.0 - self.statistics.level;
        writeln!(f)?;
        for result in &self.metrics {
            let pairs: Vec<String> = result
                .comparisons
                .iter()
                .filter_map(|c| {
                    let winner = c.favours.as_ref()?;
                    let loser = if *winner == c.first {
                        &c.second
                    } else {
                        &c.first
                    };
                    let p = c.p_corrected.filter(|p| *p < alpha)?;
                    Some(format!("{winner} > {loser} (p = {p:.1e})"))
                })
                .collect();
            let pairs = if pairs.is_empty() {
                "no difference".to_owned()
            } else {
                pairs.join(", ")
            };
            writeln!(f, "{}: {pairs}", result.metric)?;
        }
        write!(
            f,
            "{} samples; model: {}; differences at corrected p < {alpha:.3}",
            self.n_samples, self.model_calls
        )
    }
}
