//! Spans of tokens that an explainer marks against those that a person marked.

use std::ops::Range as Span;

use xai_core::describe::{Parameters, metric};
use xai_core::{Error, Input, Result, parallel};

use crate::input;
use crate::metric::plausibility::span_matching::n_matched;

/// Precision, recall and F1 of marked spans.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpanScore {
    /// The share of what is predicted that is right; `None` where nothing is predicted.
    pub precision: Option<f64>,
    /// The share of the gold that is found; `None` without gold.
    pub recall: Option<f64>,
    /// Their harmonic mean, 0 where nothing is right; `None` where there is neither.
    pub f1: Option<f64>,
}

/// What the spans of all samples score.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SpanScores {
    /// Of the counts of all samples together: long rationales count more.
    pub micro: SpanScore,
    /// The means over samples that have a span, gold or predicted; what a sample lacks counts as 0.
    pub macro_mean: SpanScore,
    /// How many samples have neither.
    pub n_undefined: usize,
}

/// What is common, predicted and gold of a sample.
#[derive(Clone, Copy, Default)]
struct Counts {
    common: usize,
    predicted: usize,
    gold: usize,
}

impl Counts {
    fn score(self) -> SpanScore {
        let share = |of: usize| (of > 0).then(|| self.common as f64 / of as f64);
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
    let total = defined.iter().fold(Counts::default(), |sum, of| Counts {
        common: sum.common + of.common,
        predicted: sum.predicted + of.predicted,
        gold: sum.gold + of.gold,
    });
    let micro = total.score();
    let mean = |of: fn(SpanScore) -> Option<f64>| {
        let sum: f64 = defined.iter().filter_map(|counts| of(counts.score())).sum();
        // Undefined of all together is undefined of each.
        of(micro).map(|_| sum / defined.len() as f64)
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

/// The counts of all samples, whose spans are checked.
fn of_samples<S: AsRef<[Span<usize>]>>(
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
        if let Some((place, span)) = spans
            .as_ref()
            .iter()
            .enumerate()
            .find(|(_, s)| s.is_empty())
        {
            let (end, expected) = (
                span.end as f64,
                format!("an end above its start, {}", span.start),
            );
            return Err(Error::out_of_domain(input, &[sample, place], end, expected));
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
/// A predicted span matches a gold one where the share of the tokens of either that are of both is at least a threshold. Each span is
/// matched once at most, and as many as can be are. Precision is the share of the predicted spans that are matched, recall that of
/// the gold ones, F1 their harmonic mean: over all samples together (`micro`), and as means over samples (`macro`).
///
/// In [0, 1], **higher is better**.
///
/// ```
/// use xai_attribution::metric::RationaleIouF1;
/// // Half of the gold span each: one of the two can match it.
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
/// The threshold decides, and how far a match is from a perfect one does not count. It asks whether people find the map
/// plausible, not whether the model uses what it marks.
///
/// # Source
/// DeYoung et al., *ERASER*, 2020.
///
/// ERASER's code counts every predicted span that matches any gold one, for recall too, which may then be above 1; for
/// thresholds above 0.5 and spans that do not overlap each other the counts are the same.
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
    /// The share of tokens from which two spans match.
    #[param(above = 0, at_most = 1, default = 0.5)]
    threshold: f64,
}

impl RationaleIouF1 {
    /// The metric of the spans of every sample, each from its first token up to the one behind its last.
    ///
    /// It has a call of its own because it judges spans, which no map has.
    ///
    /// # Errors
    /// An invalid parameter, empty, a shape mismatch, out of domain for a span without a token.
    pub fn evaluate<S: AsRef<[Span<usize>]>>(
        &self,
        gold: &[S],
        predicted: &[S],
    ) -> Result<SpanScores> {
        self.check_params()?;
        of_samples(gold, predicted, |gold, predicted| Counts {
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
/// Precision is the share of the tokens of predicted spans that are of gold ones, recall the reverse, F1 their harmonic mean: over
/// all samples together (`micro`), and as means over samples (`macro`). A token of two spans counts once.
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
/// 0: no token of a predicted span is of a gold one. 1: the tokens are the same.
///
/// # Limits
/// Spans that are cut into many score as well as whole ones. It asks whether people find the map plausible, not whether
/// the model uses what it marks.
///
/// # Source
/// DeYoung et al., *ERASER*, 2020.
///
/// ERASER's means leave out samples without a prediction of precision, and those without gold of recall: two sets of
/// samples.
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
    /// As [`RationaleIouF1::evaluate`], of tokens.
    ///
    /// # Errors
    /// Empty, a shape mismatch, out of domain for a span without a token.
    pub fn evaluate<S: AsRef<[Span<usize>]>>(
        &self,
        gold: &[S],
        predicted: &[S],
    ) -> Result<SpanScores> {
        of_samples(gold, predicted, |gold, predicted| {
            let (gold, predicted) = (disjoint(gold), disjoint(predicted));
            let n = |spans: &[Span<usize>]| spans.iter().map(Span::len).sum::<usize>();
            let either = disjoint(&[gold.as_slice(), predicted.as_slice()].concat());
            Counts {
                common: n(&gold) + n(&predicted) - n(&either),
                predicted: n(&predicted),
                gold: n(&gold),
            }
        })
    }
}

/// The tokens of some spans, as spans that have none in common.
fn disjoint(spans: &[Span<usize>]) -> Vec<Span<usize>> {
    let mut sorted = spans.to_vec();
    sorted.sort_unstable_by_key(|span| span.start);
    let mut disjoint: Vec<Span<usize>> = Vec::with_capacity(sorted.len());
    for span in sorted {
        match disjoint.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => disjoint.push(span),
        }
    }
    disjoint
}
