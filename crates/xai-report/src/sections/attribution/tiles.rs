//! Images of samples: the input, its map and the masked input side by side.

use crate::markup::number::decimals;
use crate::markup::{Table, number, row};
use crate::picture::{ColorMap, Element, Picture, Raster, WIDTH, fit};
use crate::sections::attribution::gallery::GalleryItem;
use crate::text::{self, DASH};

/// A picture of the maps of one explainer.
pub(crate) struct Tiles<'a> {
    /// The metric that samples were chosen by.
    pub(crate) metric: &'a str,
    /// The samples, best first.
    pub(crate) items: Vec<&'a GalleryItem>,
    /// Largest number of pixels on a side; larger images are averaged.
    pub(crate) max_pixels: usize,
}

/// The side of an image in the picture, and the distance of two rows.
const SIDE: f64 = 96.0;
const ROW: f64 = 112.0;
const ABOVE: f64 = 24.0;
const BELOW: f64 = 44.0;

/// Number of images of one sample: the input, the map, the masked input.
pub(super) const IMAGES: usize = COLUMNS.len();

/// Left edges of the columns.
const COLUMNS: [f64; 3] = [2.0, 110.0, 218.0];
const TEXT: f64 = 326.0;

impl Picture for Tiles<'_> {
    fn size(&self) -> (f64, f64) {
        (WIDTH, ABOVE + ROW * self.items.len() as f64 + BELOW)
    }

    fn draw(&self) -> Vec<Element> {
        let mut marks: Vec<Element> = ["input", "map", "masked input"]
            .into_iter()
            .zip(COLUMNS)
            .map(|(head, x)| Element::text("label", (x, 14.0), head))
            .collect();
        for (index, item) in self.items.iter().enumerate() {
            let y = ABOVE + ROW * index as f64;
            marks.push(self.draw_images(item, y));
            marks.extend(self.draw_texts(item, y));
        }
        let texts = ["−largest", "0", "+largest"].map(str::to_owned);
        let at = (COLUMNS[1], self.size().1 - BELOW + 8.0);
        marks.extend(ColorMap::diverging(1.0).legend(at, 204.0, texts));
        marks
    }

    fn describe(&self) -> String {
        let said = self.items.iter().map(|item| {
            let end = if item.is_best { "best" } else { "worst" };
            format!(" Among the {end}: {}.", self.summary_of(item))
        });
        "Input, map and masked input of some samples.".to_owned() + &said.collect::<String>()
    }

    fn numbers(&self, title: &str) -> Table {
        let rows = self.items.iter().map(|item| {
            let class = item.target.map(|class| class.to_string());
            let end = if item.is_best { "best" } else { "worst" };
            let class = class.as_deref().unwrap_or(DASH);
            row![
                item.sample,
                end,
                class,
                Some(item.value),
                Some(item.score),
                item.score_masked
            ]
        });
        Table::new(title)
            .numbers(["sample"])
            .words(["among the", "class"])
            .numbers([
                self.metric,
                "score of the input",
                "score of the masked input",
            ])
            .rows(rows)
    }
}

impl Tiles<'_> {
    fn draw_images(&self, item: &GalleryItem, y: f64) -> Element {
        let pixels = &item.pixels;
        let largest = largest(&pixels.map);
        let colors = ColorMap::diverging(if largest > 0.0 { largest } else { 1.0 });
        let size = (pixels.height, pixels.width);
        let n_values = if pixels.is_colored { 3 } else { 1 };
        let smaller = |values: &[f32], n: usize| averaged(values, size, n, self.max_pixels);
        let (input, of) = smaller(&pixels.input, n_values);
        let (masked, _) = smaller(&pixels.masked, n_values);
        let (map, _) = smaller(&pixels.map, 1);
        let numbers = map.iter().map(|value| f64::from(*value));
        let (width, height) = fit(SIDE, size);
        let shape = (width.max(2.0), height.max(2.0));
        let images = [
            Raster::from_pixels(of, &input, pixels.is_colored),
            Raster::from_numbers(of, numbers, &colors),
            Raster::from_pixels(of, &masked, pixels.is_colored),
        ];
        let rasters = images.into_iter().zip(COLUMNS);
        let images = rasters.map(|(raster, x)| raster.draw((x, y), shape));
        Element::group(self.summary_of(item), images)
    }

    fn draw_texts(&self, item: &GalleryItem, y: f64) -> Vec<Element> {
        let end = if item.is_best {
            "▲ best"
        } else {
            "▼ worst"
        };
        let largest = number::in_own_units(largest(&item.pixels.map));
        let masked = text::decimals(item.score_masked);
        let mut lines = vec![("end", end.to_owned())];
        lines.push(("name", format!("sample {}", item.sample)));
        lines.extend(item.target.map(|class| ("name", format!("class {class}"))));
        lines.extend([
            ("name", format!("value {}", decimals(item.value))),
            ("name", format!("score {}", decimals(item.score))),
            ("name", format!("masked {masked}")),
            ("muted", format!("map ±{largest}")),
        ]);
        let line = |(index, (class, text)): (usize, (&str, String))| {
            let y = y + 8.0 + 15.5 * index as f64;
            Element::fitting(class, (TEXT, y), &text, WIDTH - TEXT)
        };
        lines.into_iter().enumerate().map(line).collect()
    }

    fn summary_of(&self, item: &GalleryItem) -> String {
        format!(
            "sample {}: {} {}, score {} of the input, {} of the masked input",
            item.sample,
            self.metric,
            decimals(item.value),
            decimals(item.score),
            text::decimals(item.score_masked)
        )
    }
}

/// The largest finite magnitude of the values; 0 if there is none.
fn largest(values: &[f32]) -> f64 {
    let sizes = values.iter().map(|value| f64::from(value.abs()));
    sizes.filter(|size| size.is_finite()).fold(0.0, f64::max)
}

/// Reduces an image to at most `most` pixels on a side, by means over squares of pixels. Returns the values, and the
/// height and width.
fn averaged(
    values: &[f32],
    (height, width): (usize, usize),
    n_values: usize,
    most: usize,
) -> (Vec<f32>, (usize, usize)) {
    let by = height.max(width).div_ceil(most.max(1)).max(1);
    if by == 1 || values.len() != height * width * n_values {
        return (values.to_vec(), (height, width));
    }
    let size = (height.div_ceil(by), width.div_ceil(by));
    let mut smaller = Vec::with_capacity(size.0 * size.1 * n_values);
    for row in 0..size.0 {
        for column in 0..size.1 {
            let (rows, columns) = (
                row * by..((row + 1) * by).min(height),
                column * by..((column + 1) * by).min(width),
            );
            let n = (rows.len() * columns.len()) as f32;
            for value in 0..n_values {
                let places = rows
                    .clone()
                    .flat_map(|y| columns.clone().map(move |x| y * width + x));
                let sum: f32 = places.map(|place| values[place * n_values + value]).sum();
                smaller.push(sum / n);
            }
        }
    }
    (smaller, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_image_is_averaged() {
        let values: Vec<f32> = (0..12).map(|value| value as f32).collect();
        // Rows 0 1 2 3, 4 5 6 7, 8 9 10 11 by squares of two.
        let (smaller, size) = averaged(&values, (3, 4), 1, 2);
        assert_eq!(size, (2, 2));
        assert_eq!(smaller, [2.5, 4.5, 8.5, 10.5]);
        let (same, size) = averaged(&values, (3, 4), 1, 4);
        assert_eq!((same.len(), size), (12, (3, 4)));
    }
}
