//! The largest of many values.

use std::cmp::Ordering;

use xai_core::Real;

/// The indices of the `k` largest of finite values, ascending; ties go to the lower index.
pub(crate) fn largest<T: Real>(values: &[T], k: usize) -> Vec<usize> {
    if k == 0 {
        return Vec::new();
    }
    if k >= values.len() {
        return (0..values.len()).collect();
    }
    let mut copy = values.to_vec();
    let descending = |a: &T, b: &T| b.partial_cmp(a).unwrap_or(Ordering::Equal);
    let (above, &mut least, _) = copy.select_nth_unstable_by(k - 1, descending);
    let mut ties = k - above.iter().filter(|&&x| x > least).count();
    drop(copy);
    let mut chosen = |&i: &usize| {
        let tie = values[i] == least && ties > 0;
        ties -= usize::from(tie);
        values[i] > least || tie
    };
    let mut indices = Vec::with_capacity(k);
    indices.extend((0..values.len()).filter(&mut chosen));
    indices
}
