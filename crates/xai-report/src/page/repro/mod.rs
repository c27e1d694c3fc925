//! The section of repeated runs.

mod pictures;

use crate::family::Family;
use crate::markup::{Cell, Element, Table, name, number};
use crate::page::block::{Block, KeyFigure, Section, n_of};
use crate::section::repro::{Inconsistent, PairMetricSummary, Repro};
use crate::text::with_arrow;

/// The section with its pictures and tables.
pub(super) fn section(section: &Repro) -> Section<'_> {
    Section {
        family: Family::Repro,
        origin: &section.origin,
        about: format!(
            "{} on {}: {} wrong in every run, {} in at least one; on {} the runs do not all agree.",
            n_of(section.n_runs, "run", "runs"),
            n_of(section.n_samples, "sample", "samples"),
            number::of_kind(section.always_wrong, "sample is", "samples are"),
            number::count(section.ever_wrong),
            n_of(section.ever_changing, "sample", "samples"),
        ),
        blocks: blocks(section),
    }
}

fn blocks(section: &Repro) -> Vec<Block> {
    let mut blocks = vec![Block::KeyFigures(key_figures(section))];
    blocks.push(Block::Heading("Metrics over all pairs of runs"));
    blocks.push(Block::Figures(vec![
        pictures::means(section),
        pictures::similarity(section),
    ]));
    blocks.push(Block::Table(metrics(section)));
    let distributions = pictures::distributions(section);
    if !distributions.is_empty() {
        blocks.push(Block::Heading("How the pairs are distributed"));
        blocks.push(Block::Panels(distributions));
    }
    blocks.push(Block::Heading("Runs and samples"));
    blocks.extend(pictures::accuracy(section).map(|figure| Block::Figures(vec![figure])));
    if !section.most_inconsistent.is_empty() {
        blocks.push(Block::Table(inconsistent(&section.most_inconsistent)));
    }
    blocks
}

fn key_figures(section: &Repro) -> Vec<KeyFigure> {
    let note = "agreement of all runs beyond chance, 1 = all agree, ↑ higher is better";
    vec![
        KeyFigure::number("Fleiss' kappa", section.fleiss_kappa, note),
        KeyFigure::number(
            "Krippendorff's alpha",
            section.krippendorff_alpha,
            "the same with a correction for few runs",
        ),
        KeyFigure::number(
            "Gwet's AC1",
            section.gwet_ac1,
            "the same with another chance",
        ),
        KeyFigure::count("Wrong in every run", section.always_wrong, "samples"),
        KeyFigure::count("Wrong in some run", section.ever_wrong, "samples"),
    ]
}

fn metrics(section: &Repro) -> Table {
    let row = |metric: &PairMetricSummary| {
        vec![
            Cell::words(with_arrow(&metric.title, metric.better)).note(&metric.range),
            Cell::estimate(&metric.mean),
            Cell::number(metric.std),
            Cell::number(metric.min),
            Cell::number(metric.median),
            Cell::number(metric.max),
            Cell::count(metric.mean.n),
        ]
    };
    Table::new("Over all pairs of runs; 95 % interval of the mean by a jackknife over runs")
        .words("metric")
        .numbers("mean")
        .numbers("standard deviation")
        .numbers("least")
        .numbers("median")
        .numbers("largest")
        .numbers("pairs")
        .rows(section.metrics.iter().map(row))
}

fn inconsistent(samples: &[Inconsistent]) -> Table {
    let head = Element::new("div")
        .child(name("entropy"))
        .child(Element::of("small", "note").text("in nats"));
    let rows = samples.iter().map(|sample| {
        let votes = sample.votes.iter().take(6);
        let votes = votes.map(|votes| format!("{} × {}", votes.n, votes.class));
        let mut votes: Vec<String> = votes.collect();
        if sample.votes.len() > 6 {
            votes.push(format!("and {} more classes", sample.votes.len() - 6));
        }
        vec![
            Cell::index(sample.sample),
            Cell::words(&sample.label),
            Cell::words(votes.join(", ")),
            Cell::number(Some(sample.modal_share)),
            Cell::number(Some(sample.entropy)),
        ]
    });
    Table::new("Samples on which runs disagree most")
        .numbers("sample")
        .words("true class")
        .words("votes: runs × class")
        .numbers("share of the most frequent class")
        .column(head, true)
        .rows(rows)
}
