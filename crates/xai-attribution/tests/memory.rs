//! Metrics take little memory beside the data, however large an input is.

use ndarray::{Array2, Array3, Array4, ArrayD, ArrayViewD, Axis};
use peak_alloc::PeakAlloc;
use xai_attribution::metric::{Value, registry};
use xai_attribution::model::{BoxError, Concurrent, Targets};
use xai_attribution::side::{Masks, ReferenceMaps, SecondMaps, Segments};
use xai_attribution::{ErrorKind, Evaluate, EvaluationData, InputLayout, evaluate_together};

/// The system's allocator, counting the bytes that are held and the most that ever were.
#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const SIDE: usize = 512;

/// The first element of every image and the last one: no work, and no memory.
fn ends(batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, std::fmt::Error> {
    let of = |x: ArrayViewD<'_, f64>| [x[[0, 0, 0]], x[[SIDE - 1, SIDE - 1, 0]]];
    let rows = batch.axis_iter(Axis(0)).flat_map(of);
    Ok(Array2::from_shape_vec((batch.shape()[0], 2), rows.collect()).unwrap())
}

fn images(of: usize) -> Array4<f64> {
    let value = |(i, y, x, c)| ((i * 5 + y * 3 + x * 7 + c + of) % 11) as f64 / 16.0 + 0.25;
    Array4::from_shape_fn((2, SIDE, SIDE, 3), value)
}

/// The most bytes that each metric holds beside two images and their maps, where a call has one row, as larger images
/// have.
fn peaks() -> Vec<(&'static str, usize)> {
    let (x, maps) = (images(0), images(1));
    let half = Array2::from_shape_fn((SIDE, SIDE), |(y, x)| (y / 128 * 4 + x / 128) as u32);
    let explainer =
        |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, BoxError> { Ok(x.to_owned()) };
    let model = Concurrent(&ends);
    // Fewer rows of the model than the defaults ask for: how many there are is no memory.
    let few = [
        ("features", "grid:2"),
        ("ordered_features", "grid:2"),
        ("perturbation", "grid:2"),
        ("n_subsets", "4"),
        ("n_orders", "2"),
        ("n_neighbors", "2"),
        ("n_draws", "2"),
        ("percentages", "1"),
        ("n_classes", "2"),
    ];
    let judged = registry::metrics().iter().filter(|entry| entry.is_built());
    let mut peaks = Vec::new();
    for entry in judged {
        let settings = few.iter().filter_map(|(name, value)| {
            let setting = ((*name).to_owned(), Value::Text((*value).to_owned()));
            // Curves ask for few rows, and draws for as many as there are subsets.
            let few_rows = entry.has_param("steps") || entry.has_param("n_subsets");
            let asked = entry.has_param(name) && !(few_rows && *name == "features");
            asked.then_some(setting)
        });
        let settings: Vec<(String, Value)> = settings.collect();
        let metric = entry.build::<f64>(&settings).unwrap();
        let data = EvaluationData::new(x.view(), &[0, 1])
            .model(&model)
            .layout(InputLayout::ChannelsLast)
            .batch_size(1)
            .maps(maps.view())
            .explainer(&explainer)
            .with(Masks::new(Array3::from_shape_fn(
                (2, SIDE, SIDE),
                |(_, y, _)| y < SIDE / 2,
            )))
            .with(Segments::shared(half.clone(), 2))
            .with(SecondMaps::from_maps(maps.clone()))
            .with(ReferenceMaps::new(maps.clone()));
        let before = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        // Some are undefined for these maps, which are numbers without a meaning, and some need representations.
        let outcome = evaluate_together(&[&*metric], data);
        let kinds = outcome.map_err(|stopped| stopped.into_error().into_kind());
        let name = entry.info.name;
        assert!(
            matches!(kinds, Ok(_) | Err(ErrorKind::Empty | ErrorKind::Missing)),
            "{name}: {kinds:?}"
        );
        peaks.push((name, ALLOCATOR.peak_usage() - before));
    }
    peaks
}

// One test: the counters are the process's.
#[test]
fn large_images_take_less_than_sixteen_images() {
    // Threads and their stacks start before anything is counted.
    xai_core::parallel::map(64, |i| i);
    let mut large = peaks();
    large.retain(|(_, bytes)| *bytes > 16 * SIDE * SIDE * 3 * size_of::<f64>());
    assert_eq!(large, []);
}
