//! Columns of lists.

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray};
use datafusion::arrow::buffer::{BooleanBuffer, NullBuffer};
use datafusion::arrow::datatypes::{ArrowNativeType, DataType};

/// The lists of a column, by row.
pub(crate) struct Lists<'a, N> {
    offsets: &'a [i32],
    elements: &'a [N],
}

impl<'a, N: ArrowNativeType> Lists<'a, N> {
    /// A column of type `List` whose elements are of type `T`.
    pub(crate) fn new<T: ArrowPrimitiveType<Native = N>>(column: &'a ArrayRef) -> Self {
        let lists = column.as_list::<i32>();
        Self {
            offsets: lists.value_offsets(),
            elements: lists.values().as_primitive::<T>().values(),
        }
    }

    pub(crate) fn row(&self, row: usize) -> &'a [N] {
        &self.elements[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }
}

/// Which rows have a value. A list with a NULL among its elements is not a whole value, and counts as
/// NULL.
pub(crate) fn present(column: &ArrayRef) -> Option<NullBuffer> {
    let nulls = column.logical_nulls();
    let DataType::List(_) = column.data_type() else {
        return nulls;
    };
    let lists = column.as_list::<i32>();
    let Some(elements) = lists
        .values()
        .logical_nulls()
        .filter(|n| n.null_count() > 0)
    else {
        return nulls;
    };
    let offsets = lists.value_offsets();
    let is_whole = |row: usize| {
        let (start, end) = (offsets[row] as usize, offsets[row + 1] as usize);
        (start..end).all(|element| elements.is_valid(element))
    };
    let whole = NullBuffer::new(BooleanBuffer::collect_bool(lists.len(), is_whole));
    NullBuffer::union(nulls.as_ref(), Some(&whole))
}
