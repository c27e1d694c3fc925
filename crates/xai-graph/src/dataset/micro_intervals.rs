//! Intervals over graphs of the score of all rows together.

use xai_core::describe::{Score, Scores};
use xai_core::statistics::jackknife;
use xai_core::{Accumulator, Error, Interval, Result, parallel};

use crate::dataset::macro_averages::CONFIDENCE;
use crate::input;

/// One metric of all rows together (the micro average).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MicroInterval {
    /// Its name.
    pub name: &'static str,
    /// Its value over all rows; `None` where it is undefined.
    pub value: Option<f64>,
    /// Its 95 % interval over graphs; `None` where the value is undefined, or is so with some graph
    /// left out.
    pub interval: Option<Interval>,
}

/// 95 % intervals over graphs of the score of all rows together (the micro average), from the
/// state of each graph.
///
/// Each graph is left out once and the rest merged: the jackknife, with graphs as what was drawn
/// independently. One for each [score](Scores::SCORES) of the result.
/// Costs about `3 n` merges.
///
/// # Errors
/// `TooFew` below two graphs, and those of merging.
///
/// ```
/// use xai_graph::dataset::micro_intervals;
/// use xai_graph::fidelity::FidelityAccumulator;
/// use xai_graph::{Accumulator, FidelityMetric};
/// let graph = |full, kept, complement| {
///     let mut state = FidelityAccumulator::new();
///     state.update(FidelityMetric::model().batch(full, kept, complement)).map(|()| state)
/// };
/// let states = [graph(&[0, 1], &[0, 1], &[1, 0])?, graph(&[0, 1], &[0, 1], &[1, 1])?];
/// let intervals = micro_intervals(&states)?;
/// // fid₊ is 0.75; without one graph or the other it is 0.5 or 1: ± 12.7 · 0.25.
/// let pos = intervals[0].interval.expect("defined");
/// assert!((pos.high - (0.75 + 12.7062 * 0.25)).abs() < 1e-3);
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn micro_intervals<A>(states: &[A]) -> Result<Vec<MicroInterval>>
where
    A: Accumulator + Clone + Send + Sync,
    A::Output: Scores + Send + Sync,
{
    let n = states.len();
    if n < 2 {
        return Err(Error::too_few(input::GRAPHS, 2, n));
    }
    let (whole, without) = leave_one_out(states)?;
    let left_out = parallel::try_map(n, |i| without[i].finish())?;
    let whole = whole.finish()?;
    let interval = |score: &Score<A::Output>| {
        let value = (score.value)(&whole);
        let values: Option<Vec<f64>> = left_out.iter().map(score.value).collect();
        let interval = match (value, values) {
            (Some(value), Some(values)) => Some(jackknife(value, &values, CONFIDENCE)?),
            _ => None,
        };
        Ok(MicroInterval {
            name: score.info.name,
            value,
            interval,
        })
    };
    A::Output::SCORES.iter().map(interval).collect()
}

/// All states merged, and all but each one; of at least two states.
fn leave_one_out<A: Accumulator + Clone>(states: &[A]) -> Result<(A, Vec<A>)> {
    let n = states.len();
    // All states from the i-th on, merged, for i = 1..n.
    let mut from = vec![states[n - 1].clone()];
    for state in states[1..n - 1].iter().rev() {
        let mut merged = state.clone();
        merged.merge(from[from.len() - 1].clone())?;
        from.push(merged);
    }
    let mut without = Vec::with_capacity(n);
    without.extend(from.pop());
    let mut whole = states[0].clone();
    for state in &states[1..] {
        let mut rest = whole.clone();
        if let Some(after) = from.pop() {
            rest.merge(after)?;
        }
        without.push(rest);
        whole.merge(state.clone())?;
    }
    Ok((whole, without))
}
