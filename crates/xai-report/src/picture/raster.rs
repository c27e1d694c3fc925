//! Raster images, embedded in the page as PNG.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use png::{BitDepth, ColorType, Encoder, EncodingError};

use crate::picture::{ColorMap, Element};

/// Raster image: rows of bytes with their colour type.
pub(crate) struct Raster {
    width: usize,
    height: usize,
    color_type: ColorType,
    palette: Option<Vec<u8>>,
    bytes: Vec<u8>,
}

impl Raster {
    /// Creates an image of numbers in the colours of a map.
    pub(crate) fn from_numbers(
        (height, width): (usize, usize),
        numbers: impl IntoIterator<Item = f64>,
        map: &ColorMap,
    ) -> Self {
        let bytes = numbers.into_iter().map(|value| map.color_index(value));
        Self {
            width,
            height,
            color_type: ColorType::Indexed,
            palette: Some(map.palette()),
            bytes: bytes.collect(),
        }
    }

    /// Creates an image from pixels in [0, 1] with one value (grey) or three (red, green, blue).
    pub(crate) fn from_pixels(
        (height, width): (usize, usize),
        pixels: &[f32],
        is_colored: bool,
    ) -> Self {
        let byte = |value: &f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        Self {
            width,
            height,
            color_type: if is_colored {
                ColorType::Rgb
            } else {
                ColorType::Grayscale
            },
            palette: None,
            bytes: pixels.iter().map(byte).collect(),
        }
    }

    /// Draws the image at a position of the picture; an empty frame if the pixels cannot be encoded.
    pub(crate) fn draw(self, at: (f64, f64), size: (f64, f64)) -> Element {
        match self.data_uri() {
            Ok(uri) => Element::image("pixels", &uri, at, size),
            Err(_) => Element::rect("frame", at, size),
        }
    }

    fn data_uri(self) -> Result<String, EncodingError> {
        let mut file = Vec::new();
        // The encoder rejects a width or height of 0 and a wrong number of bytes.
        let (width, height) = (
            u32::try_from(self.width).unwrap_or(0),
            u32::try_from(self.height).unwrap_or(0),
        );
        let mut encoder = Encoder::new(&mut file, width, height);
        encoder.set_color(self.color_type);
        encoder.set_depth(BitDepth::Eight);
        if let Some(palette) = self.palette {
            encoder.set_palette(palette);
        }
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.bytes)?;
        writer.finish()?;
        Ok(format!("data:image/png;base64,{}", STANDARD.encode(&file)))
    }
}

/// Width and height of an image in a picture, such that its longer side is `side`.
pub(crate) fn fit(side: f64, (height, width): (usize, usize)) -> (f64, f64) {
    let (height, width) = (height.max(1) as f64, width.max(1) as f64);
    let unit = side / height.max(width);
    (width * unit, height * unit)
}

#[cfg(test)]
mod tests {
    use maud::Render;

    use super::*;

    #[test]
    fn pixels_come_back_from_the_page() {
        let raster = Raster::from_pixels((1, 2), &[0.0, 1.0, 0.5, 1.0, 2.0, -1.0], true);
        let uri = raster.data_uri().unwrap();
        let file = STANDARD
            .decode(uri.trim_start_matches("data:image/png;base64,"))
            .unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file))
            .read_info()
            .unwrap();
        let mut bytes = vec![0; 6];
        reader.next_frame(&mut bytes).unwrap();
        assert_eq!(bytes, [0, 255, 128, 255, 255, 0]);
    }

    #[test]
    fn pixels_that_are_no_image_are_a_frame() {
        for (shape, pixels) in [((4, 4), &[0.0][..]), ((0, 0), &[])] {
            let raster = Raster::from_pixels(shape, pixels, false);
            let drawn = raster.draw((0.0, 0.0), (1.0, 1.0)).render().into_string();
            assert!(drawn.starts_with("<rect"));
        }
    }
}
