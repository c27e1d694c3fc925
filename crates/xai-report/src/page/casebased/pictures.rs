//! Pictures of correspondence.

use crate::picture::axes::Axis;
use crate::picture::figure::Figure;
use crate::picture::histogram::{BarGroup, Bars};
use crate::picture::lines::{LineChart, Reference};
use crate::picture::series::{ErrorBars, Point, Series};
use crate::picture::style::Style;
use crate::section::casebased::{Casebased, Group};

/// Correspondence of right and of wrong predictions.
pub(super) fn distributions(section: &Casebased) -> Option<Figure> {
    let groups = [("right", &section.right, 0), ("wrong", &section.wrong, 1)];
    let bars = |name: &str, group: &Group, style: usize| BarGroup {
        name: name.to_owned(),
        style: Style::of(style),
        histogram: group.histogram.clone(),
        mean: group.mean_correspondence.value,
    };
    let known = groups
        .into_iter()
        .filter_map(|(name, group, style)| Some(bars(name, group.as_ref()?, style)));
    let groups: Vec<BarGroup> = known
        .filter(|group| group.histogram.counts.iter().any(|n| *n > 0))
        .collect();
    if groups.is_empty() {
        return None;
    }
    let picture = Bars {
        title: "Correspondence of right and of wrong predictions".to_owned(),
        caption: "Across: correspondence with the nearest training cases, higher is better. Up and down: the \
                  share of the group in each bin, so that groups of any size compare. Where correspondence \
                  tells errors, the upper bars stand at the right and the lower ones at the left."
            .to_owned(),
        label: "correspondence".to_owned(),
        unit: "predictions",
        groups,
        is_panel: false,
    };
    Some(picture.figure())
}

/// Accuracy by correspondence.
pub(super) fn reliability(section: &Casebased) -> Option<Figure> {
    let bins = section.reliability.iter();
    let points: Vec<Point> = bins
        .filter_map(|bin| {
            Some(Point {
                x: bin.mean_correspondence?,
                y: bin.accuracy.value?,
                interval: bin.accuracy.interval,
                n: Some(bin.accuracy.n),
            })
        })
        .collect();
    if points.is_empty() {
        return None;
    }
    let picture = LineChart {
        title: "Accuracy by correspondence".to_owned(),
        caption: "Each mark: predictions of similar correspondence; the larger, the more of them. Up: the share of them \
                  that is right, with a 95 % interval (Wilson). On the diagonal, correspondence says how often \
                  a prediction is right; above it, predictions are right more often than their precedents \
                  suggest."
            .to_owned(),
        x: Axis::new("mean correspondence", (0.0, 1.0)),
        y: Axis::new("accuracy", (0.0, 1.0)),
        series_kind: "predictions",
        series: vec![Series {
            name: "predictions by correspondence".to_owned(),
            style: Style::of(0),
            points,
            best: None,
            error_bars: ErrorBars::Whiskers,
        }],
        reference: Some(Reference::Diagonal("calibrated: accuracy = correspondence".to_owned())),
        is_panel: false,
    };
    Some(picture.figure())
}
