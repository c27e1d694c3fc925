//! Pictures as inline SVG, each with a description in words and a table of its numbers.

mod axes;
mod color_map;
mod figure;
mod heat_map;
mod histogram;
mod intervals;
mod lines;
mod ranks;
mod raster;
mod style;
mod svg;

pub(crate) use axes::{Area, Axis, Scale, clamped, extent, nice_domain};
pub(crate) use color_map::{ColorMap, hexadecimal};
pub(crate) use figure::{Figure, PANEL, Picture, WIDTH};
pub(crate) use heat_map::HeatMap;
pub(crate) use histogram::{BarGroup, Bars};
pub(crate) use intervals::{Intervals, Row};
pub(crate) use lines::{ErrorBars, LineChart, Point, Reference, Series, thinned};
pub(crate) use ranks::{RankLine, Ranks};
pub(crate) use raster::{Raster, fit};
pub(crate) use style::{LegendEntry, Style, Swatch};
pub(crate) use svg::{Element, format_coordinate, room, shortened};
