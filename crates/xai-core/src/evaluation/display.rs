//! Evaluation table as text.

use std::fmt;

use crate::statistics::IntervalMethod;
use crate::{Direction, Interval};

use crate::evaluation::{EvaluationTable, ExplainerValue, MetricResult};

/// Metric of the headline: its ranking of explainers depends least on the baseline.
const HEADLINE: &str = "symmetric_relevance_gain";

/// Writes the ranking by symmetric relevance gain, if it ranks several explainers; then a table with
/// a row per metric and a column per explainer, with a star for explainers that are significantly
/// worse than the best; then why metrics are undefined; then the significant differences; then the numbers of samples
/// and model calls, the methods of the intervals, assumptions and warnings. The significance level is one minus
/// the level of the intervals.
impl fmt::Display for EvaluationTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_headline(f)?;
        let header = std::iter::once("metric").chain(self.explainers.iter().map(String::as_str));
        let mut rows: Vec<Vec<String>> = vec![header.map(str::to_owned).collect()];
        rows.extend(self.metrics.iter().map(|result| self.metric_cells(result)));
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
        if let Some(batch_size) = self.batch_size {
            write!(f, "; batch size {batch_size}")?;
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
    /// Writes the ranking by the headline metric. Adjacent explainers are separated by `>` if they
    /// differ significantly, otherwise by `~`.
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
            let is_significant = differences
                .iter()
                .any(|d| d.better == better && d.worse == worse);
            let sign = if is_significant { ">" } else { "~" };
            write!(f, " {sign} {worse}")?;
        }
        writeln!(f, "   (> at corrected p < {alpha:.3}, ~ may be chance)\n")
    }

    /// Cells of one metric for all explainers. Numbers and intervals are aligned within each column.
    fn metric_cells(&self, result: &MetricResult) -> Vec<String> {
        let name = match result.direction {
            Direction::None => result.metric.clone(),
            better => format!("{} {}", result.metric, better.arrow()),
        };
        let column = |e: usize| self.metrics.iter().filter_map(move |m| m.values.get(e));
        let values = result.values.iter().enumerate().map(|(e, value)| {
            let star = if self.is_worse(result, e) { "*" } else { " " };
            let width = column(e).map(|value| ends(value).len()).max();
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

    /// Returns `true` if the best explainer is significantly better than `explainer`.
    fn is_worse(&self, result: &MetricResult, explainer: usize) -> bool {
        let (mut ranked, than) = (result.ranked(), &result.values[explainer].explainer);
        let is_better = |best| result.is_better(best, than, self.alpha());
        ranked.next().and_then(is_better).unwrap_or(false)
    }

    /// Writes assumptions and warnings, one line each.
    fn write_remarks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for remark in &self.assumed {
            write!(f, "\nassumed {remark}")?;
        }
        for remark in &self.warnings {
            write!(f, "\nwarning: {remark}")?;
        }
        Ok(())
    }

    /// Writes the level and the methods of the intervals, and which metrics have intervals from so few
    /// samples that they are too narrow.
    fn write_intervals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let intervals_of = |result: &'_ MetricResult| -> Vec<Interval> {
            result
                .values
                .iter()
                .filter_map(|value| value.interval)
                .collect()
        };
        let intervals: Vec<Interval> = self.metrics.iter().flat_map(intervals_of).collect();
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
        let is_small =
            |result: &&MetricResult| intervals_of(result).iter().any(Interval::is_small_sample);
        let small_metrics = self.metrics.iter().filter(is_small);
        let names: Vec<&str> = small_metrics.map(|result| result.metric.as_str()).collect();
        match names[..] {
            [] => Ok(()),
            _ => write!(
                f,
                "\n20 values or fewer behind an interval, which covers less often than its level \
                 says: {}",
                names.join(", ")
            ),
        }
    }
}

/// Interval of a value as text; empty if there is none.
fn ends(value: &ExplainerValue) -> String {
    let interval = value.interval;
    interval.map_or_else(String::new, |Interval { low, high, .. }| {
        format!("[{low:.4}, {high:.4}]")
    })
}

/// Value with four decimals; a dash if undefined.
fn decimals(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |x| format!("{x:.4}"))
}

/// p-value as text. A value that underflows to 0 is shown as an upper bound.
fn p_value(p: f64) -> String {
    if p > 0.0 {
        format!("{p:.1e}")
    } else {
        "< 1e-300".to_owned()
    }
}

/// Writes rows of equal length as aligned columns. The first row is a header with a rule below it.
/// Columns in `numbers` are right-aligned.
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
