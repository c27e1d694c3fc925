//! Sums and maxima over the features of eight rows at once, with the bits of the same operation on a single row.
//!
//! The scalar code of [`Distance`](xai_core::Distance) adds feature `i` to lane `i mod 8` and then adds the eight lanes
//! as a fixed tree. The kernels here repeat this order for each row.

/// Rows in a block.
pub(crate) const ROWS: usize = 8;

/// One value for each row of a block.
pub(crate) type Lanes = [f64; ROWS];

/// `Σ_i term(row_i, query_i)` for each row of a block.
#[inline(always)]
pub(crate) fn sum(block: &[f64], query: &[f64], term: impl Fn(f64, f64) -> f64) -> Lanes {
    let (features, _) = block.as_chunks::<ROWS>();
    sum_features(query.len(), |feature, row| {
        term(features[feature][row], query[feature])
    })
}

/// `Σ_feature term(feature, row)` for each of eight rows.
#[inline(always)]
pub(crate) fn sum_features(n_features: usize, term: impl Fn(usize, usize) -> f64) -> Lanes {
    let mut lanes = [[0.0; ROWS]; 8];
    let whole = n_features / 8 * 8;
    for first in (0..whole).step_by(8) {
        add::<8>(&mut lanes, first, &term);
    }
    // A remainder that the compiler knows keeps the lanes in registers, which is three times as fast at 5 features
    // as a loop over the remainder.
    match n_features - whole {
        1 => add::<1>(&mut lanes, whole, &term),
        2 => add::<2>(&mut lanes, whole, &term),
        3 => add::<3>(&mut lanes, whole, &term),
        4 => add::<4>(&mut lanes, whole, &term),
        5 => add::<5>(&mut lanes, whole, &term),
        6 => add::<6>(&mut lanes, whole, &term),
        7 => add::<7>(&mut lanes, whole, &term),
        _ => {}
    }
    // The order of these additions must not change: it is that of `Distance`.
    let [s0, s1, s2, s3, s4, s5, s6, s7] = lanes;
    let mut total = [0.0; ROWS];
    for r in 0..ROWS {
        total[r] = ((s0[r] + s4[r]) + (s2[r] + s6[r])) + ((s1[r] + s5[r]) + (s3[r] + s7[r]));
    }
    total
}

/// Adds the terms of `N` features from `first` on, each to its lane.
#[inline(always)]
#[expect(
    clippy::needless_range_loop,
    reason = "with iterators the lanes do not stay in registers: 1.4 times slower"
)]
fn add<const N: usize>(lanes: &mut [Lanes; 8], first: usize, term: &impl Fn(usize, usize) -> f64) {
    for lane in 0..N {
        for row in 0..ROWS {
            lanes[lane][row] += term(first + lane, row);
        }
    }
}

/// `max_feature term(feature, row)` for each of eight rows; at least 0.
#[inline(always)]
pub(crate) fn largest_feature(n_features: usize, term: impl Fn(usize, usize) -> f64) -> Lanes {
    let mut largest = [0.0; ROWS];
    for feature in 0..n_features {
        for (row, largest) in largest.iter_mut().enumerate() {
            let value = term(feature, row);
            *largest = if value > *largest { value } else { *largest };
        }
    }
    largest
}

/// `max_i |row_i − query_i|` for each row of a block.
#[inline(always)]
pub(crate) fn largest_difference(block: &[f64], query: &[f64]) -> Lanes {
    let (features, _) = block.as_chunks::<ROWS>();
    largest_feature(query.len(), |feature, row| {
        (features[feature][row] - query[feature]).abs()
    })
}
