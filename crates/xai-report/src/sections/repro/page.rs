//! The page of repeated runs.

use maud::html;

use crate::estimate::Estimate;
use crate::markup::{Table, head, name, number, row};
use crate::page::block::{Block, KeyFigure, n_of};
use crate::picture::{
    Axis, ErrorBars, Figure, Intervals, LineChart, Picture, Point, Row, Series, nice_domain,
    thinned,
};
use crate::sections::repro::data::{Inconsistent, Repro};
use crate::sections::runs;
use crate::text::coverage;

pub(super) fn blocks(section: &Repro) -> Vec<Block> {
    let about = format!(
        "{} on {}: {} wrong in every run, {} in at least one; the runs disagree on {}.",
        n_of(section.runs.n_runs, "run", "runs"),
        n_of(section.runs.n_samples, "sample", "samples"),
        number::counted(section.always_wrong, "sample is", "samples are"),
        number::count(section.ever_wrong),
        n_of(section.ever_changing, "sample", "samples"),
    );
    let mut blocks = vec![
        Block::Paragraph(about),
        Block::KeyFigures(key_figures(section)),
    ];
    blocks.extend(runs::metrics(&section.runs));
    blocks.push(Block::Heading("Runs and samples"));
    blocks.extend(accuracy(section).map(|figure| Block::Figures(vec![figure])));
    if !section.most_inconsistent.is_empty() {
        blocks.push(Block::Table(inconsistent(&section.most_inconsistent)));
    }
    blocks
}

fn key_figures(section: &Repro) -> Vec<KeyFigure> {
    let fleiss = "agreement of all runs beyond chance, 1 = all agree, ↑ higher is better";
    let krippendorff = "Fleiss' kappa corrected for the finite number of predictions";
    let gwet = "agreement by chance stays small if one class dominates";
    vec![
        KeyFigure::new("Fleiss' kappa", section.fleiss_kappa, fleiss),
        KeyFigure::new(
            "Krippendorff's alpha",
            section.krippendorff_alpha,
            krippendorff,
        ),
        KeyFigure::new("Gwet's AC1", section.gwet_ac1, gwet),
        KeyFigure::count("Wrong in every run", section.always_wrong, "samples"),
        KeyFigure::count("Wrong in at least one run", section.ever_wrong, "samples"),
    ]
}

fn inconsistent(samples: &[Inconsistent]) -> Table {
    let rows = samples.iter().map(|of| {
        let mut votes: Vec<String> = of
            .votes
            .iter()
            .take(6)
            .map(|votes| format!("{} × {}", votes.n, votes.class))
            .collect();
        if of.votes.len() > 6 {
            votes.push(format!("and {} more classes", of.votes.len() - 6));
        }
        row![
            of.sample,
            &of.label,
            votes.join(", "),
            Some(of.modal_share),
            Some(of.entropy)
        ]
    });
    Table::new("Samples on which runs disagree most")
        .numbers(["sample"])
        .words(["true class", "votes: runs × class"])
        .numbers(["share of the most frequent class"])
        .number(head(name("entropy"), html! { "in nats" }))
        .rows(rows)
}

/// Largest number of runs that are drawn as a row each.
const MAX_ROWS: usize = 40;

/// Number of points of the line that is drawn for more runs.
const MAX_POINTS: usize = 200;

/// Accuracy of each run: a row per run, or a line for many runs.
fn accuracy(section: &Repro) -> Option<Figure> {
    let (coverage, n) = (coverage(section.runs.level), section.accuracy.len());
    let title = "Accuracy of each run ↑";
    let what = "share of correct predictions";
    if n == 0 {
        return None;
    }
    if n <= MAX_ROWS {
        let runs = section.accuracy.iter().enumerate();
        let rows = runs.map(|(run, estimate)| Row::new(section.runs.name(run), 0, *estimate));
        return Some(Intervals::new("accuracy", "run", rows).figure(
            title,
            format!(
                "Runs in the order of the data. Horizontal: {what} with its {coverage} interval over samples (Wilson)."
            ),
        ));
    }
    let line = accuracy_line(&section.accuracy);
    let some = match line.series[0].points.len() {
        shown if shown < n => format!(" {shown} of {n} runs are drawn, evenly spread."),
        _ => String::new(),
    };
    let caption = format!(
        "Horizontal: runs in the order of the file, counted from 0. Vertical: {what}. Band: {coverage} intervals over \
         samples (Wilson).{some}"
    );
    Some(line.figure(title, caption))
}

fn accuracy_line(accuracy: &[Estimate]) -> LineChart {
    let known = accuracy
        .iter()
        .enumerate()
        .filter(|(_, of)| of.value.is_some());
    let points: Vec<Point> = known
        .map(|(run, of)| Point::estimate(run as f64, of))
        .collect();
    let shown: Vec<Point> = thinned(&points, MAX_POINTS).copied().collect();
    let last = accuracy.len().saturating_sub(1) as f64;
    let domain = nice_domain(shown.iter().flat_map(Point::ends));
    let (x, y) = (Axis::new("run", (0.0, last)), Axis::new("accuracy", domain));
    let series = Series::new("accuracy", 0, shown).error_bars(ErrorBars::Band);
    LineChart::new("accuracy", x, y, [series])
}
