//! `xai self-check`: whether this program computes right on this processor.
//!
//! All figures of the built-in study are computed and held against those that are built in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xai_files::Failure;
use xai_metrics::core::simd::InstructionSet;
use xai_report::{Estimate, Report, diff};

use crate::Context;
use crate::output::text;
use crate::report::make::{Opened, all, evaluate_all};
use crate::report::sections::SECTIONS;

/// What `xai self-check --json` prints of a program whose tests have passed.
const EXPECTED: &str = include_str!("../../sample/figures.json");

/// The figures of the built-in study.
#[derive(Debug, Serialize, Deserialize)]
struct SelfCheck {
    xai_version: String,
    /// What the loops ran with.
    instruction_set: String,
    figures: Vec<Figure>,
    #[serde(skip_deserializing)]
    wrong: Vec<Wrong>,
}

/// A number of the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Figure {
    family: String,
    /// `average_drop / saliency`
    figure: String,
    value: Option<f64>,
    interval: Option<[f64; 2]>,
}

/// A figure that is not as expected.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Wrong {
    /// What was computed; `None` where it was not.
    found: Option<Figure>,
    /// What should have been.
    expected: Option<Figure>,
}

/// Runs `xai self-check`.
pub(crate) fn run(context: &Context) -> Result<(), Failure> {
    let opened = Opened::read(None)?;
    let expected: SelfCheck = serde_json::from_str(EXPECTED).map_err(Failure::new)?;
    // That of the study, whatever `--seed` says.
    let (report, failures) = evaluate_all(&opened, None, &context.with_seed(Some(1)));
    if !failures.is_empty() {
        return Err(all(failures));
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
        n => Err(Failure::new(format_args!("{n} figures are not those that this version should compute"))
            .help("do not rely on this program on this machine, and report what `xai self-check --json` prints")),
    }
}

/// Every figure of a report.
fn figures(report: &Report) -> Vec<Figure> {
    let all = diff(&Report::new(""), report).figures.into_iter();
    all.map(|of| {
        let Estimate {
            value, interval, ..
        } = of.new.unwrap_or_default();
        Figure {
            family: of.family,
            figure: of.figure,
            value,
            interval,
        }
    })
    .collect()
}

/// What is not as expected, missing or not expected.
fn wrong(found: &[Figure], expected: &[Figure]) -> Vec<Wrong> {
    let mut pairs = BTreeMap::<_, (Option<&Figure>, Option<&Figure>)>::new();
    for of in found {
        pairs.entry((&of.family, &of.figure)).or_default().0 = Some(of);
    }
    for of in expected {
        pairs.entry((&of.family, &of.figure)).or_default().1 = Some(of);
    }
    let pairs = pairs.into_values();
    let differ = |(found, expected): &(Option<&Figure>, Option<&Figure>)| match (found, expected) {
        (Some(found), Some(expected)) => !found.is(expected),
        _ => true,
    };
    let cloned = |(found, expected): (Option<&Figure>, Option<&Figure>)| Wrong {
        found: found.cloned(),
        expected: expected.cloned(),
    };
    pairs.filter(differ).map(cloned).collect()
}

impl Figure {
    /// Whether its numbers are those of another one, up to rounding.
    fn is(&self, other: &Self) -> bool {
        let mut sections = SECTIONS.iter();
        let section = sections.find(|section| section.kind().key == self.family);
        let most = section.map_or(0.0, |section| section.tolerance());
        let near = |a: f64, b: f64| (a - b).abs() <= most * b.abs().max(1.0);
        let value = match (self.value, other.value) {
            (Some(a), Some(b)) => near(a, b),
            (a, b) => a == b,
        };
        let interval = match (self.interval, other.interval) {
            (Some(a), Some(b)) => near(a[0], b[0]) && near(a[1], b[1]),
            (a, b) => a == b,
        };
        value && interval
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
            let n = self.figures.iter().filter(|of| of.family == family).count();
            let is_here = |of: &&Wrong| of.found.as_ref().is_some_and(|of| of.family == family);
            let n_wrong = self.wrong.iter().filter(is_here).count();
            [family.to_owned(), n.to_string(), (n - n_wrong).to_string()]
        });
        let mut parts = vec![text::table(&["family", "figures", "right"], rows)];
        if !self.wrong.is_empty() {
            let value = |of: &Option<Figure>| text::cell(of.as_ref().and_then(|of| of.value));
            let rows = self.wrong.iter().map(|of| {
                let named = of.found.as_ref().or(of.expected.as_ref());
                let name = |of: &Figure| format!("{} / {}", of.family, of.figure);
                [
                    named.map(name).unwrap_or_default(),
                    value(&of.found),
                    value(&of.expected),
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
    fn a_figure_that_differs_is_missing_or_is_new_is_wrong() {
        let of = |value| figure("graph", "fidelity / a", value);
        let wrong_of = |found: &[Figure], expected: &[Figure]| wrong(found, expected).len();
        assert_eq!(wrong_of(&[of(Some(0.5))], &[of(Some(0.5 + 1e-13))]), 0);
        assert_eq!(wrong_of(&[of(Some(0.5))], &[of(Some(0.5 + 1e-9))]), 1);
        assert_eq!(wrong_of(&[of(None)], &[of(None)]), 0);
        assert_eq!(wrong_of(&[of(None)], &[of(Some(0.5))]), 1);
        assert_eq!(wrong_of(&[of(Some(f64::NAN))], &[of(Some(0.5))]), 1);
        assert_eq!(wrong_of(&[], &[of(Some(0.5))]), 1);
        assert_eq!(
            wrong_of(&[of(Some(0.5))], &[figure("graph", "b", Some(0.5))]),
            2
        );
        // Only the interval differs.
        let narrow = Figure {
            interval: Some([0.4, 0.6]),
            ..of(Some(0.5))
        };
        assert_eq!(wrong_of(&[narrow], &[of(Some(0.5))]), 1);
        // A model in single precision may round otherwise.
        let of = |value| figure("attribution", "deletion / a", Some(value));
        assert_eq!(wrong_of(&[of(0.5)], &[of(0.5 + 1e-6)]), 0);
        assert_eq!(wrong_of(&[of(0.5)], &[of(0.51)]), 1);
    }
}
