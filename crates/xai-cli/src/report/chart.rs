//! Line charts as inline SVG.

use plotters::prelude::*;

use crate::failure::Failure;

/// One line of a chart.
pub(super) struct Line {
    /// Shown in the legend as it is: no markup.
    pub(super) name: &'static str,
    pub(super) points: Vec<(f64, f64)>,
}

/// Colours that stay apart for readers who do not see red and green (Okabe and Ito).
const COLORS: [RGBColor; 4] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
];

/// A chart of scores in `[0, 1]` over `x`, under a legend that cannot cover a line.
pub(super) fn lines(x_label: &str, lines: &[Line]) -> Result<String, Failure> {
    let all_x = lines
        .iter()
        .flat_map(|line| line.points.iter().map(|p| p.0));
    let (low, high) = all_x.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    if low > high {
        return Ok(String::new());
    }
    let margin = if high > low { 0.0 } else { 0.5 };
    let chart = Chart {
        size: (470, 290),
        x_label,
        x_range: low - margin..high + margin,
        y_range: -0.02..1.02,
        font: 13,
        labels: 6,
    };
    Ok(legend(lines) + &chart.svg(lines)?)
}

/// One of several small charts side by side, without a legend: scores in `[low, 1]` over shares.
pub(super) fn panel(low: f64, lines: &[Line]) -> Result<String, Failure> {
    let chart = Chart {
        size: (230, 160),
        x_label: "",
        x_range: 0.0..1.0,
        y_range: low - 0.02..1.02,
        font: 11,
        labels: 3,
    };
    chart.svg(lines)
}

struct Chart<'a> {
    size: (u32, u32),
    x_label: &'a str,
    x_range: std::ops::Range<f64>,
    y_range: std::ops::Range<f64>,
    font: u32,
    labels: usize,
}

/// The names of lines in their colours.
pub(super) fn legend(lines: &[Line]) -> String {
    let entry = |(line, color): (&Line, &RGBColor)| {
        let RGBColor(r, g, b) = color;
        format!(
            "<span style=\"color:rgb({r},{g},{b})\">&#9679; {}</span>",
            line.name
        )
    };
    let entries: Vec<String> = lines.iter().zip(COLORS.iter().cycle()).map(entry).collect();
    format!("<p class=\"legend\">{}</p>", entries.join(" "))
}

impl Chart<'_> {
    fn svg(&self, lines: &[Line]) -> Result<String, Failure> {
        let mut svg = String::new();
        self.draw(&mut svg, lines)
            .map_err(|e| Failure::new(format!("a chart could not be drawn: {e}")))?;
        Ok(svg)
    }

    fn draw(&self, svg: &mut String, lines: &[Line]) -> Result<(), Box<dyn std::error::Error>> {
        let root = SVGBackend::with_string(svg, self.size).into_drawing_area();
        let named = !self.x_label.is_empty();
        let mut chart = ChartBuilder::on(&root)
            .margin(8)
            .x_label_area_size(if named { 38 } else { 20 })
            .y_label_area_size(if named { 40 } else { 30 })
            .build_cartesian_2d(self.x_range.clone(), self.y_range.clone())?;
        let mut mesh = chart.configure_mesh();
        if named {
            mesh.x_desc(self.x_label);
        }
        mesh.x_labels(self.labels)
            .y_labels(self.labels)
            .y_label_formatter(&|y| format!("{y:.1}"))
            .light_line_style(WHITE)
            .label_style(("sans-serif", self.font))
            .draw()?;
        for (line, color) in lines.iter().zip(COLORS.iter().cycle()) {
            chart.draw_series(LineSeries::new(
                line.points.iter().copied(),
                color.stroke_width(2),
            ))?;
            let radius = if named { 3 } else { 2 };
            chart.draw_series(
                line.points
                    .iter()
                    .map(|&point| Circle::new(point, radius, color.filled())),
            )?;
        }
        root.present()?;
        drop(chart);
        drop(root);
        Ok(())
    }
}
