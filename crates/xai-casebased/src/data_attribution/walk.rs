//! One pass over the attributions, for any number of metrics.

use std::cell::OnceCell;
use std::fmt;

use ndarray::{ArrayView2, CowArray, Ix2, s};
use xai_core::{Error, Result, parallel};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::rows::{MANY_BYTES, check_row, read_rows};
use crate::data_attribution::top::top;
use crate::input;

/// The attributions of one test case.
#[derive(Debug)]
pub struct Row<'a> {
    index: usize,
    stored: Stored<'a>,
    /// The most top cases that a metric of the pass asks for.
    k: usize,
    top: OnceCell<Vec<u32>>,
}

/// A row as it is stored.
#[derive(Debug)]
enum Stored<'a> {
    /// And, once a metric asks for them, as `f64`.
    Single(&'a [f32], OnceCell<Vec<f64>>),
    Double(&'a [f64]),
}

impl<'a> Row<'a> {
    /// A row of finite values.
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

    /// Which test case it is.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Its attributions to the training cases, finite.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        match &self.stored {
            Stored::Single(row, widened) => {
                widened.get_or_init(|| row.iter().map(|&value| f64::from(value)).collect())
            }
            Stored::Double(row) => row,
        }
    }

    /// The `k` training cases with the largest attributions, the largest first, of equal ones the lower; all where
    /// there are fewer. They are found once for all metrics.
    #[must_use]
    pub fn top(&self, k: usize) -> &[u32] {
        let k_most = self.k.max(k);
        let top = self.top.get_or_init(|| match &self.stored {
            Stored::Single(row, _) => top(row, k_most),
            Stored::Double(row) => top(row, k_most),
        });
        &top[..k.min(top.len())]
    }
}

/// Rows of a block.
enum Read<'a> {
    /// One after another in memory.
    Single(ArrayView2<'a, f32>),
    Double(CowArray<'a, f64, Ix2>),
}

impl Read<'_> {
    fn row(&self, place: usize) -> Stored<'_> {
        match self {
            Self::Single(rows) => {
                let row = rows.row(place).to_slice().unwrap_or_default();
                Stored::Single(row, OnceCell::new())
            }
            Self::Double(rows) => Stored::Double(rows.row(place).to_slice().unwrap_or_default()),
        }
    }
}

type Each<'a> = Box<dyn Fn(&Row<'_>) -> Option<f64> + Sync + 'a>;
type Block<'a> = Box<dyn Fn(&[Row<'_>]) -> Result<Vec<Option<f64>>> + Sync + 'a>;

/// How a metric makes a value of the attributions of each test case.
pub struct RowFunction<'a> {
    k: usize,
    values: Values<'a>,
}

enum Values<'a> {
    Each(Each<'a>),
    Block(Block<'a>),
}

impl<'a> RowFunction<'a> {
    /// A value of one row, `None` where it is undefined; asks for at most `k` [top](Row::top) cases.
    pub fn per_row(k: usize, value: impl Fn(&Row<'_>) -> Option<f64> + Sync + 'a) -> Self {
        let values = Values::Each(Box::new(value));
        Self { k, values }
    }

    /// The values of neighbouring rows at once. Where the blocks begin must not show in the values.
    pub fn per_block(values: impl Fn(&[Row<'_>]) -> Result<Vec<Option<f64>>> + Sync + 'a) -> Self {
        let values = Values::Block(Box::new(values));
        Self { k: 0, values }
    }
}

impl fmt::Debug for RowFunction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowFunction")
            .field("k", &self.k)
            .finish_non_exhaustive()
    }
}

/// Rows of a block of so many bytes; full lanes for the sums over subsets.
fn rows_per_block(n_train: usize, bytes: usize) -> usize {
    match bytes / (8 * n_train) {
        rows @ 0..8 => rows.max(1),
        rows => (rows / 8 * 8).min(64),
    }
}

/// The values of the test cases by each metric, all metrics from one reading of the attributions. A test case that
/// does not count has none.
pub(super) fn walk(
    data: &AttributionData<'_>,
    metrics: &[&RowFunction<'_>],
) -> Result<Vec<Vec<Option<f64>>>> {
    let (source, keep) = (data.rows()?, data.keep_mask()?);
    let (n_test, n_train) = source.shape();
    let k = metrics.iter().map(|metric| metric.k).max().unwrap_or(0);
    let is_kept = |row: usize| keep.is_none_or(|keep| keep[row]);
    let mut of_metrics = metrics.iter().map(|metric| &metric.values);
    let has_blocks = of_metrics.any(|values| matches!(values, Values::Block(_)));
    let bytes = match has_blocks {
        false => source.bytes_at_once(),
        // Blocks are worked on as a whole.
        true => MANY_BYTES,
    };
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
    let of_block = |block: usize| {
        let range = block * size..((block + 1) * size).min(n_test);
        let read = match single {
            Some(rows) => Read::Single(rows.slice_move(s![range.clone(), ..])),
            None => Read::Double(read_rows(input::ATTRIBUTIONS, source, range.clone())?),
        };
        let mut values = vec![Vec::with_capacity(range.len()); metrics.len()];
        let mut kept = Vec::with_capacity(range.len());
        for (place, index) in range.clone().enumerate() {
            let row = Row::new(index, k, read.row(place))?;
            // While the row is near the processor.
            for (values, metric) in values.iter_mut().zip(metrics) {
                if let Values::Each(value) = &metric.values {
                    values.push(is_kept(index).then(|| value(&row)).flatten());
                }
            }
            if has_blocks && is_kept(index) {
                kept.push(row);
            }
        }
        for (values, metric) in values.iter_mut().zip(metrics) {
            if let Values::Block(row_function) = &metric.values {
                let mut of_kept = row_function(&kept)?.into_iter();
                values.extend(
                    range
                        .clone()
                        .map(|row| is_kept(row).then(|| of_kept.next()).flatten().flatten()),
                );
            }
        }
        Ok(values)
    };
    let n_blocks = n_test.div_ceil(size);
    let blocks = parallel::try_map(n_blocks, |block| match n_blocks {
        1 => of_block(block),
        // There are blocks for all threads: what a metric does within one stays on its thread.
        _ => parallel::with_work_size(0, || of_block(block)),
    })?;
    let mut joined = vec![Vec::with_capacity(n_test); metrics.len()];
    for block in blocks {
        for (joined, mut values) in joined.iter_mut().zip(block) {
            joined.append(&mut values);
        }
    }
    Ok(joined)
}
