//! Tables of the scores of graph explainers.

use crate::markup::number::in_own_units;
use crate::markup::table::{Cell, Table};
use crate::section::graph::Graph;

/// The scores of each explainer at its best size.
pub(super) fn best(section: &Graph) -> Table {
    let rows = section.explainers.iter().map(|explainer| {
        let point = explainer.curve.get(explainer.best);
        let auroc = explainer.groundtruth.as_ref().map(|truth| truth.auroc);
        vec![
            Cell::words(&explainer.name),
            Cell::shown_as(point.map(|point| point.level), in_own_units),
            Cell::estimate(
                &point
                    .map(|point| point.characterization)
                    .unwrap_or_default(),
            ),
            Cell::estimate(&point.map(|point| point.pos_fidelity).unwrap_or_default()),
            Cell::estimate(&point.map(|point| point.neg_fidelity).unwrap_or_default()),
            Cell::number(point.map(|point| point.unfaithfulness)),
            Cell::number(explainer.fidelity_auc),
            Cell::estimate(&auroc.unwrap_or_default()),
        ]
    });
    Table::new("Each explainer at the size of its best characterization, with 95 % intervals")
        .words("explainer")
        .numbers("best size")
        .numbers("characterization ↑")
        .numbers("fid₊ ↑")
        .numbers("fid₋ ↓")
        .numbers("unfaithfulness ↓")
        .numbers("area under the fidelity curve ↑")
        .numbers("AUROC against the truth ↑")
        .rows(rows)
}

/// Masks against the truth at threshold 0.5.
pub(super) fn truth(section: &Graph) -> Table {
    let rows = section.explainers.iter().filter_map(|explainer| {
        let truth = explainer.groundtruth.as_ref()?;
        Some(vec![
            Cell::words(&explainer.name),
            Cell::estimate(&truth.auroc),
            Cell::number(truth.average_precision),
            Cell::number(truth.accuracy),
            Cell::number(truth.recall),
            Cell::number(truth.precision),
            Cell::number(truth.f1_score),
            Cell::number(truth.jaccard),
            Cell::number(Some(truth.prevalence)),
        ])
    });
    Table::new("Masks against the true edges; accuracy to intersection over union at threshold 0.5")
        .words("explainer")
        .numbers("AUROC ↑")
        .numbers("average precision ↑")
        .numbers("accuracy ↑")
        .numbers("recall ↑")
        .numbers("precision ↑")
        .numbers("F1 ↑")
        .numbers("intersection over union ↑")
        .numbers("share of true edges")
        .rows(rows)
}
