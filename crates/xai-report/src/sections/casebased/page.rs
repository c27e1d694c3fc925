//! The page of case-based explanations.

use maud::html;

use crate::markup::number::{self, decimals, in_own_units, percent};
use crate::markup::{Cell, Table, head, name, row};
use crate::page::block::{Block, KeyFigure, n_of};
use crate::picture::{
    Axis, BarGroup, Bars, ErrorBars, Figure, LineChart, Picture, Point, Reference, Series,
};
use crate::sections::casebased::data::{Casebased, FeatureComparison, Group, LeastSupported};

pub(super) fn blocks(section: &Casebased) -> Vec<Block> {
    let about = format!(
        "{}, each against its {} nearest of {}, by {}. Correspondence is the share of neighbour weight \
         that has the predicted class, in [0, 1], higher is better.",
        n_of(section.n_test, "prediction", "predictions"),
        section.k,
        n_of(section.n_train, "training case", "training cases"),
        n_of(section.columns_used.len(), "feature", "features"),
    );
    let mut blocks = vec![
        Block::Paragraph(about),
        Block::KeyFigures(key_figures(section)),
    ];
    let figures = distributions(section)
        .into_iter()
        .chain(reliability(section));
    let heading = "Right and wrong predictions";
    blocks.extend(Block::figures(heading, figures.collect()));
    if section.groups().next().is_some() {
        blocks.push(Block::Table(groups(section)));
    }
    blocks.push(Block::Heading("By class and by level"));
    blocks.push(Block::Table(by_class(section)));
    blocks.push(Block::Table(levels(section)));
    if !section.least_supported.is_empty() {
        blocks.push(Block::Heading("The least-supported predictions"));
        blocks.push(Block::Paragraph(
            "The predictions with the lowest correspondence, lowest first, beside their nearest training \
             cases. ▲ and ▼ mark features in which the prediction is more than one standard deviation of \
             the training rows above or below the mean of its nearest cases. Values are in the units of the \
             data; rows are counted from 0."
                .to_owned(),
        ));
        blocks.extend(section.least_supported.iter().enumerate().map(case));
    }
    let columns = [
        ("Features", &section.columns_used),
        ("Left out", &section.columns_left_out),
    ];
    let columns = columns.into_iter().filter(|(_, names)| !names.is_empty());
    let columns =
        columns.map(|(what, names)| Block::Paragraph(format!("{what}: {}.", names.join(", "))));
    let columns: Vec<Block> = columns.collect();
    if !columns.is_empty() {
        blocks.push(Block::folded(
            "Columns that were used and left out",
            columns,
        ));
    }
    blocks
}

fn key_figures(section: &Casebased) -> Vec<KeyFigure> {
    let mut keys = vec![KeyFigure::new(
        "Mean correspondence",
        section.mean_correspondence,
        "in [0, 1], ↑ higher is better",
    )];
    keys.extend(
        section
            .accuracy
            .map(|accuracy| KeyFigure::new("Accuracy", accuracy, "share of right predictions")),
    );
    keys.extend(section.auroc_of_right.map(|auroc| {
        let note = "does correspondence rank right predictions above wrong ones? 0.5 = no better than chance";
        KeyFigure::new("AUROC, right against wrong", auroc, note)
    }));
    if !section.reliability.is_empty() {
        let note = "expected calibration error over ten bins; 0 = calibrated, ↓ lower is better";
        let error = section.expected_calibration_error;
        keys.push(KeyFigure::new("Calibration error", error, note));
    }
    keys
}

fn groups(section: &Casebased) -> Table {
    let rows = section.groups().map(|(name, group)| {
        let mean = &group.mean_correspondence;
        row![name, group.n, mean.value, mean.interval]
    });
    Table::new("Correspondence of right and of wrong predictions")
        .words(["predictions"])
        .numbers(["number", "mean correspondence", "95 % interval"])
        .rows(rows)
}

fn by_class(section: &Casebased) -> Table {
    let classes = section.by_class.iter();
    let rows = classes.map(|of| row![&of.class, of.n, of.mean_correspondence, of.accuracy]);
    Table::new("Predictions by predicted class")
        .words(["predicted class"])
        .numbers(["number", "mean correspondence", "accuracy"])
        .rows(rows)
}

fn levels(section: &Casebased) -> Table {
    let n: u64 = section.levels.iter().map(|level| level.n).sum();
    let rows = section.levels.iter().map(|level| {
        let share = level.n as f64 / n.max(1) as f64;
        row![&level.level, level.n, Cell::shown_as(Some(share), percent)]
    });
    Table::new("Predictions by the level of their correspondence")
        .words(["level"])
        .numbers(["number", "share"])
        .rows(rows)
}

/// Correspondence of right and of wrong predictions.
fn distributions(section: &Casebased) -> Option<Figure> {
    let groups = section
        .groups()
        .filter(|(_, group)| !group.histogram.is_empty());
    let groups: Vec<BarGroup> = groups.map(|(name, group)| bars(name, group)).collect();
    if groups.is_empty() {
        return None;
    }
    Some(Bars::new("correspondence", "predictions", groups).figure(
        "Correspondence of right and of wrong predictions",
        "Horizontal: correspondence with the nearest training cases, higher is better. Vertical: share of the correct \
         predictions (upward) and of the wrong ones (downward) in each bin. If correspondence reveals errors, the \
         upper bars are at the right and the lower bars at the left.",
    ))
}

