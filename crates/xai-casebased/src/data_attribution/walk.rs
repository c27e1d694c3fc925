//! One pass over the attributions, for any number of metrics.

use std::cell::OnceCell;
use std::fmt;

use xai_core::{Result, parallel};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::rows::{MANY_BYTES, check_row, rows_of};
use crate::data_attribution::top::top;
use crate::input;

/// The attributions of one test case.
#[derive(Debug)]
pub struct Row<'a> {
    index: usize,
    values: &'a [f64],
    /// The most top cases that a metric of the pass asks for.
    k: usize,
    top: OnceCell<Vec<u32>>,
}

impl Row<'_> {
    /// Which test case it is.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Its attributions to the training cases, finite.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        self.values
    }

    /// The `k` training cases with the largest attributions, the largest first, of equal ones the lower; all where
    /// there are fewer. They are found once for all metrics.
    #[must_use]
    pub fn top(&self, k: usize) -> &[u32] {
        let top = self.top.get_or_init(|| top(self.values, self.k.max(k)));
        &top[..k.min(top.len())]
    }
}

type Each<'a> = Box<dyn Fn(&Row<'_>) -> Option<f64> + Sync + 'a>;
type Block<'a> = Box<dyn Fn(&[Row<'_>]) -> Result<Vec<Option<f64>>> + Sync + 'a>;

/// How a metric makes a value of the attributions of each test case.
pub struct OfRows<'a> {
    k: usize,
    values: Values<'a>,
}

enum Values<'a> {
    Each(Each<'a>),
    Block(Block<'a>),
}

impl<'a> OfRows<'a> {
    /// A value of one row, `None` where it is undefined; asks for at most `k` [top](Row::top) cases.
    pub fn each(k: usize, value: impl Fn(&Row<'_>) -> Option<f64> + Sync + 'a) -> Self {
        let values = Values::Each(Box::new(value));
        Self { k, values }
    }

    /// The values of neighbouring rows at once. Where the blocks begin must not show in the values.
    pub fn blocks(values: impl Fn(&[Row<'_>]) -> Result<Vec<Option<f64>>> + Sync + 'a) -> Self {
        let values = Values::Block(Box::new(values));
        Self { k: 0, values }
    }
}

impl fmt::Debug for OfRows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OfRows")
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
    metrics: &[&OfRows<'_>],
) -> Result<Vec<Vec<Option<f64>>>> {
    let (source, keep) = (data.rows()?, data.kept()?);
    let (n_test, n_train) = source.shape();
    let k = metrics.iter().map(|metric| metric.k).max().unwrap_or(0);
    let is_kept = |row: usize| keep.is_none_or(|keep| keep[row]);
    let is_each = |metric: &&OfRows<'_>| matches!(metric.values, Values::Each(_));
    let bytes = match metrics.iter().all(is_each) {
        true => source.bytes_at_once(),
        // Blocks are worked on as a whole.
        false => MANY_BYTES,
    };
    let size = rows_per_block(n_train, bytes);
    let of_block = |block: usize| {
        let range = block * size..((block + 1) * size).min(n_test);
        let rows = rows_of(input::ATTRIBUTIONS, source, range.clone())?;
        let mut values = vec![Vec::with_capacity(range.len()); metrics.len()];
        let mut kept = Vec::with_capacity(range.len());
        for (index, row) in range.clone().zip(rows.rows()) {
            let row = row.to_slice().unwrap_or_default();
            check_row(input::ATTRIBUTIONS, index, row)?;
            let row = Row {
                index,
                values: row,
                k,
                top: OnceCell::new(),
            };
            // While the row is near the processor.
            for (values, metric) in values.iter_mut().zip(metrics) {
                if let Values::Each(value) = &metric.values {
                    values.push(is_kept(index).then(|| value(&row)).flatten());
                }
            }
            if is_kept(index) {
                kept.push(row);
            }
        }
        for (values, metric) in values.iter_mut().zip(metrics) {
            if let Values::Block(of_rows) = &metric.values {
                let mut of_kept = of_rows(&kept)?.into_iter();
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
        _ => parallel::of_size(0, || of_block(block)),
    })?;
    let mut joined = vec![Vec::with_capacity(n_test); metrics.len()];
    for block in blocks {
        for (joined, mut values) in joined.iter_mut().zip(block) {
            joined.append(&mut values);
        }
    }
    Ok(joined)
}
