//! The table for people.

use std::fmt;

use crate::statistics::IntervalMethod;
use crate::{Direction, Interval};

use crate::evaluation::{EvaluationTable, ExplainerValue, MetricResult};

/// The metric whose ranking of explainers changes least with the baseline: the first to look at.
const HEADLINE: &str = "symmetric_relevance_gain";

/// The ranking by symmetric relevance gain, where it was taken of several explainers; then one row
/// per metric and one column per explainer, a star on those that are worse than the best by more than chance; then the differences
/// that are more than chance, at what the intervals leave uncovered.
impl fmt::Display for EvaluationTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_headline(f)?;
        let header = std::iter::once("metric").chain(self.explainers.iter().map(String::as_str));
        let mut rows: Vec<Vec<String>> = vec![header.map(str::to_owned).collect()];
        rows.extend(self.metrics.iter().map(|result| self.values_of(result)));
        write_rows(f, &rows, 1..rows[0].len())?;
        for (result, why) in self
            .metrics
            .iter()
            .filter_map(|r| Some((r, r.undefined.as_ref()?)))
        {
            write!(f, "\n\n{} is undefined: {why}", result.metric)?;
        }
        let (alpha, mut rows) = (self.alpha(), Vec::new());
        for result in &self.metrics {
            rows.extend(result.differences(alpha).into_iter().map(|d| {
                let p = p_value(d.p_corrected);
                let difference = decimals(d.difference);
                vec![result.metric.clone(), d.better, d.worse, difference, p]
            }));
        }
        if rows.is_empty() {
            writeln!(
                f,
                "\n\nNo two explainers differ at corrected p < {alpha:.3}."
            )?;
        } else {
            let header = ["metric", "better", "than", "mean difference", "corrected p"];
            rows.insert(0, header.map(str::to_owned).to_vec());
            write!(f, "\n\nDifferences at corrected p < {alpha:.3} ")?;
            writeln!(f, "(Wilcoxon signed rank, Holm):\n")?;
            write_rows(f, &rows, 3..5)?;
            writeln!(f)?;
        }
        write!(f, "\nsamples: {}", self.n_samples)?;
        if self.model_calls.calls > 0 {
            write!(f, "; model: {}", self.model_calls)?;
        }
        self.write_intervals(f)?;
        let is_any_worse =
            |result: &MetricResult| (0..result.values.len()).any(|e| self.is_worse(result, e));
        if self.metrics.iter().any(is_any_worse) {
            f.write_str("; * worse than the best by more than chance")?;
        }
        self.write_remarks(f)
    }
}

impl EvaluationTable {
    /// Which explainer is best by the metric to look at first, and which of them are told apart.
    fn write_headline(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(result) = self.metric(HEADLINE).filter(|r| r.ranking.len() > 1) else {
            return Ok(());
        };
        let alpha = self.alpha();
        let differences = result.differences(alpha);
        let ranked: Vec<&str> = result.ranked().collect();
        write!(f, "{HEADLINE}: {}", ranked[0])?;
        for pair in ranked.windows(2) {
            let (better, worse) = (pair[0], pair[1]);
            let mut told_apart = differences.iter();
            let sign = match told_apart.any(|d| d.better == better && d.worse == worse) {
                true => ">",
                false => "~",
            };
            write!(f, " {sign} {worse}")?;
        }
        writeln!(f, "   (> at corrected p < {alpha:.3}, ~ may be chance)\n")
    }

    /// What one metric says of all explainers. Numbers and intervals of a column stand below each other.
    fn values_of(&self, result: &MetricResult) -> Vec<String> {
        let name = match result.direction {
            Direction::None => result.metric.clone(),
            better => format!("{} {}", result.metric, better.arrow()),
        };
        let of_column = |e: usize| self.metrics.iter().filter_map(move |m| m.values.get(e));
        let values = result.values.iter().enumerate().map(|(e, value)| {
            let star = if self.is_worse(result, e) { "*" } else { " " };
            let width = of_column(e).map(|value| ends(value).len()).max();
            match width.unwrap_or_default() {
                0 => format!("{}{star}", decimals(value.value)),
                width => {
                    let interval = ends(value);
                    let fill = " ".repeat(width - interval.len());
                    format!("{}{star} {fill}{interval}", decimals(value.value))
                }
            }
        });
        std::iter::once(name).chain(values).collect()
    }

