//! Spans of tokens that an explainer marked, compared with spans that people marked.

use std::ops::Range as Span;

use xai_core::describe::{Parameters, metric};
use xai_core::{Error, Input, Result, parallel};

use crate::input;
use crate::metric::plausibility::span_matching::n_matched;

/// Precision, recall and F1 of marked spans.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SpanScore {
    /// Share of the predicted spans (or tokens) that are correct; `None` if none are predicted.
    pub precision: Option<f64>,
    /// Share of the gold spans (or tokens) that are found; `None` if there are none.
    pub recall: Option<f64>,
    /// Harmonic mean of precision and recall, 0 if nothing is correct; `None` if there is neither a prediction nor
    /// gold.
    pub f1: Option<f64>,
}

/// Scores of the spans of all samples, pooled and averaged.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SpanScores {
    /// Scores of the summed counts of all samples, in which long rationales count more.
    pub micro: SpanScore,
    /// Means over the samples that have a gold or a predicted span. An undefined precision or recall counts as 0,
    /// unless it is undefined for all samples: the mean is then `None`.
    pub macro_mean: SpanScore,
    /// Number of samples that have neither.
    pub n_undefined: usize,
}

/// Numbers of common, predicted and gold spans (or tokens) of a sample.
#[derive(Clone, Copy, Default)]
struct Counts {
    common: usize,
    predicted: usize,
    gold: usize,
}

impl Counts {
    fn score(self) -> SpanScore {
        let share = |total: usize| (total > 0).then(|| self.common as f64 / total as f64);
        let both = self.predicted + self.gold;
        SpanScore {
            precision: share(self.predicted),
            recall: share(self.gold),
            f1: (both > 0).then(|| 2.0 * self.common as f64 / both as f64),
        }
    }
}

fn scores(samples: &[Counts]) -> SpanScores {
    let has_any = |counts: &&Counts| counts.predicted + counts.gold > 0;
    let defined: Vec<Counts> = samples.iter().filter(has_any).copied().collect();
    let total = defined
        .iter()
        .fold(Counts::default(), |sum, counts| Counts {
            common: sum.common + counts.common,
            predicted: sum.predicted + counts.predicted,
            gold: sum.gold + counts.gold,
        });
    let micro = total.score();
    let mean = |field: fn(SpanScore) -> Option<f64>| {
        let values = defined.iter().filter_map(|counts| field(counts.score()));
        let sum: f64 = values.sum();
        // If a score is undefined for the summed counts, it is undefined for every sample. Otherwise all defined
        // samples are in the divisor, so that a sample without a prediction counts as precision 0.
        field(micro).map(|_| sum / defined.len() as f64)
    };
    SpanScores {
        micro,
        macro_mean: SpanScore {
            precision: mean(|score| score.precision),
            recall: mean(|score| score.recall),
            f1: mean(|score| score.f1),
        },
        n_undefined: samples.len() - defined.len(),
    }
}

/// Checks the spans of all samples and computes the scores from the counts of each sample.
fn evaluate_samples<S: AsRef<[Span<usize>]>>(
    gold: &[S],
    predicted: &[S],
    counts: impl Fn(&[Span<usize>], &[Span<usize>]) -> Counts + Sync + Send,
) -> Result<SpanScores> {
    if gold.is_empty() {
        return Err(Error::empty(input::GOLD));
    }
    if gold.len() != predicted.len() {
        let (expected, actual) = ([gold.len()], [predicted.len()]);
        return Err(Error::shape(input::PREDICTED, &expected, &actual));
    }
    check(input::GOLD, gold)?;
    check(input::PREDICTED, predicted)?;
    let gold: Vec<&[Span<usize>]> = gold.iter().map(AsRef::as_ref).collect();
    let predicted: Vec<&[Span<usize>]> = predicted.iter().map(AsRef::as_ref).collect();
    let samples = parallel::map(gold.len(), |sample| counts(gold[sample], predicted[sample]));
    Ok(scores(&samples))
}

/// Checks that every span has a token.
fn check(input: Input, samples: &[impl AsRef<[Span<usize>]>]) -> Result<()> {
    for (sample, spans) in samples.iter().enumerate() {
        let mut numbered = spans.as_ref().iter().enumerate();
        if let Some((index, span)) = numbered.find(|(_, span)| span.is_empty()) {
            let (end, expected) = (
                span.end as f64,
                format!("an end above its start, {}", span.start),
            );
            return Err(Error::out_of_domain(input, &[sample, index], end, expected));
        }
    }
    Ok(())
}

