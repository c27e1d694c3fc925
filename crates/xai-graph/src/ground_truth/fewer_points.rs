//! Curves of fewer points, for pictures.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The places of at most `n` points, both ends among them, at least 2: the point that costs least goes
/// first, then the one that costs least among the rest, and so on; of equal ones the first.
///
/// `cost` is what the area changes by when the middle one of three neighbouring points goes; it is not
/// negative.
///
/// # Source
/// Visvalingam and Whyatt, *Line generalisation by repeated elimination of points*, 1993, for the
/// triangle of three points as the cost.
pub(crate) fn fewer_points(
    points: &[[f64; 2]],
    n: usize,
    cost: impl Fn([f64; 2], [f64; 2], [f64; 2]) -> f64,
) -> Vec<usize> {
    let last = points.len().saturating_sub(1);
    let mut before: Vec<usize> = (0..points.len()).map(|i| i.saturating_sub(1)).collect();
    let mut after: Vec<usize> = (0..points.len()).map(|i| (i + 1).min(last)).collect();
    // Costs are not negative, so their bits are in their order.
    let cost_of = |i: usize, before: &[usize], after: &[usize]| {
        cost(points[before[i]], points[i], points[after[i]]).to_bits()
    };
    let mut costs: Vec<u64> = (0..points.len())
        .map(|i| cost_of(i, &before, &after))
        .collect();
    let mut cheapest: BinaryHeap<Reverse<(u64, usize)>> =
        (1..last.max(1)).map(|i| Reverse((costs[i], i))).collect();
    let mut goes = vec![false; points.len()];
    let mut n_left = points.len();
    while n_left > n.max(2) {
        let Some(Reverse((cost, i))) = cheapest.pop() else {
            break;
        };
        if goes[i] || cost != costs[i] {
            continue; // an entry from before a neighbour went
        }
        goes[i] = true;
        n_left -= 1;
        let (left, right) = (before[i], after[i]);
        (after[left], before[right]) = (right, left);
        for neighbour in [left, right] {
            if neighbour != 0 && neighbour != last {
                costs[neighbour] = cost_of(neighbour, &before, &after);
                cheapest.push(Reverse((costs[neighbour], neighbour)));
            }
        }
    }
    (0..points.len()).filter(|&i| !goes[i]).collect()
}