    /// Whether the best explainer is better than another by more than chance.
    fn is_worse(&self, result: &MetricResult, explainer: usize) -> bool {
        let (mut ranked, than) = (result.ranked(), &result.values[explainer].explainer);
        let is_better = |best| result.is_better(best, than, self.alpha());
        ranked.next().and_then(is_better).unwrap_or(false)
    }

    /// Writes what was assumed and what looks wrong, one line each.
    fn write_remarks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for remark in &self.assumed {
            write!(f, "\nassumed {remark}")?;
        }
        for remark in &self.warnings {
            write!(f, "\nwarning: {remark}")?;
        }
        Ok(())
    }

    /// How the intervals were made, and of which to beware.
    fn write_intervals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |result: &'_ MetricResult| -> Vec<Interval> {
            result
                .values
                .iter()
                .filter_map(|value| value.interval)
                .collect()
        };
        let intervals: Vec<Interval> = self.metrics.iter().flat_map(of).collect();
        if intervals.is_empty() {
            return Ok(());
        }
        let level = self.statistics.level;
        let methods = [
            (IntervalMethod::BootstrapBca, "by bootstrap over samples"),
            (IntervalMethod::Wilson, "of shares by Wilson"),
            (
                IntervalMethod::Jackknife,
                "of pooled values by jackknife over samples",
            ),
        ];
        let used =
            |(method, _): &&(IntervalMethod, &str)| intervals.iter().any(|i| i.method == *method);
        let methods: Vec<&str> = methods
            .iter()
            .filter(used)
            .map(|(_, words)| *words)
            .collect();
        write!(f, "; intervals of level {level} {}", methods.join(", "))?;
        let is_small = |result: &&MetricResult| of(result).iter().any(Interval::is_small_sample);
        let small = self.metrics.iter().filter(is_small);
        let small: Vec<&str> = small.map(|result| result.metric.as_str()).collect();
        match small[..] {
            [] => Ok(()),
            _ => write!(
                f,
                "\n20 values or fewer behind an interval, which covers less often than its level \
                 says: {}",
                small.join(", ")
            ),
        }
    }
}

/// The interval of a value; empty where there is none.
fn ends(value: &ExplainerValue) -> String {
    let interval = value.interval;
    interval.map_or_else(String::new, |Interval { low, high, .. }| {
        format!("[{low:.4}, {high:.4}]")
    })
}

/// Four decimals, a dash where undefined.
fn decimals(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |x| format!("{x:.4}"))
}

/// A probability; one too small for a double is not 0.
fn p_value(p: f64) -> String {
    if p > 0.0 {
        format!("{p:.1e}")
    } else {
        "< 1e-300".to_owned()
    }
}

/// Writes rows of equal length as aligned columns, the first row as a header with a rule below it. Columns in `numbers` are
/// right-aligned.
// Cells are padded by hand: `format!` panics on widths above 65,535, and names may be longer.
fn write_rows(
    f: &mut fmt::Formatter<'_>,
    rows: &[Vec<String>],
    numbers: std::ops::Range<usize>,
) -> fmt::Result {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..rows[0].len()).filter_map(width).collect();
    for (i, row) in rows.iter().enumerate() {
        if i > 0 {
            writeln!(f)?;
        }
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let fill = " ".repeat(width - cell.chars().count());
            line.push_str(&if numbers.contains(&column) {
                format!(" {fill}{cell} ")
            } else {
                format!(" {cell}{fill} ")
            });
        }
        f.write_str(line.trim_end())?;
        if i == 0 {
            let rule = "─".repeat(widths.iter().map(|width| width + 2).sum());
            write!(f, "\n{rule}")?;
        }
    }
    Ok(())
}