/// F1 score of predicted spans matched by overlap with annotated spans.
///
/// ```text
/// 2 · matched / (predicted + gold spans), spans matched one to one where |both| / |either| is at least the
/// threshold
/// ```
///
/// A predicted span can be matched with a gold one if the intersection over union of their tokens is at least the
/// threshold. Each span is matched at most once, and the matching is the largest possible. Precision is the share of
/// matched predicted spans, recall that of matched gold spans, and F1 their harmonic mean, for the summed counts of all
/// samples (`micro`) and as means over samples (`macro_mean`).
///
/// In [0, 1], **higher is better**.
///
/// ```
/// use xai_attribution::metric::RationaleIouF1;
/// // Each predicted span covers half of the gold one; only one of them can be matched with it.
/// let scores = RationaleIouF1::new().evaluate(&[vec![0..4]], &[vec![0..2, 2..4]])?;
/// assert_eq!((scores.micro.precision, scores.micro.recall), (Some(0.5), Some(1.0)));
/// assert_eq!(scores.micro.f1, Some(2.0 / 3.0));
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no predicted span matches. 1: every predicted span matches a gold one, and every gold one is matched.
///
/// # Limits
/// It depends on the threshold, and the quality of a match above it does not count. It measures whether people find the
/// map plausible, not whether the model uses the marked tokens.
///
/// # Source
/// DeYoung et al., *ERASER*, 2020.
///
/// ERASER's code counts every predicted span that matches any gold one, also for recall, which can then exceed 1. For
/// thresholds above 0.5 and spans that do not overlap each other, the counts are the same.
///
/// # Elsewhere
/// `ERASER.score_hard_rationale_predictions`
#[metric(
    name = "rationale-iou-f1",
    title = "Rationale IoU F1",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = NEEDS,
)]
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct RationaleIouF1 {
    /// Smallest intersection over union of two spans that match.
    #[param(above = 0, at_most = 1, default = 0.5)]
    threshold: f64,
}

impl RationaleIouF1 {
    /// Evaluates the spans of every sample, as half-open ranges of tokens.
    ///
    /// The metric has its own method because its inputs are spans, not maps.
    ///
    /// # Errors
    /// An invalid parameter, no samples, different numbers of samples, and a span without a token.
    pub fn evaluate<S: AsRef<[Span<usize>]>>(
        &self,
        gold: &[S],
        predicted: &[S],
    ) -> Result<SpanScores> {
        self.check_params()?;
        evaluate_samples(gold, predicted, |gold, predicted| Counts {
            common: n_matched(gold, predicted, self.threshold),
            predicted: predicted.len(),
            gold: gold.len(),
        })
    }
}

const NEEDS: &[Input] = &[input::GOLD, input::PREDICTED];

/// F1 score of the tokens of predicted spans against annotated spans.
///
/// ```text
/// 2 · common / (predicted + gold tokens)
/// ```
///
/// Precision is the share of predicted tokens that are gold, recall the share of gold tokens that are predicted, and F1
/// their harmonic mean, for the summed counts of all samples (`micro`) and as means over samples (`macro_mean`). A
/// token in two spans counts once.
///
/// In [0, 1], **higher is better**.
///
/// ```
/// use xai_attribution::metric::RationaleTokenF1;
/// let scores = RationaleTokenF1::new().evaluate(&[vec![0..4]], &[vec![2..4, 3..8]])?;
/// assert_eq!((scores.micro.precision, scores.micro.recall), (Some(2.0 / 6.0), Some(2.0 / 4.0)));
/// assert_eq!(scores.micro.f1, Some(4.0 / 10.0));
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no predicted token is gold. 1: the tokens are the same.
///
/// # Limits
/// A span that is split into several has the same value as the whole one. It measures whether people find the map
/// plausible, not whether the model uses the marked tokens.
///
/// # Source
/// DeYoung et al., *ERASER*, 2020.
///
/// In ERASER's means, precision leaves out samples without a prediction and recall those without gold, so that they are
/// over different samples.
///
/// # Elsewhere
/// `ERASER.score_hard_rationale_predictions`
#[metric(
    name = "rationale-token-f1",
    title = "Rationale token F1",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = NEEDS,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RationaleTokenF1;

impl RationaleTokenF1 {
    /// Evaluates the tokens of the spans of every sample; arguments are those of [`RationaleIouF1::evaluate`].
    ///
    /// # Errors
    /// No samples, different numbers of samples, and a span without a token.
    pub fn evaluate<S: AsRef<[Span<usize>]>>(
        &self,
        gold: &[S],
        predicted: &[S],
    ) -> Result<SpanScores> {
        evaluate_samples(gold, predicted, |gold, predicted| {
            let (gold, predicted) = (disjoint(gold), disjoint(predicted));
            let n = |spans: &[Span<usize>]| spans.iter().map(Span::len).sum::<usize>();
            let either = disjoint(&[gold.as_slice(), predicted.as_slice()].concat());
            Counts {
                // Inclusion and exclusion: |A ∩ B| = |A| + |B| − |A ∪ B|.
                common: n(&gold) + n(&predicted) - n(&either),
                predicted: n(&predicted),
                gold: n(&gold),
            }
        })
    }
}

/// Merges spans that overlap or touch, so that every token is in one span only.
fn disjoint(spans: &[Span<usize>]) -> Vec<Span<usize>> {
    let mut sorted = spans.to_vec();
    sorted.sort_unstable_by_key(|span| span.start);
    let mut disjoint: Vec<Span<usize>> = Vec::with_capacity(sorted.len());
    for span in sorted {
        match disjoint.last_mut() {
            // Joining spans that only touch does not change the number of tokens.
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => disjoint.push(span),
        }
    }
    disjoint
}
