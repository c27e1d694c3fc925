//! Heat maps of a number for every pair of items.

use crate::markup::number::decimals;
use crate::markup::{Cell, Table, number, row};
use crate::picture::{
    ColorMap, Element, Picture, Raster, WIDTH, extent, hexadecimal, room, shortened,
};

/// Largest number of items for which cells are drawn as shapes; more items are drawn as pixels of an image.
const MAX_CELLS: usize = 40;

/// Margin above the square, and width of the number after a name.
const ABOVE: f64 = 24.0;
const NUMBER: f64 = 20.0;

/// Font size of ticks relative to names.
const TICK: f64 = 12.0 / 13.0;

/// Heat map of a symmetric number for every pair of items.
pub(crate) struct HeatMap<'a> {
    /// Name of the number.
    pub(crate) label: String,
    /// Kind of the items, for example `run`.
    pub(crate) item_kind: &'static str,
    /// Names of the items in the order of the picture.
    pub(crate) names: Vec<String>,
    /// Number of a pair of items, by their indices in the picture; `None` if it is undefined.
    pub(crate) value: &'a dyn Fn(usize, usize) -> Option<f64>,
    /// True for numbers in [-1, 1] with 0 in the middle of the colours.
    pub(crate) is_signed: bool,
    /// Labels of rows and columns. By default rows have numbered names, and columns the numbers of the rows.
    pub(crate) short_names: Option<Vec<String>>,
}

/// A pair of items with its number.
struct Pair {
    first: usize,
    second: usize,
    value: f64,
}

impl Picture for HeatMap<'_> {
    fn size(&self) -> (f64, f64) {
        (WIDTH, ABOVE + self.side() + 66.0)
    }

    fn draw(&self) -> Vec<Element> {
        let (left, side) = (self.before(), self.side());
        let (map, range) = self.color_map(&self.pairs());
        let step = side / self.names.len().max(1) as f64;
        let at = (left, ABOVE);
        let mut marks = if self.names.len() <= MAX_CELLS {
            self.draw_cells(&map, at, step)
        } else {
            vec![self.raster(&map).draw(at, (side, side))]
        };
        marks.extend(self.draw_names(at, step));
        let legend_values = [range.0, (range.0 + range.1) / 2.0, range.1];
        let legend_texts = legend_values.map(number::in_own_units);
        let below = (left, ABOVE + side + 14.0);
        marks.extend(map.legend(below, side.max(150.0), legend_texts));
        let at = (left, ABOVE + side + 58.0);
        marks.push(Element::fitting("label", at, &self.label, WIDTH - left));
        marks
    }

    fn describe(&self) -> String {
        let pairs = self.pairs();
        let n = number::counted(
            self.names.len() as u64,
            "row and column",
            "rows and columns",
        );
        match (pairs.first(), pairs.last()) {
            (Some(most), Some(least)) => format!(
                "{} of every pair: {n}. From {} to {}.",
                self.label,
                self.summary_of(least),
                self.summary_of(most)
            ),
            _ => format!("{} of every pair: {n}. No pair has a value.", self.label),
        }
    }

    /// The full square for few items; the pairs with the largest and smallest values for many.
    fn numbers(&self, title: &str) -> Table {
        let n = self.names.len();
        if n > MAX_CELLS {
            return self.extreme_pairs(title);
        }
        let table = Table::new(title)
            .words([self.item_kind])
            .numbers(&self.names);
        let row = |row: usize| {
            let cells = (0..n).map(|column| {
                if row == column {
                    Cell::empty()
                } else {
                    Cell::from((self.value)(row, column))
                }
            });
            let name = Cell::from(&self.names[row]);
            std::iter::once(name).chain(cells).collect()
        };
        table.rows((0..n).map(row))
    }
}

