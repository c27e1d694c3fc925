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
    let mut svg = String::new();
    draw(&mut svg, x_label, lines, low - margin..high + margin)
        .map_err(|e| Failure::new(format!("a chart could not be drawn: {e}")))?;
    Ok(legend(lines) + &svg)
}

fn legend(lines: &[Line]) -> String {
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

fn draw(
    svg: &mut String,
    x_label: &str,
    lines: &[Line],
    x_range: std::ops::Range<f64>,
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, (470, 290)).into_drawing_area();
    let mut chart = ChartBuilder::on(&root)
        .margin(8)
        .x_label_area_size(38)
        .y_label_area_size(40)
        .build_cartesian_2d(x_range, -0.02..1.02)?;
    chart
        .configure_mesh()
        .x_desc(x_label)
        .x_labels(6)
        .y_labels(6)
        .y_label_formatter(&|y| format!("{y:.1}"))
        .light_line_style(WHITE)
        .label_style(("sans-serif", 13))
        .draw()?;
    for (line, color) in lines.iter().zip(COLORS.iter().cycle()) {
        chart.draw_series(LineSeries::new(
            line.points.iter().copied(),
            color.stroke_width(2),
        ))?;
        chart.draw_series(
            line.points
                .iter()
                .map(|&point| Circle::new(point, 3, color.filled())),
        )?;
    }
    root.present()?;
    Ok(())
}
