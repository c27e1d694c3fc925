//! Attribution maps: what `xai attribution compare` finds.

use xai_files::failure::Failure;
use xai_metrics::attribution::evaluation::{EvaluationTable, ExplainerValue, MetricResult};
use xai_metrics::attribution::input;
use xai_metrics::attribution::metric::{Direction, registry};
use xai_metrics::core::statistics::{kendall, ranks::mid_ranks};

use super::gallery;
use crate::attribution::compare::{Compare, Compared};
use crate::context::Context;
use crate::report::model::attribution::{
    Attribution, Comparison, Curve, CurvePoint, CurvesOfMetric, MetricOfExplainers, RankAgreement,
};
use crate::report::model::estimate::Estimate;
use crate::report::model::origin::Origin;

/// Explainers below which an order says little.
const FEWEST_RANKED: usize = 3;

/// Computes the section.
///
/// # Errors
/// As the command.
pub(crate) fn evaluate(
    arguments: &Compare,
    mut origin: Origin,
    context: &Context,
) -> Result<Attribution, Failure> {
    let compared = arguments.evaluate(context, &|_| ())?;
    let Compared {
        table,
        reading,
        scoring,
        ..
    } = &compared;
    origin.remarks.extend(reading.assumed().map(str::to_owned));
    let metrics: Vec<MetricOfExplainers> = table
        .metrics
        .iter()
        .map(|result| of_metric(result, table.alpha()))
        .collect();
    let gallery = gallery::gallery(arguments, &compared)?;
    Ok(Attribution {
        n_samples: table.n_samples,
        activation: scoring.activation.to_string(),
        model_rows: table.model_calls.rows,
        explainers: table.explainers.clone(),
        agreement_of_metrics: agreements(&metrics)?,
        curves: curves(table),
        metrics,
        gallery,
        origin,
    })
}

/// What people call a metric; its name where it is not in the registry.
fn title(result: &MetricResult) -> String {
    registry::find(&result.metric).map_or_else(
        |_| result.metric.clone(),
        |entry| entry.info.title.to_owned(),
    )
}

fn of_metric(result: &MetricResult, alpha: f64) -> MetricOfExplainers {
    let info = registry::find(&result.metric).map(|entry| entry.info);
    MetricOfExplainers {
        metric: result.metric.clone(),
        title: title(result),
        question: info
            .as_ref()
            .map(|info| info.question.to_owned())
            .unwrap_or_default(),
        asks_model: info
            .as_ref()
            .is_ok_and(|info| info.needs.contains(&input::MODEL)),
        better: result.direction,
        range: info
            .as_ref()
            .map(|info| info.range.to_owned())
            .unwrap_or_default(),
        values: result.values.iter().map(estimate).collect(),
        ranks: ranks(result),
        comparisons: result
            .comparisons
            .iter()
            .map(|pair| Comparison {
                first: pair.first.clone(),
                second: pair.second.clone(),
                difference: pair.difference,
                p_value: pair.p_value,
                p_corrected: pair.p_corrected,
                significant: pair.p_corrected.is_some_and(|p| p < alpha),
                favours: pair.favours.clone(),
            })
            .collect(),
    }
}

fn estimate(value: &ExplainerValue) -> Estimate {
    let n = value.per_sample.len() - value.n_undefined;
    Estimate {
        n_undefined: value.n_undefined as u64,
        ..Estimate::new(value.value, value.interval, n as u64)
    }
}

/// The rank of each explainer, 1 = best, equals the mean of theirs.
fn ranks(result: &MetricResult) -> Vec<Option<f64>> {
    let sign = match result.direction {
        Direction::Lower => 1.0,
        Direction::Higher => -1.0,
        Direction::None => return vec![None; result.values.len()],
    };
    let defined: Vec<f64> = result
        .values
        .iter()
        .filter_map(|value| value.value)
        .map(|value| sign * value)
        .collect();
    let mut ranks = mid_ranks(&defined).into_iter();
    result
        .values
        .iter()
        .map(|value| value.value.and_then(|_| ranks.next()))
        .collect()
}

/// Kendall's tau of the ranks of every two metrics.
fn agreements(metrics: &[MetricOfExplainers]) -> Result<Vec<RankAgreement>, Failure> {
    let ranked: Vec<&MetricOfExplainers> = metrics
        .iter()
        .filter(|metric| metric.better != Direction::None)
        .collect();
    let mut agreements = Vec::new();
    for (i, first) in ranked.iter().enumerate() {
        for second in &ranked[i + 1..] {
            let both = first
                .ranks
                .iter()
                .zip(&second.ranks)
                .filter_map(|(a, b)| Some(((*a)?, (*b)?)));
            let (a, b): (Vec<f64>, Vec<f64>) = both.unzip();
            if a.len() < FEWEST_RANKED {
                continue;
            }
            agreements.push(RankAgreement {
                first: first.metric.clone(),
                second: second.metric.clone(),
                tau: kendall(&a, &b).map_err(Failure::new)?,
            });
        }
    }
    Ok(agreements)
}

fn curves(table: &EvaluationTable) -> Vec<CurvesOfMetric> {
    let of_metric = |result: &MetricResult| {
        let curves = result.values.iter().filter_map(|value| {
            let points = value.curve.as_ref()?.iter();
            Some(Curve {
                explainer: value.explainer.clone(),
                points: points
                    .map(|point| CurvePoint {
                        n_flipped: point.n_flipped,
                        score: point.score,
                    })
                    .collect(),
            })
        });
        CurvesOfMetric {
            metric: result.metric.clone(),
            title: title(result),
            better: result.direction,
            curves: curves.collect(),
        }
    };
    let all = table.metrics.iter().map(of_metric);
    all.filter(|metric| !metric.curves.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(name: &str, better: Direction, ranks: &[Option<f64>]) -> MetricOfExplainers {
        MetricOfExplainers {
            metric: name.to_owned(),
            title: name.to_owned(),
            question: String::new(),
            better,
            asks_model: true,
            range: String::new(),
            values: Vec::new(),
            ranks: ranks.to_vec(),
            comparisons: Vec::new(),
        }
    }

    #[test]
    fn metrics_that_rank_alike_agree_and_few_explainers_say_nothing() {
        let up = [Some(1.0), Some(2.0), Some(3.0)];
        let down = [Some(3.0), Some(2.0), Some(1.0)];
        let metrics = [
            metric("a", Direction::Lower, &up),
            metric("b", Direction::Higher, &down),
            metric("c", Direction::None, &[None, None, None]),
            metric("d", Direction::Lower, &[Some(1.0), None, Some(2.0)]),
        ];
        let agreements = agreements(&metrics).unwrap();
        assert_eq!(agreements.len(), 1);
        assert_eq!(
            (agreements[0].second.as_str(), agreements[0].tau),
            ("b", Some(-1.0))
        );
    }
}
