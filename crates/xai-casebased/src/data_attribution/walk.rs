//! One pass over the attributions for any number of metrics.

use std::cell::OnceCell;
use std::fmt;

use ndarray::{ArrayView2, CowArray, Ix2, s};
use xai_core::{Error, Result, parallel};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::rows::{DEFAULT_BLOCK_BYTES, check_row, read_rows};
use crate::data_attribution::top::top;
use crate::input;

/// The attributions of one test case.
#[derive(Debug)]
pub struct Row<'a> {
    index: usize,
    stored: Stored<'a>,
    /// Largest number of top cases that any metric of the pass uses.
    k: usize,
    /// Top `k` cases, computed when a metric first uses them.
    top: OnceCell<Vec<u32>>,
}

/// The values of a row in the precision in which they are stored.
#[derive(Debug)]
enum Stored<'a> {
    /// Single precision, and the values as `f64` once a metric uses them.
    Single(&'a [f32], OnceCell<Vec<f64>>),
    Double(&'a [f64]),
}

impl<'a> Row<'a> {
    /// Creates a row, and checks that its values are finite.
    fn new(index: usize, k: usize, stored: Stored<'a>) -> Result<Self> {
        match &stored {
            Stored::Single(row, _) => check_row(input::ATTRIBUTIONS, index, row)?,
            Stored::Double(row) => check_row(input::ATTRIBUTIONS, index, row)?,
        }
        Ok(Self {
            index,
            stored,
            k,
            top: OnceCell::new(),
        })
    }

    /// Index of the test case.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Attributions to the training cases, which are finite.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        match &self.stored {
            Stored::Single(row, widened) => {
                widened.get_or_init(|| row.iter().map(|&value| f64::from(value)).collect())
            }
            Stored::Double(row) => row,
        }
    }

    /// The `k` training cases with the largest attributions, largest first, ties by lower index; all cases if there are
    /// fewer. They are computed once for all metrics of a pass, so `k` must be at most the number given to
    /// [`RowFunction::per_row`]; for a larger `k` the result may be shorter.
    #[must_use]
    pub fn top(&self, k: usize) -> &[u32] {
        // The top `k` are the first of the top of any larger number.
        let largest_k = self.k.max(k);
        let cases = self.top.get_or_init(|| match &self.stored {
            Stored::Single(row, _) => top(row, largest_k),
            Stored::Double(row) => top(row, largest_k),
        });
        &cases[..k.min(cases.len())]
    }
}

/// A block of rows, contiguous in memory.
enum RowBlock<'a> {
    Single(ArrayView2<'a, f32>),
    Double(CowArray<'a, f64, Ix2>),
}

impl RowBlock<'_> {
    fn row(&self, position: usize) -> Stored<'_> {
        match self {
            Self::Single(rows) => {
                let row = rows.row(position).to_slice().unwrap_or_default();
                Stored::Single(row, OnceCell::new())
            }
            Self::Double(rows) => Stored::Double(rows.row(position).to_slice().unwrap_or_default()),
        }
    }
}

type PerRow<'a> = Box<dyn Fn(&Row<'_>) -> Option<f64> + Sync + 'a>;
type PerBlock<'a> = Box<dyn Fn(&[Row<'_>]) -> Result<Vec<Option<f64>>> + Sync + 'a>;

/// The function by which a metric computes the value of each test case from its attributions.
pub struct RowFunction<'a> {
    /// Largest number of top cases that the function uses.
    k: usize,
    function: Function<'a>,
}