impl HeatMap<'_> {
    /// Width of the names of rows.
    fn before(&self) -> f64 {
        match &self.short_names {
            Some(_) => 40.0,
            None => (TICK * room(&self.names) + NUMBER).clamp(100.0, 240.0),
        }
    }

    /// Side length of the square.
    fn side(&self) -> f64 {
        (WIDTH - self.before() - 12.0).min(40.0 * self.names.len().max(1) as f64)
    }

    /// Defined pairs in descending order of their numbers.
    fn pairs(&self) -> Vec<Pair> {
        let n = self.names.len();
        let all = (0..n).flat_map(|first| (first + 1..n).map(move |second| (first, second)));
        let defined = all.filter_map(|(first, second)| {
            let value = number::finite((self.value)(first, second))?;
            Some(Pair {
                first,
                second,
                value,
            })
        });
        let mut pairs: Vec<Pair> = defined.collect();
        pairs.sort_by(|a, b| b.value.total_cmp(&a.value));
        pairs
    }

    fn color_map(&self, pairs: &[Pair]) -> (ColorMap, (f64, f64)) {
        if self.is_signed {
            return (ColorMap::diverging(1.0), (-1.0, 1.0));
        }
        let range = extent(pairs.iter().map(|pair| pair.value)).unwrap_or((0.0, 1.0));
        (ColorMap::sequential(range), range)
    }

    fn draw_cells(&self, map: &ColorMap, (left, top): (f64, f64), step: f64) -> Vec<Element> {
        let n = self.names.len();
        let places = (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
        let others = places.filter(|(row, column)| row != column);
        // Position within a cell, as a share of its side from the upper left corner.
        let place = |(row, column): (usize, usize), share: f64| {
            let from = |start: f64, index: usize| start + step * (index as f64 + share);
            (from(left, column), from(top, row))
        };
        let cell = |(row, column): (usize, usize)| {
            let value = number::finite((self.value)(row, column));
            let text = value.map_or_else(|| "undefined".to_owned(), decimals);
            let tooltip = format!("{}, {}: {text}", self.names[row], self.names[column]);
            let color = hexadecimal(map.color(value.unwrap_or(f64::NAN)));
            let cell = Element::rect("", place((row, column), 0.0), (step - 0.5, step - 0.5));
            cell.with("fill", color).tooltip(tooltip)
        };
        // Cells that are large enough also show their number, black on light and white on dark colours.
        let text = |(row, column): (usize, usize)| {
            let value = number::finite((self.value)(row, column)).filter(|_| step >= 28.0)?;
            let [red, green, blue] = map.color(value).map(f64::from);
            let is_light = 0.299 * red + 0.587 * green + 0.114 * blue > 140.0;
            let (x, y) = place((row, column), 0.5);
            let shown = number::minus(format!("{value:.2}"));
            let text = Element::text("in-cell", (x, y + 4.0), shown).middle();
            Some(text.with("style", if is_light { "fill:#000" } else { "fill:#fff" }))
        };
        others
            .clone()
            .map(cell)
            .chain(others.filter_map(text))
            .collect()
    }

    /// Image with a pixel for each pair.
    fn raster(&self, map: &ColorMap) -> Raster {
        let n = self.names.len();
        let numbers = (0..n * n).map(|index| match (index / n, index % n) {
            (row, column) if row == column => f64::NAN,
            (row, column) => (self.value)(row, column).unwrap_or(f64::NAN),
        });
        Raster::from_numbers((n, n), numbers, map)
    }

    /// Draws the names of rows and columns, or every n-th of them if there are many.
    fn draw_names(&self, (left, top): (f64, f64), step: f64) -> Vec<Element> {
        let room = if self.names.len() > 100 { 32.0 } else { 15.0 };
        let every = (room / step).ceil().max(1.0) as usize;
        let names = self.names.iter().enumerate().step_by(every);
        let drawn = names.flat_map(|(index, name)| {
            let middle = step * (index as f64 + 0.5);
            let number = (index + 1).to_string();
            let short = self.short_names.as_ref();
            let (row, column) = match short.and_then(|names| names.get(index)) {
                Some(short) => (short.clone(), short.clone()),
                None => (format!("{} {number}", shortened(name, 30)), number),
            };
            let at = (left - 6.0, top + middle + 4.0);
            [
                Element::fitting("tick", at, &row, (left - 6.0) / TICK).end(),
                Element::tick((left + middle, top - 6.0), column),
            ]
        });
        drawn.collect()
    }

    fn summary_of(&self, pair: &Pair) -> String {
        format!(
            "{} ({} and {})",
            decimals(pair.value),
            self.names[pair.first],
            self.names[pair.second]
        )
    }

    /// Table of the pairs with the largest and the smallest numbers.
    fn extreme_pairs(&self, title: &str) -> Table {
        let pairs = self.pairs();
        const EACH: usize = 30;
        let n_most = pairs.len().min(EACH);
        let least = pairs.len().saturating_sub(EACH).max(n_most);
        let shown = pairs[..n_most].iter().chain(&pairs[least..]);
        let name = |index: usize| &self.names[index];
        let rows: Vec<Vec<Cell>> = shown
            .map(|pair| row![name(pair.first), name(pair.second), Some(pair.value)])
            .collect();
        let n_left_out = pairs.len() - rows.len();
        Table::new(format!(
            "{title}: pairs with the largest and smallest values"
        ))
        .words([
            self.item_kind.to_owned(),
            format!("other {}", self.item_kind),
        ])
        .numbers([&self.label])
        .rows(rows)
        .without(n_left_out)
    }
}
