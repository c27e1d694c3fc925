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
pub(crate) mod scale;
pub(crate) mod series;
pub(crate) mod style;
pub(crate) mod tiles;