fn bars(name: &str, group: &Group) -> BarGroup {
    let (index, mean) = (
        usize::from(name == "wrong"),
        group.mean_correspondence.value,
    );
    BarGroup::new(name, index, group.histogram.clone(), mean)
}

/// Accuracy by correspondence.
fn reliability(section: &Casebased) -> Option<Figure> {
    let bins = section.reliability.iter();
    let known = bins.filter(|bin| bin.accuracy.value.is_some());
    let points =
        known.filter_map(|bin| Some(Point::estimate(bin.mean_correspondence?, &bin.accuracy)));
    let series = Series::new("predictions by correspondence", 0, points);
    if series.points.is_empty() {
        return None;
    }
    let picture = LineChart::new(
        "predictions",
        Axis::new("mean correspondence", (0.0, 1.0)),
        Axis::new("accuracy", (0.0, 1.0)),
        [series.error_bars(ErrorBars::Whiskers)],
    );
    let calibrated = Reference::Diagonal("calibrated: accuracy = correspondence".to_owned());
    Some(picture.reference(calibrated).figure(
        "Accuracy by correspondence",
        "Marks: predictions of similar correspondence; larger marks stand for more predictions. Vertical: share of \
         correct predictions, with Wilson's 95 % interval. On the diagonal, correspondence equals accuracy; above it, \
         predictions are correct more often than their nearest cases suggest.",
    ))
}

/// Number of features of a case that are shown without unfolding.
const FIRST: usize = 8;

/// Number of cases that are unfolded at first.
const OPEN: usize = 3;

/// One of the least-supported predictions.
fn case((index, case): (usize, &LeastSupported)) -> Block {
    let (first, rest) = case.features.split_at(case.features.len().min(FIRST));
    let caption = format!(
        "Row {}: features by difference, the largest first",
        case.sample
    );
    let mut blocks = vec![Block::Table(table(caption, case, first))];
    if !rest.is_empty() {
        let caption = format!("Row {}: the other features", case.sample);
        let rest_of_table = Block::Table(table(caption, case, rest));
        let title = n_of(rest.len(), "more feature", "more features");
        blocks.push(Block::folded(title, vec![rest_of_table]));
    }
    Block::Folded {
        title: title(case),
        is_open: index < OPEN,
        blocks,
    }
}

fn title(case: &LeastSupported) -> String {
    let predicted = case.predicted.as_deref();
    let verdict = match &case.truth {
        None => String::new(),
        Some(truth) if predicted == Some(truth) => format!(", which is right ({truth})"),
        Some(truth) => format!(", but it is {truth}"),
    };
    let correspondence = match number::finite(case.correspondence) {
        Some(value) => format!("correspondence {}, {}", decimals(value), case.level),
        None => "correspondence undefined".to_owned(),
    };
    let predicted = predicted.unwrap_or("nothing: its neighbours weigh 0");
    let row = case.sample;
    format!("Row {row}: predicted {predicted}{verdict}; {correspondence}")
}

fn table(caption: String, case: &LeastSupported, features: &[FeatureComparison]) -> Table {
    let number = |table: Table, title: String, note: String| {
        table.number(head(html! { (title) }, name(&note)))
    };
    let table = Table::new(caption).unsorted().words(["feature"]);
    let row = format!("row {}", case.sample);
    let mut table = number(table, "this prediction".to_owned(), row);
    for (index, near) in case.cases.iter().enumerate() {
        let distance = in_own_units(near.distance);
        let (row, label) = (near.index, &near.label);
        let note = format!("row {row}, {label}, distance {distance}");
        table = number(table, format!("case {}", index + 1), note);
    }
    let note = "in standard deviations".to_owned();
    let n = case.cases.len();
    number(table, "difference".to_owned(), note).rows(features.iter().map(|of| feature_row(of, n)))
}

fn feature_row(feature: &FeatureComparison, n_cases: usize) -> Vec<Cell> {
    let differs = feature.differs;
    let class = if differs { "differs" } else { "" };
    let mut row = row![
        &feature.feature,
        Cell::in_own_units(feature.value).class(class)
    ];
    let values = (0..n_cases).map(|index| feature.cases.get(index).copied());
    row.extend(values.map(Cell::in_own_units));
    let difference = Cell::shown_as(feature.difference, |value| difference(value, differs));
    row.push(difference.class(class));
    row
}

/// Formats a difference with its sign, and with an arrow if it is large.
fn difference(value: f64, differs: bool) -> String {
    let arrow = match (differs, value > 0.0) {
        (false, _) => "",
        (true, true) => "▲ ",
        (true, false) => "▼ ",
    };
    // A difference that rounds to 0 has no sign.
    let shown = match format!("{value:+.2}").as_str() {
        "+0.00" | "-0.00" => "0.00".to_owned(),
        signed => number::minus(signed.to_owned()),
    };
    format!("{arrow}{shown}")
}
