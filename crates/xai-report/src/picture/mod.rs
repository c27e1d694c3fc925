//! Pictures of numbers as inline SVG, each with words and a table that say the same.

pub(crate) mod axes;
pub(crate) mod color_map;
pub(crate) mod figure;
pub(crate) mod heat_map;
pub(crate) mod histogram;
pub(crate) mod intervals;
pub(crate) mod lines;
pub(crate) mod node_link;
pub(crate) mod ranks;
pub(crate) mod raster;
pub(crate) mod style;
pub(crate) mod tiles;
pub(crate) mod top_cases;

pub(crate) use axes::{Area, Axis, Scale, extent, grid, line, nice_domain, nothing, tick};
pub(crate) use color_map::{ColorMap, hexadecimal, legend_bar};
pub(crate) use figure::{Figure, PANEL, Picture, WIDTH, fitting, room, shortened};
pub(crate) use heat_map::HeatMap;
pub(crate) use histogram::{BarGroup, Bars};
pub(crate) use intervals::{Intervals, Row};
pub(crate) use lines::{ErrorBars, Point, Series, thinned};
pub(crate) use lines::{LineChart, Reference};
pub(crate) use node_link::NodeLink;
pub(crate) use ranks::{RankLine, Ranks};
pub(crate) use raster::Raster;
pub(crate) use style::{Entry, Style, Swatch, legend, ring};
pub(crate) use tiles::Tiles;
pub(crate) use top_cases::TopCases;
