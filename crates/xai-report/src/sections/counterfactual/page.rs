//! The page of counterfactuals.

use crate::markup::{Cell, Table, row};
use crate::page::block::{Block, n_of};
use crate::sections::compared;
use crate::sections::counterfactual::data::Counterfactual;

pub(super) fn blocks(section: &Counterfactual) -> Vec<Block> {
    let of = &section.compared;
    let about = format!(
        "{}, counterfactuals by {}, {}.",
        n_of(of.n_samples, "query", "queries"),
        n_of(of.explainers.len(), "method", "methods"),
        n_of(of.metrics.len(), "metric", "metrics"),
    );
    let mut blocks = vec![Block::Paragraph(about)];
    if section.success.iter().any(Option::is_some) {
        let rows = of.explainers.iter().zip(&section.success);
        let rows = rows.map(|(name, share)| row![name, *share]);
        let caption = "Share of the queries with a valid counterfactual; the means of a method are over these queries";
        blocks.push(Block::Table(
            Table::new(caption)
                .words(["method"])
                .numbers(["share"])
                .rows(rows),
        ));
    }
    blocks.extend(compared::values(of));
    if !section.violations.is_empty() {
        blocks.push(Block::Heading("Forbidden changes"));
        let rows = section.violations.iter().map(|violation| {
            let shares = violation.shares.iter().map(|share| Cell::from(*share));
            std::iter::once(Cell::from(&violation.feature))
                .chain(shares)
                .collect()
        });
        let caption =
            "Share of the counterfactuals that change a feature in a way that the schema forbids";
        blocks.push(Block::Table(
            Table::new(caption)
                .words(["feature"])
                .numbers(&of.explainers)
                .rows(rows),
        ));
    }
    blocks.extend(compared::judged(of));
    if !section.changes.is_empty() {
        let words = "The first counterfactual of each method for some queries: the best and the worst by the first metric with a \
                     better end, of the method that it ranks first.";
        blocks.push(Block::Heading("Changes side by side"));
        blocks.push(Block::Paragraph(words.to_owned()));
        let rows = section.changes.iter().map(|change| {
            row![
                change.query,
                &change.explainer,
                &change.feature,
                &change.before,
                &change.after
            ]
        });
        let table = Table::new("Changed features").numbers(["query"]);
        blocks.push(Block::Table(
            table
                .words(["method", "feature", "before", "after"])
                .rows(rows),
        ));
    }
    blocks
}
