//! The ratio table, in Markdown.

use super::comparison::{Comparison, Peer};
use crate::outcome::Result;
use std::fmt::Write;

/// The best time of a peer or of ours, or why there is none.
#[derive(Clone)]
pub(crate) enum Outcome {
    Seconds(f64),
    Failed(String),
}

impl Outcome {
    pub(crate) fn from_preparation(prepared: Result<String>) -> Self {
        match prepared {
            Ok(_) => Self::Seconds(f64::INFINITY),
            Err(e) => Self::Failed(e.to_string()),
        }
    }

    /// Keeps the minimum; after a failure nothing is run any more.
    pub(crate) fn round(&mut self, time: impl FnOnce() -> Result<f64>) {
        if let Self::Seconds(best) = self {
            match time() {
                Ok(seconds) => *best = best.min(seconds),
                Err(e) => *self = Self::Failed(e.to_string()),
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Seconds(seconds) => duration(*seconds),
            Self::Failed(_) => "—".to_owned(),
        }
    }
}

/// One line of the table.
pub(crate) struct Row {
    ours_name: &'static str,
    work: &'static str,
    peer_name: &'static str,
    target: Option<f64>,
    peer: Outcome,
    ours: Outcome,
    verdict: String,
}

impl Row {
    pub(crate) fn new(
        comparison: &Comparison,
        peer: &Peer,
        outcome: Outcome,
        ours: Outcome,
        verdict: Result<String>,
    ) -> Self {
        Self {
            ours_name: comparison.ours,
            work: comparison.work,
            peer_name: peer.name,
            target: peer.target,
            peer: outcome,
            ours,
            verdict: verdict.unwrap_or_else(|e| format!("differ: {e}")),
        }
    }

    pub(crate) fn failed(comparison: &Comparison, peer: &Peer, why: String) -> Self {
        let failed = Outcome::Failed(why);
        Self::new(
            comparison,
            peer,
            failed.clone(),
            failed,
            Ok("not compared".into()),
        )
    }

    pub(crate) fn differs(&self) -> bool {
        self.verdict.starts_with("differ")
    }

    pub(crate) fn name(&self) -> String {
        format!("{} ({})", self.ours_name, self.peer_name)
    }

    fn ratio(&self) -> Option<f64> {
        match (&self.peer, &self.ours) {
            (Outcome::Seconds(peer), Outcome::Seconds(ours)) => Some(peer / ours),
            _ => None,
        }
    }
}

/// The table of one family, below a line with the machine, the versions and the rounds.
pub(crate) fn markdown(family: &str, rows: &[Row], rounds: usize, versions: &str) -> String {
    let mut text = format!(
        "### {family}\n\n{}; {versions}. The best run of {rounds} rounds, taken in turns.\n\n\
         | work | peer | its time | ours | ratio | target | met | answers |\n\
         |---|---|---:|---:|---:|---:|---|---|\n",
        machine()
    );
    for row in rows {
        let ratio = row.ratio();
        let target = row.target.map_or("—".to_owned(), |t| format!("≥ {t}×"));
        let met = match (ratio, row.target) {
            (Some(ratio), Some(target)) if !row.differs() && ratio >= target => "yes",
            (_, Some(_)) => "no",
            (_, None) => "—",
        };
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {target} | {met} | {} |",
            row.work,
            row.peer_name,
            row.peer.text(),
            row.ours.text(),
            ratio.map_or("—".to_owned(), multiple),
            row.verdict,
        )
        .expect("writing to a String never fails");
    }
    for row in rows {
        for outcome in [&row.peer, &row.ours] {
            if let Outcome::Failed(why) = outcome {
                writeln!(text, "\n{}: {why}", row.name()).expect("writing to a String never fails");
            }
        }
    }
    text
}

/// The processor and the number of threads.
fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let model = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            text.lines()
                .find_map(|line| line.strip_prefix("model name"))
                .map(|rest| rest.trim_start_matches([' ', '\t', ':']).to_owned())
        });
    let model = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{model}, {threads} threads")
}

/// Three significant digits with the unit that fits.
fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", three_digits(value))
}

fn multiple(ratio: f64) -> String {
    format!("{}×", three_digits(ratio))
}

fn three_digits(value: f64) -> String {
    match value {
        v if v < 10.0 => format!("{v:.2}"),
        v if v < 100.0 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::comparison::COMPARISONS;
    use super::*;

    fn line(peer: Outcome, ours: Outcome, verdict: &str) -> String {
        let comparison = &COMPARISONS[0]; // its target is 3×
        let row = Row::new(
            comparison,
            &comparison.peers[0],
            peer,
            ours,
            Ok(verdict.into()),
        );
        let text = markdown("casebased", &[row], 5, "numpy 2");
        text.lines()
            .find(|l| l.contains("per query"))
            .expect("a row")
            .to_owned()
    }

    #[test]
    fn a_target_is_met_only_by_a_right_answer() {
        let seconds = Outcome::Seconds;
        let fast = line(seconds(11e-6), seconds(2e-6), "agree");
        assert!(
            fast.contains("| 11.0 µs | 2.00 µs | 5.50× | ≥ 3× | yes | agree |"),
            "{fast}"
        );
        assert!(line(seconds(11e-6), seconds(2e-6), "differ: 7").contains("| no | differ: 7 |"));
        assert!(line(seconds(4e-6), seconds(2e-6), "agree").contains("| 2.00× | ≥ 3× | no |"));
    }

    #[test]
    fn a_failure_is_explained_below_the_table_and_meets_no_target() {
        let text = line(
            Outcome::Seconds(1.0),
            Outcome::Failed("boom".into()),
            "not compared",
        );
        assert!(text.contains("| 1.00 s | — | — | ≥ 3× | no |"), "{text}");
    }

    #[test]
    fn after_a_failed_round_no_other_is_run() {
        let mut outcome = Outcome::from_preparation(Ok(String::new()));
        outcome.round(|| Ok(2.0));
        outcome.round(|| Ok(3.0));
        assert!(matches!(outcome, Outcome::Seconds(s) if s == 2.0));
        outcome.round(|| Err("boom".into()));
        outcome.round(|| unreachable!("it failed"));
        assert!(matches!(outcome, Outcome::Failed(_)));
    }
}
