//! Fidelity against the size of the explanation.

use crate::estimate::Estimate;
use crate::picture::{Axis, ErrorBars, Figure, LineChart, Point, Series, Style, extent};
use crate::section::graph::{Graph, GraphExplainer, SizePoint};

/// Explainers up to which bands in one picture can be told apart.
const MOST_BANDS: usize = 4;

/// The sizes of all explainers: all pictures have the same axis.
fn sizes(section: &Graph) -> Axis {
    let levels = section
        .explainers
        .iter()
        .flat_map(|explainer| &explainer.curve);
    let domain = extent(levels.map(|point| point.level)).unwrap_or((0.0, 1.0));
    Axis::new("size of the explanation", domain)
}

/// The characterization score of all explainers.
pub(super) fn characterization(section: &Graph) -> Option<Figure> {
    if section
        .explainers
        .iter()
        .all(|explainer| explainer.curve.is_empty())
    {
        return None;
    }
    let error_bars = match section.explainers.len() <= MOST_BANDS {
        true => ErrorBars::Band,
        false => ErrorBars::None,
    };
    let series = section
        .explainers
        .iter()
        .enumerate()
        .map(|(index, explainer)| {
            let style = Style::of(index);
            series(
                &explainer.name,
                style,
                explainer,
                |point| point.characterization,
                true,
                error_bars,
            )
        });
    let bands = match error_bars {
        ErrorBars::Band => " Bands: 95 % intervals.",
        ErrorBars::None | ErrorBars::Whiskers => {
            " Intervals are in the pictures below and in the numbers."
        }
    };
    let picture = LineChart {
        title: "Characterization score of all explainers ↑".to_owned(),
        caption: format!(
            "Across: size of the explanation. Up: characterization score, in [0, 1], higher is better: the \
             explanation is necessary and sufficient.{bands} A ring marks the best size of each explainer."
        ),
        x: sizes(section),
        y: Axis::new("characterization", (0.0, 1.0)),
        series_kind: "explainer",
        series: series.collect(),
        reference: None,
        is_panel: false,
    };
    Some(picture.figure())
}

/// One of the scores of a point.
type Score = fn(&SizePoint) -> Estimate;

/// fid₊, fid₋ and characterization of one explainer.
pub(super) fn of_explainer(section: &Graph, explainer: &GraphExplainer) -> Option<Figure> {
    if explainer.curve.is_empty() {
        return None;
    }
    let scores: [(&str, Score, bool); 3] = [
        ("fid₊ ↑", |point| point.pos_fidelity, false),
        ("fid₋ ↓", |point| point.neg_fidelity, false),
        ("characterization ↑", |point| point.characterization, true),
    ];
    let series = scores
        .into_iter()
        .enumerate()
        .map(|(index, (name, value, has_best))| {
            series(
                name,
                Style::of(index),
                explainer,
                value,
                has_best,
                ErrorBars::Band,
            )
        });
    let picture = LineChart {
        title: format!("Fidelity of {}", explainer.name),
        caption: "Across: size of the explanation. Up: scores in [0, 1]; of fid₊ and characterization higher is \
                  better, of fid₋ lower. Bands: 95 % intervals. A ring marks the best size."
            .to_owned(),
        x: sizes(section),
        y: Axis::new("score", (0.0, 1.0)),
        series_kind: "score",
        series: series.collect(),
        reference: None,
        is_panel: false,
    };
    Some(picture.figure())
}

fn series(
    name: &str,
    style: Style,
    explainer: &GraphExplainer,
    value: impl Fn(&SizePoint) -> Estimate,
    has_best: bool,
    error_bars: ErrorBars,
) -> Series {
    let points = explainer.curve.iter().map(|point| {
        let estimate = value(point);
        Point {
            x: point.level,
            // A point without a value is left out of the line by the chart.
            y: estimate.value.unwrap_or(f64::NAN),
            interval: estimate.interval,
            n: Some(estimate.n),
        }
    });
    let points: Vec<Point> = points.collect();
    let best = points
        .get(explainer.best)
        .filter(|point| has_best && point.y.is_finite());
    Series {
        name: name.to_owned(),
        style,
        best: best.map(|_| explainer.best),
        points,
        error_bars,
    }
}
