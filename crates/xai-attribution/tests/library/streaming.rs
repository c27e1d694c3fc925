//! Samples in a memory-mapped file give the bits of samples in memory.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use memmap2::Mmap;
use ndarray::{Array2, Array4, ArrayView4, ArrayViewD, Axis, CowArray, IxDyn, Slice};
use ndarray_npy::{ViewNpyExt, write_npy};
use xai_attribution::metric::{AverageDrop, Deletion, Insertion, MuFidelity};
use xai_attribution::model::{BoxError, Samples};
use xai_attribution::perturbation::{Baseline, Features};
use xai_attribution::table::EvaluationTable;
use xai_attribution::{Benchmark, Evaluate, InputLayout};
use xai_core::random::{random_stream, uniform};

fn model(batch: ArrayViewD<'_, f32>) -> Result<Array2<f32>, std::fmt::Error> {
    let rows = batch.outer_iter().flat_map(|x| {
        let half = x.len() / 2;
        [x.iter().take(half).sum::<f32>(), x.iter().skip(half).sum()]
    });
    Ok(Array2::from_shape_vec((batch.shape()[0], 2), rows.collect()).unwrap())
}

fn array(item: u64) -> Array4<f32> {
    let mut stream = random_stream(11, item);
    Array4::from_shape_simple_fn((40, 6, 5, 3), || uniform(&mut stream) as f32)
}

fn table(inputs: impl Samples<f32>, maps: impl Samples<f32>) -> EvaluationTable {
    Benchmark::new(&model, inputs, &[1u8; 40])
        .layout(InputLayout::ChannelsLast)
        .batch_size(7)
        .replicates(50)
        .maps("maps", maps)
        .metric(AverageDrop::default())
        .metric(Deletion::new().baseline(Baseline::DatasetMean))
        .metric(Insertion::new().baseline(Baseline::Blur { sigma: 1.0 }))
        .metric(MuFidelity::new().n_subsets(11).features(Features::Grid(2)))
        .evaluate()
        .unwrap()
}

/// Counts the samples that are held at once.
struct Reader<'a> {
    array: ArrayView4<'a, f32>,
    largest: AtomicUsize,
}

impl Samples<f32> for Reader<'_> {
    fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, f32, IxDyn>, BoxError> {
        self.largest.fetch_max(samples.len(), Ordering::Relaxed);
        let batch = self.array.slice_axis(Axis(0), Slice::from(samples));
        Ok(batch.to_owned().into_dyn().into())
    }
}

#[test]
fn a_memory_mapped_file_gives_the_bits_of_memory() {
    let folder = tempfile::TempDir::new().unwrap();
    let (x, e) = (array(0), array(1));
    let mapped = |name: &str, array: &Array4<f32>| {
        let path = folder.path().join(name);
        write_npy(&path, array).unwrap();
        let file = std::fs::File::open(path).unwrap();
        // SAFETY: the file is in a folder of this test's own; nobody else changes it.
        unsafe { Mmap::map(&file) }.unwrap()
    };
    let (mapped_x, mapped_e) = (mapped("x.npy", &x), mapped("e.npy", &e));
    let mapped = table(
        ArrayView4::<f32>::view_npy(&mapped_x).unwrap(),
        ArrayView4::<f32>::view_npy(&mapped_e).unwrap(),
    );
    assert_eq!(mapped, table(x.view(), e.view()));
}

#[test]
fn reading_by_batch_gives_the_same_bits_as_arrays_in_memory() {
    let (x, e) = (array(0), array(1));
    let reader = |array| Reader {
        array,
        largest: AtomicUsize::new(0),
    };
    let (inputs, maps) = (reader(x.view()), reader(e.view()));
    assert_eq!(table(&inputs, &maps), table(x.view(), e.view()));
    for reader in [inputs, maps] {
        assert_eq!(reader.largest.into_inner(), 7);
    }
}

#[test]
fn fortran_order_gives_the_bits_of_row_major_order() {
    let (x, e) = (array(0), array(1));
    let fortran = |a: &Array4<f32>| a.t().as_standard_layout().into_owned();
    let (xt, et) = (fortran(&x), fortran(&e));
    assert_eq!(table(xt.t(), et.t()), table(x.view(), e.view()));
}