enum Function<'a> {
    PerRow(PerRow<'a>),
    PerBlock(PerBlock<'a>),
}

impl<'a> RowFunction<'a> {
    /// Creates a function of one row; `None` is an undefined value. It uses at most `k` [top](Row::top) cases.
    pub fn per_row(k: usize, value: impl Fn(&Row<'_>) -> Option<f64> + Sync + 'a) -> Self {
        Self {
            k,
            function: Function::PerRow(Box::new(value)),
        }
    }

    /// Creates a function of a block of rows, which returns one value per row. The rows have ascending indices, with
    /// gaps where test cases are not kept. The values must not depend on how rows are divided into blocks.
    pub fn per_block(values: impl Fn(&[Row<'_>]) -> Result<Vec<Option<f64>>> + Sync + 'a) -> Self {
        Self {
            k: 0,
            function: Function::PerBlock(Box::new(values)),
        }
    }
}

impl fmt::Debug for RowFunction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowFunction")
            .field("k", &self.k)
            .finish_non_exhaustive()
    }
}

/// Number of rows in a block of about `bytes` bytes: at most 64, and a multiple of 8 if at least 8 fit, which fills
/// the lanes of the sums over subsets.
fn rows_per_block(n_train: usize, bytes: usize) -> usize {
    match bytes / (8 * n_train) {
        rows @ 0..8 => rows.max(1),
        rows => (rows / 8 * 8).min(64),
    }
}

/// Computes the values `[metric][test case]` in one pass over the attributions. Test cases that are not kept have
/// the value `None`.
pub(super) fn walk(
    data: &AttributionData<'_>,
    metrics: &[&RowFunction<'_>],
) -> Result<Vec<Vec<Option<f64>>>> {
    let (source, keep) = (data.rows()?, data.keep_mask()?);
    let (n_test, n_train) = source.shape();
    let k = metrics.iter().map(|metric| metric.k).max().unwrap_or(0);
    let is_kept = |row: usize| keep.is_none_or(|keep| keep[row]);
    let has_blocks = metrics
        .iter()
        .any(|metric| matches!(metric.function, Function::PerBlock(_)));
    let bytes = if has_blocks {
        // A block is processed as a whole, not row by row while it is in the cache.
        DEFAULT_BLOCK_BYTES
    } else {
        source.bytes_at_once()
    };
    // Rows in single precision are not converted as a whole: the top of a row, for one, is found without it.
    let single = source.as_single().filter(|rows| rows.is_standard_layout());
    if let Some(rows) = single
        && rows.dim() != (n_test, n_train)
    {
        return Err(Error::shape(
            input::ATTRIBUTIONS,
            &[n_test, n_train],
            rows.shape(),
        ));
    }
    let size = rows_per_block(n_train, bytes);
    let evaluate_block = |block: usize| {
        let range = block * size..((block + 1) * size).min(n_test);
        let rows = match single {
            Some(rows) => RowBlock::Single(rows.slice_move(s![range.clone(), ..])),
            None => RowBlock::Double(read_rows(input::ATTRIBUTIONS, source, range.clone())?),
        };
        let mut values = vec![Vec::with_capacity(range.len()); metrics.len()];
        let mut kept = Vec::with_capacity(range.len());
        for (position, index) in range.clone().enumerate() {
            // Rows that are not kept are checked as well, so an error does not depend on the metrics or the mask.
            let row = Row::new(index, k, rows.row(position))?;
            // All metrics of a row before the next row, while the row is in the cache.
            for (values, metric) in values.iter_mut().zip(metrics) {
                if let Function::PerRow(value) = &metric.function {
                    values.push(is_kept(index).then(|| value(&row)).flatten());
                }
            }
            if has_blocks && is_kept(index) {
                kept.push(row);
            }
        }
        for (values, metric) in values.iter_mut().zip(metrics) {
            if let Function::PerBlock(block_values) = &metric.function {
                let mut kept_values = block_values(&kept)?.into_iter();
                values.extend(
                    range
                        .clone()
                        .map(|row| is_kept(row).then(|| kept_values.next()).flatten().flatten()),
                );
            }
        }
        Ok(values)
    };
    let n_blocks = n_test.div_ceil(size);
    let blocks = parallel::try_map(n_blocks, |block| match n_blocks {
        // A single block may use all threads inside.
        1 => evaluate_block(block),
        // With several blocks, every thread has one, and the work inside a block stays on its thread.
        _ => parallel::with_work_size(0, || evaluate_block(block)),
    })?;
    let mut joined = vec![Vec::with_capacity(n_test); metrics.len()];
    for block in blocks {
        for (joined, mut values) in joined.iter_mut().zip(block) {
            joined.append(&mut values);
        }
    }
    Ok(joined)
}
