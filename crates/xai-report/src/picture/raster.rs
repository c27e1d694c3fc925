//! Pixels as PNG inside the page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use png::{BitDepth, ColorType, Encoder, EncodingError};

use crate::markup::Element;
use crate::picture::ColorMap;

/// Rows of bytes, and what they mean.
pub(crate) struct Raster {
    width: usize,
    height: usize,
    color_type: ColorType,
    palette: Option<Vec<u8>>,
    bytes: Vec<u8>,
}

impl Raster {
    /// Numbers in the colours of a map.
    pub(crate) fn of_numbers(
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

    /// Pixels in [0, 1], of one value or of three.
    pub(crate) fn of_pixels(
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

    /// An image at a place of the picture; a frame alone where the pixels are no image.
    pub(crate) fn draw(self, (x, y): (f64, f64), (width, height): (f64, f64)) -> Element {
        let element = match self.data_uri() {
            Ok(uri) => Element::of("image", "pixels")
                .with("href", uri)
                .with("preserveAspectRatio", "none"),
            Err(_) => Element::of("rect", "frame"),
        };
        element
            .at("x", x)
            .at("y", y)
            .at("width", width)
            .at("height", height)
    }

    fn data_uri(self) -> Result<String, EncodingError> {
        let mut file = Vec::new();
        // What does not fit into a PNG's header is refused by the encoder, as is a wrong number of bytes.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_come_back_from_the_page() {
        let raster = Raster::of_pixels((1, 2), &[0.0, 1.0, 0.5, 1.0, 2.0, -1.0], true);
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
        let raster = Raster::of_pixels((4, 4), &[0.0], false);
        let drawn = raster.draw((0.0, 0.0), (1.0, 1.0)).to_string();
        assert!(drawn.starts_with("<rect"));
        let empty = Raster::of_pixels((0, 0), &[], false);
        assert!(
            empty
                .draw((0.0, 0.0), (1.0, 1.0))
                .to_string()
                .starts_with("<rect")
        );
    }
}
