//! A network around a node, with the mask of its edges as their width.

use crate::markup::number::decimals;
use crate::markup::{Table, number, row};
use crate::picture::{
    Element, LegendEntry, PANEL, Picture, Swatch, clamped, extent, format_coordinate,
};
use crate::sections::graph::data::{DrawnEdge, Neighborhood};

/// A picture of a neighbourhood.
pub(crate) struct NodeLink<'a> {
    pub(crate) neighborhood: &'a Neighborhood,
}

/// The widths of the lowest and of the highest score.
const THINNEST: f64 = 0.7;
const THICKEST: f64 = 7.0;

/// Additional width of the outline of a true edge.
const OUTLINE: f64 = 6.0;

/// The height of the picture, and the room around the nodes.
const HEIGHT: f64 = 270.0;
const MARGIN: f64 = 22.0;

impl Picture for NodeLink<'_> {
    fn size(&self) -> (f64, f64) {
        (PANEL, HEIGHT)
    }

    fn draw(&self) -> Vec<Element> {
        let edges = &self.neighborhood.edges;
        let outlined = edges.iter().filter(|edge| edge.is_true == Some(true));
        let outlines = outlined.filter_map(|edge| self.line("true-edge", edge, OUTLINE));
        let lines = edges.iter().filter_map(|edge| {
            let line = self.line("edge", edge, 0.0)?;
            Some(line.tooltip(self.summary_of(edge)))
        });
        outlines.chain(lines).chain(self.draw_nodes()).collect()
    }

    fn describe(&self) -> String {
        let edges = self.by_score();
        let highest: Vec<String> = edges
            .iter()
            .take(5)
            .map(|edge| self.summary_of(edge))
            .collect();
        let n_true = edges
            .iter()
            .filter(|edge| edge.is_true == Some(true))
            .count();
        let truth = if edges.iter().any(|edge| edge.is_true.is_some()) {
            format!(" {n_true} of the edges are true edges.")
        } else {
            String::new()
        };
        format!(
            "Node {} with {} and {} around it.{truth} Highest scores: {}.",
            self.neighborhood.node,
            number::counted(
                self.neighborhood.nodes.len().saturating_sub(1) as u64,
                "node",
                "nodes"
            ),
            number::counted(edges.len() as u64, "edge", "edges"),
            highest.join("; ")
        )
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let (low, high) = self.range();
        let edge = |width: f64, score: f64| {
            let text = format!("score {}", number::in_own_units(score));
            LegendEntry::new(Swatch::Edge(width), text)
        };
        let explained = LegendEntry::new(Swatch::Explained, "explained node");
        let mut entries = vec![explained, edge(THINNEST, low), edge(THICKEST, high)];
        let mut edges = self.neighborhood.edges.iter();
        if edges.any(|edge| edge.is_true == Some(true)) {
            entries.push(LegendEntry::new(Swatch::TrueEdge, "outlined: true edge"));
        }
        entries
    }

    fn numbers(&self, title: &str) -> Table {
        let rows = self.by_score().into_iter().map(|edge| {
            let [from, to] = self.names(edge).unwrap_or_default();
            let truth = edge
                .is_true
                .map_or("not known", |truth| if truth { "yes" } else { "no" });
            row![from, to, Some(edge.score), truth]
        });
        Table::new(format!("{title}: edges, highest score first"))
            .numbers(["node", "other node", "score"])
            .words(["in the truth"])
            .rows(rows)
    }
}

impl NodeLink<'_> {
    /// The scores of the thinnest and of the widest edge: 0 and 1, or the smallest and the largest score if a score is
    /// outside [0, 1].
    fn range(&self) -> (f64, f64) {
        let scores = self.neighborhood.edges.iter().map(|edge| edge.score);
        match extent(scores) {
            Some((low, high)) if low < 0.0 || high > 1.0 => (low, high),
            _ => (0.0, 1.0),
        }
    }

    fn width(&self, score: f64) -> f64 {
        let (low, high) = self.range();
        let share = clamped((score - low) / (high - low)).unwrap_or(0.0);
        THINNEST + share * (THICKEST - THINNEST)
    }

    fn at(&self, index: usize) -> Option<(f64, f64)> {
        let node = self.neighborhood.nodes.get(index)?;
        let share = |part: f64| clamped(part).unwrap_or(0.5);
        Some((
            MARGIN + share(node.x) * (PANEL - 2.0 * MARGIN),
            MARGIN + share(node.y) * (HEIGHT - 2.0 * MARGIN),
        ))
    }

    fn line(&self, class: &str, edge: &DrawnEdge, wider_by: f64) -> Option<Element> {
        let (from, to) = (self.at(edge.from)?, self.at(edge.to)?);
        let line = Element::line(class, from, to);
        Some(line.with(
            "stroke-width",
            format_coordinate(self.width(edge.score) + wider_by),
        ))
    }

    fn draw_nodes(&self) -> Vec<Element> {
        let nodes = self.neighborhood.nodes.iter().enumerate();
        // The explained one last, so that it lies above the others.
        let drawn = nodes.rev().filter_map(|(index, node)| {
            let (x, y) = self.at(index)?;
            // As wide as the number in it.
            let radius = 8.5_f64.max(3.5 + 2.6 * node.node.to_string().len() as f64);
            let (kind, radius, note) = if index == 0 {
                (" explained", radius + 2.5, ", the explained node")
            } else {
                ("", radius, "")
            };
            let circle = Element::circle(format_args!("node{kind}"), (x, y), radius);
            let class = format!("node-name{kind}");
            let text = Element::text(&class, (x, y + 3.2), node.node).middle();
            let tooltip = format!("node {}{note}", node.node);
            Some(Element::group(tooltip, [circle, text]))
        });
        drawn.collect()
    }

    fn names(&self, edge: &DrawnEdge) -> Option<[usize; 2]> {
        let node = |index: usize| self.neighborhood.nodes.get(index).map(|node| node.node);
        Some([node(edge.from)?, node(edge.to)?])
    }

    fn summary_of(&self, edge: &DrawnEdge) -> String {
        let [from, to] = self.names(edge).unwrap_or_default();
        let truth = match edge.is_true {
            Some(true) => ", a true edge",
            Some(false) => ", not a true edge",
            None => "",
        };
        format!("edge {from} – {to}: score {}{truth}", decimals(edge.score))
    }

    /// The edges, highest score first.
    fn by_score(&self) -> Vec<&DrawnEdge> {
        let mut edges: Vec<&DrawnEdge> = self.neighborhood.edges.iter().collect();
        edges.sort_by(|a, b| b.score.total_cmp(&a.score));
        edges
    }
}
