//! Training cases beside the test case that they explain, as images.

use crate::markup::number::in_own_units;
use crate::markup::{Table, row};
use crate::picture::{Element, Picture, Raster, WIDTH, fit};
use crate::sections::data_attribution::data::{CaseImage, TopCase, TopCasesOfSample};

/// A picture of the top cases of one test case, a row for each explainer.
pub(crate) struct TopCases<'a> {
    pub(crate) explainers: &'a [String],
    pub(crate) sample: &'a TopCasesOfSample,
}

/// The side of an image, and the distance of two beside each other.
const SIDE: f64 = 62.0;
const COLUMN: f64 = 76.0;
/// The name of an explainer above its images, and lines of words below them.
const NAME: f64 = 20.0;
const LINE: f64 = 14.0;
const ROW: f64 = NAME + SIDE + 3.0 * LINE + 14.0;

impl TopCases<'_> {
    /// Index, class and attribution of a training case in words.
    pub(crate) fn words(sample: &TopCasesOfSample, top: &TopCase) -> [String; 3] {
        let flag = if top.is_flagged { " ⚑" } else { "" };
        let class = match (&top.class, &sample.class) {
            (None, _) => String::new(),
            (Some(class), Some(other)) if class == other => format!("= class {class}"),
            (Some(class), Some(_)) => format!("≠ class {class}"),
            (Some(class), None) => format!("class {class}"),
        };
        [
            format!("case {}{flag}", top.case),
            class,
            in_own_units(top.attribution),
        ]
    }

    fn rows(&self) -> impl Iterator<Item = (&String, &Vec<TopCase>)> {
        self.explainers.iter().zip(&self.sample.explainers)
    }
}

impl Picture for TopCases<'_> {
    fn size(&self) -> (f64, f64) {
        (WIDTH, ROW * self.rows().count().max(1) as f64)
    }

    fn draw(&self) -> Vec<Element> {
        let mut marks = Vec::new();
        for (row, (explainer, top)) in self.rows().enumerate() {
            let y = ROW * row as f64;
            let at = (2.0, y + 14.0);
            marks.push(Element::fitting("name", at, explainer, WIDTH));
            marks.extend(draw_image(self.sample.image.as_ref(), (2.0, y + NAME)));
            for (place, top) in top.iter().enumerate() {
                let x = 2.0 + COLUMN * (place + 1) as f64;
                let words = Self::words(self.sample, top);
                let image = draw_image(top.image.as_ref(), (x, y + NAME));
                marks.push(Element::group(words.join(", "), image));
                let lines = words.iter().zip(["name", "name", "muted"]);
                for (line, (text, class)) in lines.enumerate() {
                    let at = (x, y + NAME + SIDE + LINE * (line + 1) as f64);
                    marks.push(Element::fitting(class, at, text, COLUMN));
                }
            }
        }
        marks
    }

    fn describe(&self) -> String {
        let said = self.rows().map(|(explainer, top)| {
            let cases = top
                .iter()
                .map(|top| Self::words(self.sample, top).join(", "));
            format!("By {explainer}: {}.", cases.collect::<Vec<_>>().join("; "))
        });
        let said: Vec<String> = said.collect();
        format!(
            "Images of test case {} and of its top training cases. {}",
            self.sample.sample,
            said.join(" ")
        )
    }

    fn numbers(&self, title: &str) -> Table {
        let rows = self.rows().flat_map(|(explainer, top)| {
            top.iter().enumerate().map(move |(rank, top)| {
                let class = top.class.as_deref().unwrap_or_default();
                let flag = if top.is_flagged { "flagged" } else { "" };
                let rank = rank as u64 + 1;
                row![
                    explainer,
                    rank,
                    top.case,
                    class,
                    flag,
                    Some(top.attribution)
                ]
            })
        });
        Table::new(title)
            .words(["explainer"])
            .numbers(["rank", "training case"])
            .words(["class", ""])
            .numbers(["attribution"])
            .rows(rows)
    }
}

fn draw_image(image: Option<&CaseImage>, place: (f64, f64)) -> Option<Element> {
    let image = image?;
    let shape = (image.height, image.width);
    let raster = Raster::from_pixels(shape, &image.pixels, image.is_colored);
    Some(raster.draw(place, fit(SIDE, shape)))
}
