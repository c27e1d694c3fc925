//! Histograms of one or two groups; the second is drawn downward.

use crate::estimate::Histogram;
use crate::markup::number::{decimals, in_own_units, percent};
use crate::markup::{Cell, Table, number};
use crate::picture::{Area, Axis, Element, LegendEntry, PANEL, Picture, Style, Swatch, WIDTH};

/// Histogram of one or two groups with the same bins. Bars are shares of their group, so that
/// groups of different sizes can be compared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bars {
    /// Name of the value on the horizontal axis.
    label: String,
    /// Name of the counted items, for example `predictions`.
    unit: &'static str,
    /// The first group is drawn upward, the second downward.
    groups: Vec<BarGroup>,
    /// True for one of many small pictures.
    is_panel: bool,
}

/// One group of a histogram.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BarGroup {
    name: String,
    style: Style,
    histogram: Histogram,
    /// Mean of the values, if known.
    mean: Option<f64>,
}

impl Bars {
    /// Creates a histogram of normal size.
    pub(crate) fn new(label: impl Into<String>, unit: &'static str, groups: Vec<BarGroup>) -> Self {
        Self {
            label: label.into(),
            unit,
            groups,
            is_panel: false,
        }
    }

    /// Makes it one of many small pictures.
    pub(crate) fn panel(mut self) -> Self {
        self.is_panel = true;
        self
    }
}

impl BarGroup {
    /// Creates a group with the style of the `index`-th series.
    pub(crate) fn new(name: &str, index: usize, histogram: Histogram, mean: Option<f64>) -> Self {
        Self {
            name: name.to_owned(),
            style: Style::for_series(index),
            histogram,
            mean,
        }
    }

    fn n(&self) -> u64 {
        self.histogram.counts.iter().sum()
    }

    /// Share of the values in a bin.
    fn share(&self, index: usize) -> f64 {
        let count = self.histogram.counts.get(index).copied().unwrap_or(0);
        count as f64 / self.n().max(1) as f64
    }

    /// Index and share of the largest bin, the first among ties.
    fn largest(&self) -> (usize, f64) {
        let shares = (0..self.histogram.counts.len()).map(|index| (index, self.share(index)));
        shares.fold(
            (0, 0.0),
            |best, next| if next.1 > best.1 { next } else { best },
        )
    }

    fn range_of(&self, index: usize) -> String {
        let (from, to) = self.histogram.bin(index);
        format!("{} to {}", in_own_units(from), in_own_units(to))
    }

    fn describe(&self) -> String {
        let (index, share) = self.largest();
        let mean = number::finite(self.mean).map(|mean| format!(", mean {}", decimals(mean)));
        match self.n() {
            0 => format!("{}: none.", self.name),
            n => format!(
                "{}: {} in all, most of them ({}) from {}{}.",
                self.name,
                number::count(n),
                percent(share),
                self.range_of(index),
                mean.unwrap_or_default()
            ),
        }
    }
}

impl Picture for Bars {
    fn size(&self) -> (f64, f64) {
        if self.is_panel {
            (PANEL, 190.0)
        } else {
            (WIDTH, 300.0)
        }
    }

    fn describe(&self) -> String {
        let described: Vec<String> = self.groups.iter().map(BarGroup::describe).collect();
        format!("Distribution of {}. {}", self.label, described.join(" "))
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let mut entries = Vec::new();
        if self.groups.len() > 1 {
            let groups = self.groups.iter().zip(["upward", "downward"]);
            entries.extend(groups.map(|(group, direction)| {
                let n = number::count(group.n());
                let text = format!("{} ({direction}), n = {n}", group.name);
                LegendEntry::new(Swatch::Bar(group.style), text)
            }));
        }
        if self.groups.iter().any(|group| group.mean.is_some()) {
            entries.push(LegendEntry::new(Swatch::Reference, "mean"));
        }
        entries
    }

    fn draw(&self) -> Vec<Element> {
        let Some(first) = self.groups.first() else {
            return Vec::new();
        };
        let largest_shares = self.groups.iter().map(|group| group.largest().1);
        let largest = largest_shares.fold(0.0, f64::max).max(1e-9);
        let low = if self.groups.len() > 1 { -largest } else { 0.0 };
        let x = Axis::new(&self.label, (first.histogram.from, first.histogram.to));
        let whole = if low < 0.0 { "each group" } else { self.unit };
        let y = Axis::new(format!("% of {whole}"), (low, largest));
        let area = Area::new(self.size(), &x, &y);
        let mut marks = area.draw_x_ticks(if self.is_panel { 4 } else { 6 });
        // Downward shares are negative coordinates, but their labels are positive.
        let percent = |share: f64| in_own_units((share.abs() * 1e4).round() / 100.0);
        let ticks = area.y.ticks(5).into_iter();
        let labelled = ticks.map(|(share, _)| (share, percent(share)));
        marks.extend(area.draw_y_ticks(labelled.collect()));
        for (group, direction) in self.groups.iter().zip([1.0, -1.0]) {
            marks.extend(self.draw_group(group, direction, &area));
            marks.extend(self.draw_mean(group, direction * largest, &area));
        }
        let zero = area.y.place(0.0);
        marks.push(Element::line("axis", (area.left, zero), (area.right, zero)));
        marks.extend(area.draw_labels(&x, &y));
        marks
    }

    fn numbers(&self, title: &str) -> Table {
        let heads = self
            .groups
            .iter()
            .flat_map(|group| [group.name.clone(), format!("{}, share", group.name)]);
        let table = Table::new(title).numbers(["from", "to"]).numbers(heads);
        let Some(first) = self.groups.first() else {
            return table;
        };
        let rows = (0..first.histogram.counts.len()).map(|index| {
            let (from, to) = first.histogram.bin(index);
            let ends = [from, to].map(Cell::in_own_units);
            let counts = self.groups.iter().flat_map(|group| {
                let count = group.histogram.counts.get(index).copied().unwrap_or(0);
                [
                    Cell::from(count),
                    Cell::shown_as(Some(group.share(index)), percent),
                ]
            });
            ends.into_iter().chain(counts).collect()
        });
        table.rows(rows)
    }
}

impl Bars {
    fn draw_group(&self, group: &BarGroup, direction: f64, area: &Area) -> Vec<Element> {
        let bins = (0..group.histogram.counts.len()).zip(&group.histogram.counts);
        let filled = bins.filter(|(_, count)| **count > 0);
        let zero = area.y.place(0.0);
        let bars = filled.map(|(index, count)| {
            let (from, to) = group.histogram.bin(index);
            let (left, right) = (area.x.place(from), area.x.place(to));
            let end = area.y.place(direction * group.share(index));
            // Minimum sizes keep the bar of a single value among many visible.
            let size = ((right - left - 1.0).max(0.5), (zero - end).abs().max(1.0));
            let bar = Element::rect(group.style.class("bar"), (left + 0.5, end.min(zero)), size);
            bar.tooltip(format_args!(
                "{}, {} {}: {} {}, {}",
                group.name,
                self.label,
                group.range_of(index),
                number::count(*count),
                self.unit,
                percent(group.share(index))
            ))
        });
        bars.collect()
    }

    fn draw_mean(&self, group: &BarGroup, end: f64, area: &Area) -> Option<Element> {
        let mean = number::finite(group.mean)?;
        let x = area.x.place(mean);
        let from = (x, area.y.place(0.0));
        let tooltip = format!("{}: mean {}", group.name, decimals(mean));
        Some(Element::line("reference", from, (x, area.y.place(end))).tooltip(tooltip))
    }
}
