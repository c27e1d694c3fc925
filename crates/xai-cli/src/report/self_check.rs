//! `xai self-check`: tests whether this program computes correctly on this processor.
//!
//! It computes all figures of the built-in study and compares them with expected values that are part of the program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xai_files::Failure;
use xai_metrics::common::simd::InstructionSet;
use xai_report::{Estimate, Report, diff};

use crate::Context;
use crate::output::text;
use crate::report::make::{Opened, evaluate_sections, print_all_but_last};
use crate::report::sections::SECTIONS;

/// Output of `xai self-check --json` of a program whose tests passed.
const EXPECTED: &str = include_str!("../../sample/figures.json");

/// The figures of the built-in study. The JSON of `xai self-check`.
#[derive(Debug, Serialize, Deserialize)]
struct SelfCheck {
    xai_version: String,
    /// Instruction set of the vectorised loops.
    instruction_set: String,
    figures: Vec<Figure>,
    #[serde(skip_deserializing)]
    wrong: Vec<Wrong>,
}

/// A number of the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Figure {
    family: String,
    /// Metric and explainer, for example `average_drop / saliency`.
    figure: String,
    value: Option<f64>,
    interval: Option<[f64; 2]>,
}

/// A figure that is not as expected.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Wrong {
    /// Computed figure; `None` if it was not computed.
    found: Option<Figure>,
    /// Expected figure; `None` for a figure that is not expected.
    expected: Option<Figure>,
}

/// Runs `xai self-check`.
pub(crate) fn run(context: &Context) -> Result<(), Failure> {
    let opened = Opened::read(None)?;
    let expected: SelfCheck = serde_json::from_str(EXPECTED).map_err(Failure::new)?;
    // The expected figures have the seed of the study, so `--seed` is ignored.
    let (report, failures) = evaluate_sections(&opened, None, &context.with_seed(Some(1)));
    if !failures.is_empty() {
        return Err(print_all_but_last(failures));
    }
    let figures = figures(&report);
    let check = SelfCheck {
        xai_version: report.xai_version,
        instruction_set: InstructionSet::fastest().to_string(),
        wrong: wrong(&figures, &expected.figures),
        figures,
    };
    context.present(&check, || check.table())?;
    match check.wrong.len() {
        0 => Ok(()),
        n => Err(Failure::new(format_args!(
            "{n} figures differ from the values that this version should compute"
        ))
        .help("do not rely on this program on this machine, and report the output of `xai self-check --json`")),
    }
}

/// Returns every figure of a report: all figures that are new relative to an empty report.
fn figures(report: &Report) -> Vec<Figure> {
    let changes = diff(&Report::new(""), report).figures.into_iter();
    changes
        .map(|change| {
            let Estimate {
                value, interval, ..
            } = change.new.unwrap_or_default();
            Figure {
                family: change.family,
                figure: change.figure,
                value,
                interval,
            }
        })
        .collect()
}

/// Returns the figures that differ from the expected ones, are missing, or are not expected.
fn wrong(found: &[Figure], expected: &[Figure]) -> Vec<Wrong> {
    let mut pairs = BTreeMap::<_, (Option<&Figure>, Option<&Figure>)>::new();
    for figure in found {
        pairs.entry((&figure.family, &figure.figure)).or_default().0 = Some(figure);
    }
    for figure in expected {
        pairs.entry((&figure.family, &figure.figure)).or_default().1 = Some(figure);
    }
    let differ = |(found, expected): &(Option<&Figure>, Option<&Figure>)| match (found, expected) {
        (Some(found), Some(expected)) => !found.is_close(expected),
        _ => true,
    };
    let cloned = |(found, expected): (Option<&Figure>, Option<&Figure>)| Wrong {
        found: found.cloned(),
        expected: expected.cloned(),
    };
    pairs.into_values().filter(differ).map(cloned).collect()
}

