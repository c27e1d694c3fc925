//! Relevance mass accuracy and deletion of heat maps that are images, for photos and object masks that are images.

use image::{GrayImage, RgbImage};
use xai_attribution::metric::{Deletion, RelevanceMassAccuracy};
use xai_attribution::model::{Images, model_fn};
use xai_attribution::ndarray::{Array2, Array3, Array4, ArrayViewD, Axis};
use xai_attribution::side::Masks;
use xai_attribution::{Evaluate, EvaluationData};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A photo of two by two pixels whose right half is the object, its mask, and its heat map.
    let photos = [RgbImage::from_raw(2, 2, vec![51, 0, 0, 102, 0, 0, 0, 0, 0, 255, 0, 0]).unwrap()];
    let objects = [GrayImage::from_raw(2, 2, vec![0, 255, 0, 255]).unwrap()];
    let heat_maps = [GrayImage::from_raw(2, 2, vec![50, 100, 0, 250]).unwrap()];

    // Adapter
    let (width, height) = photos[0].dimensions();
    let shape = (photos.len(), height as usize, width as usize);
    let scaled = |value: &u8| f32::from(*value) / 255.0;
    let pixels = photos.iter().flat_map(|photo| photo.iter()).map(scaled);
    let inputs = Array4::from_shape_vec((shape.0, shape.1, shape.2, 3), pixels.collect())?;
    let inputs = Images::channels_last(inputs.view());
    let pixels = |images: &[GrayImage]| images.iter().flat_map(|image| image.to_vec()).collect();
    let maps = Array3::from_shape_vec(shape, pixels(&heat_maps))?.mapv(f32::from);
    let masks = Array3::from_shape_vec(shape, pixels(&objects))?.mapv(|value| value > 0);
    // End of the adapter

    let data = EvaluationData::new(inputs, &[0]).maps(maps.view());
    let on_object = RelevanceMassAccuracy::new().evaluate_on(data.with(Masks::new(masks)))?;
    assert!((on_object.value - (100.0 + 250.0) / 400.0).abs() < 1e-12);

    // The score is the sum of the red channel: 0.2 + 0.4 + 0 + 1. It falls to 0.6, 0.2, 0 and 0.
    let model = model_fn(|batch: ArrayViewD<'_, f32>| {
        let red = batch
            .outer_iter()
            .map(|image| image.index_axis(Axis(2), 0).sum());
        Ok(Array2::from_shape_vec(
            (batch.len_of(Axis(0)), 1),
            red.collect(),
        )?)
    });
    let deletion = Deletion::new().evaluate(&model, inputs, &[0], maps.view())?;
    assert!((deletion.value - (1.6 / 2.0 + 0.6 + 0.2) / 4.0).abs() < 1e-6);
    Ok(())
}
