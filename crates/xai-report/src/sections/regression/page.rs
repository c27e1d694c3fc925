//! The page of repeated runs of regression models.

use crate::estimate::Estimate;
use crate::page::block::{Block, n_of};
use crate::picture::{Figure, Intervals, Picture, Row};
use crate::sections::regression::data::Regression;
use crate::sections::runs;

pub(super) fn blocks(section: &Regression) -> Vec<Block> {
    let about = format!(
        "{} on {}.",
        n_of(section.runs.n_runs, "run", "runs"),
        n_of(section.runs.n_samples, "sample", "samples"),
    );
    let mut blocks = vec![Block::Paragraph(about)];
    blocks.extend(runs::metrics(&section.runs));
    blocks.extend(Block::figures("Runs", vec![errors(section)]));
    blocks
}

/// Largest number of runs that are drawn.
const MAX_ROWS: usize = 60;

/// Mean absolute error of each run.
fn errors(section: &Regression) -> Figure {
    let errors = section.mean_absolute_error.iter().enumerate();
    let rows = errors.take(MAX_ROWS).map(|(run, &error)| {
        let estimate = Estimate::new(Some(error), None, section.runs.n_samples as u64);
        Row::new(section.runs.name(run), 0, estimate)
    });
    let some = match section.mean_absolute_error.len() {
        n if n > MAX_ROWS => format!(" The first {MAX_ROWS} of {n} runs are drawn."),
        _ => String::new(),
    };
    Intervals::new("mean absolute error", "run", rows).figure(
        "Mean absolute error of each run ↓",
        format!("Runs in the order of the data. Horizontal: mean absolute error, in units of the target.{some}"),
    )
}