impl Figure {
    /// Returns `true` if its numbers equal those of another figure up to the [tolerance] of the kind of section.
    ///
    /// [tolerance]: crate::report::section::StudySection::tolerance
    fn is_close(&self, other: &Self) -> bool {
        let mut sections = SECTIONS.iter();
        let section = sections.find(|section| section.kind().key == self.family);
        let tolerance = section.map_or(0.0, |section| section.tolerance());
        let is_near = |a: f64, b: f64| (a - b).abs() <= tolerance * b.abs().max(1.0);
        let has_same_value = match (self.value, other.value) {
            (Some(a), Some(b)) => is_near(a, b),
            (a, b) => a == b,
        };
        let has_same_interval = match (self.interval, other.interval) {
            (Some(a), Some(b)) => is_near(a[0], b[0]) && is_near(a[1], b[1]),
            (a, b) => a == b,
        };
        has_same_value && has_same_interval
    }
}

impl SelfCheck {
    fn table(&self) -> String {
        let mut families: Vec<&str> = Vec::new();
        for figure in &self.figures {
            if !families.contains(&figure.family.as_str()) {
                families.push(&figure.family);
            }
        }
        let rows = families.into_iter().map(|family| {
            let n = self
                .figures
                .iter()
                .filter(|figure| figure.family == family)
                .count();
            let is_in_family = |wrong: &&Wrong| {
                wrong
                    .found
                    .as_ref()
                    .is_some_and(|figure| figure.family == family)
            };
            let n_wrong = self.wrong.iter().filter(is_in_family).count();
            [family.to_owned(), n.to_string(), (n - n_wrong).to_string()]
        });
        let mut parts = vec![text::table(&["family", "figures", "right"], rows)];
        if !self.wrong.is_empty() {
            let value = |figure: &Option<Figure>| {
                text::cell(figure.as_ref().and_then(|figure| figure.value))
            };
            let rows = self.wrong.iter().map(|wrong| {
                let figure = wrong.found.as_ref().or(wrong.expected.as_ref());
                let name = |figure: &Figure| format!("{} / {}", figure.family, figure.figure);
                [
                    figure.map(name).unwrap_or_default(),
                    value(&wrong.found),
                    value(&wrong.expected),
                ]
            });
            parts.push(text::table(&["not as expected", "found", "expected"], rows));
        }
        parts.push(format!(
            "xai {}, instruction set {}: {} of {} figures of the sample study are right",
            self.xai_version,
            self.instruction_set,
            self.figures.len() - self.wrong.iter().filter(|of| of.found.is_some()).count(),
            self.figures.len()
        ));
        parts.join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(family: &str, name: &str, value: Option<f64>) -> Figure {
        let (family, figure) = (family.to_owned(), name.to_owned());
        let interval = value.map(|value| [value - 0.5, value + 0.5]);
        Figure {
            family,
            figure,
            value,
            interval,
        }
    }

    #[test]
    fn figures_that_differ_are_missing_or_are_new_are_wrong() {
        let fidelity = |value| figure("graph", "fidelity / a", value);
        let n_wrong = |found: &[Figure], expected: &[Figure]| wrong(found, expected).len();
        let half = [fidelity(Some(0.5))];
        assert_eq!(n_wrong(&half, &[fidelity(Some(0.5 + 1e-13))]), 0);
        assert_eq!(n_wrong(&half, &[fidelity(Some(0.5 + 1e-9))]), 1);
        assert_eq!(n_wrong(&[fidelity(None)], &[fidelity(None)]), 0);
        assert_eq!(n_wrong(&[fidelity(None)], &half), 1);
        assert_eq!(n_wrong(&[fidelity(Some(f64::NAN))], &half), 1);
        assert_eq!(n_wrong(&[], &half), 1);
        assert_eq!(n_wrong(&half, &[figure("graph", "b", Some(0.5))]), 2);
        // Only the interval differs.
        let narrow = Figure {
            interval: Some([0.4, 0.6]),
            ..fidelity(Some(0.5))
        };
        assert_eq!(n_wrong(&[narrow], &half), 1);
        // Models compute in single precision, with rounding that depends on the processor.
        let deletion = |value| figure("attribution", "deletion / a", Some(value));
        assert_eq!(n_wrong(&[deletion(0.5)], &[deletion(0.5 + 1e-6)]), 0);
        assert_eq!(n_wrong(&[deletion(0.5)], &[deletion(0.51)]), 1);
    }
}
