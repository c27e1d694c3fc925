//! Euclidean minimum spanning trees and convex hulls of positions on a grid.

use std::collections::BTreeMap;

/// A position of a map. The derived order is row-major.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub(crate) row: i32,
    pub(crate) column: i32,
}

impl Point {
    fn squared_distance(self, other: Self) -> u64 {
        let (rows, columns) = (
            i64::from(self.row - other.row),
            i64::from(self.column - other.column),
        );
        (rows * rows + columns * columns).unsigned_abs()
    }
}

/// Largest squared length of the edges that are found by trying fixed steps from every point. Longer edges are found by
/// comparing points with points.
const SHORT: i32 = 32;

/// Length of the Euclidean minimum spanning tree of distinct points in row-major order.
///
/// A set of points can have several minimum spanning trees, but all have the same multiset of edge lengths. Edges are
/// therefore counted by squared length, an integer, and summed in ascending order at the end: the bits of the result do
/// not depend on which tree was found.
pub(crate) fn tree_length(points: &[Point]) -> f64 {
    let Some(&first) = points.first() else {
        return 0.0;
    };
    let columns = points.iter().map(|point| point.column);
    let least = columns.clone().min().unwrap_or_default();
    let n_columns = (columns.max().unwrap_or_default() - least + 1) as usize;
    let n_rows = (points[points.len() - 1].row - first.row + 1) as usize;
    let mut forest = Forest {
        points,
        first: Point {
            row: first.row,
            column: least,
        },
        n_rows,
        n_columns,
        grid: vec![NO_POINT; n_rows * n_columns],
        parents: (0..points.len() as u32).collect(),
        n_trees: points.len(),
        lengths: BTreeMap::new(),
    };
    for (i, &point) in points.iter().enumerate() {
        let cell = forest.cell(point).expect("within the bounds of all points");
        forest.grid[cell] = i as u32;
    }
    forest.join_near();
    forest.join_far();
    let lengths = forest.lengths.iter();
    lengths
        .map(|(&square, &n)| n as f64 * (square as f64).sqrt())
        .sum()
}

/// A cell of [`Forest::grid`] without a point.
const NO_POINT: u32 = u32::MAX;

/// Trees that are joined until one is left.
struct Forest<'a> {
    points: &'a [Point],
    /// Smallest row and smallest column of all points: the origin of the grid.
    first: Point,
    n_rows: usize,
    n_columns: usize,
    /// Index of the point in each cell of the bounding box, row by row, or [`NO_POINT`].
    grid: Vec<u32>,
    /// Parent of each point in a disjoint-set forest; roots are their own parents.
    parents: Vec<u32>,
    n_trees: usize,
    /// Number of edges by squared length.
    lengths: BTreeMap<u64, u64>,
}

impl Forest<'_> {
    /// Index of the grid cell of a point; `None` outside the bounding box.
    fn cell(&self, point: Point) -> Option<usize> {
        let row = usize::try_from(point.row - self.first.row).ok()?;
        let column = usize::try_from(point.column - self.first.column).ok()?;
        (row < self.n_rows && column < self.n_columns).then_some(row * self.n_columns + column)
    }

    /// Index of the point that is `(rows, columns)` away from another, if there is one.
    fn neighbor(&self, point: Point, (rows, columns): (i32, i32)) -> Option<usize> {
        let cell = self.cell(Point {
            row: point.row + rows,
            column: point.column + columns,
        })?;
        let found = self.grid[cell];
        (found != NO_POINT).then_some(found as usize)
    }

    fn root(&mut self, mut point: usize) -> usize {
        while self.parents[point] as usize != point {
            // Path halving keeps the trees flat without a second pass.
            let above = self.parents[point] as usize;
            self.parents[point] = self.parents[above];
            point = above;
        }
        point
    }

    /// Kruskal's algorithm over all edges of squared length up to [`SHORT`], shortest first.
    ///
    /// Marked positions of a map are mostly adjacent, so that this joins nearly all points in linear time: the
    /// candidate edges come from a table of steps and need neither distances nor a sort.
    fn join_near(&mut self) {
        let reach = f64::from(SHORT).sqrt() as i32;
        let directions = (0..=reach).flat_map(|rows| (-reach..=reach).map(move |c| (rows, c)));
        // One of the two directions of every step: the opposite one is tried from the other end of the edge.
        let mut steps: Vec<(i32, i32)> = directions
            .filter(|&(rows, columns)| rows > 0 || columns > 0)
            .filter(|(rows, columns)| rows * rows + columns * columns <= SHORT)
            .collect();
        steps.sort_by_key(|(rows, columns)| rows * rows + columns * columns);
        for step in steps {
            // A single dense patch is joined after the steps of length 1.
            if self.n_trees == 1 {
                return;
            }
            for (i, &point) in self.points.iter().enumerate() {
                let Some(j) = self.neighbor(point, step) else {
                    continue;
                };
                let (a, b) = (self.root(i), self.root(j));
                if a != b {
                    self.parents[a.max(b)] = a.min(b) as u32;
                    self.n_trees -= 1;
                    let square = (step.0 * step.0 + step.1 * step.1) as u64;
                    *self.lengths.entry(square).or_default() += 1;
                }
            }
        }
    }

    /// Prim's algorithm over the trees that are left, as if each of them were one vertex.
    ///
    /// Only border points are compared. The four direct neighbours of an inner point are in its own tree, and one of
    /// them is nearer to any point outside, so no shortest edge between trees starts at an inner point.
    fn join_far(&mut self) {
        if self.n_trees == 1 {
            return;
        }
        let sides = [(0, 1), (1, 0), (0, -1), (-1, 0)];
        let n = self.points.len();
        let border: Vec<usize> = (0..n)
            .filter(|&i| {
                sides
                    .iter()
                    .any(|&side| self.neighbor(self.points[i], side).is_none())
            })
            .collect();
        // Points that are not joined yet: the point, its tree, and the squared distance to the nearest joined point.
        let mut remaining: Vec<(Point, usize, u64)> = Vec::with_capacity(border.len());
        for i in border {
            remaining.push((self.points[i], self.root(i), u64::MAX));
        }
        let mut next = remaining[0].1;
        loop {
            let joined: Vec<Point> = remaining
                .extract_if(.., |(_, tree, _)| *tree == next)
                .map(|(point, ..)| point)
                .collect();
            // Distances to points joined in earlier rounds are already in `nearest`.
            for (point, _, nearest) in &mut remaining {
                for other in &joined {
                    *nearest = (*nearest).min(point.squared_distance(*other));
                }
            }
            let nearest = remaining.iter().min_by_key(|(_, _, square)| *square);
            let Some(&(_, tree, square)) = nearest else {
                return;
            };
            *self.lengths.entry(square).or_default() += 1;
            next = tree;
        }
    }
}

/// Area of the convex hull of points in row-major order, by Andrew's monotone chain; 0 if all are on one line.
pub(crate) fn hull_area(points: &[Point]) -> f64 {
    // One half of the hull. Points that do not turn left are not corners, also those in the middle of an edge.
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..] {
                if turn(a, b, point) > 0 {
                    break;
                }
                chain.pop();
            }
            chain.push(point);
        }
        // The last point is the first one of the other half.
        chain.pop();
        chain
    };
    let mut hull = half(&mut points.iter().copied());
    hull.extend(half(&mut points.iter().rev().copied()));
    let cross = |a: Point, b: Point| {
        i64::from(a.row) * i64::from(b.column) - i64::from(a.column) * i64::from(b.row)
    };
    // The shoelace formula, in integers and so exact: only the halving at the end is in floating point.
    let twice: i64 = (0..hull.len())
        .map(|i| cross(hull[i], hull[(i + 1) % hull.len()]))
        .sum();
    twice.unsigned_abs() as f64 / 2.0
}

/// Cross product of `b − a` and `c − a`: positive for a left turn from `a` over `b` to `c`, 0 on one line.
fn turn(a: Point, b: Point, c: Point) -> i64 {
    let (rows, columns) = (i64::from(b.row - a.row), i64::from(b.column - a.column));
    rows * i64::from(c.column - a.column) - columns * i64::from(c.row - a.row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Prim's algorithm over all pairs of points.
    fn prim_length(points: &[Point]) -> f64 {
        let mut nearest = vec![u64::MAX; points.len()];
        let (mut left, mut last): (Vec<usize>, usize) = ((1..points.len()).collect(), 0);
        let mut length = 0.0;
        while !left.is_empty() {
            for &i in &left {
                nearest[i] = nearest[i].min(points[i].squared_distance(points[last]));
            }
            let index = (0..left.len()).min_by_key(|&p| nearest[left[p]]).unwrap();
            last = left.swap_remove(index);
            length += (nearest[last] as f64).sqrt();
        }
        length
    }

    fn points(positions: &BTreeSet<(i32, i32)>) -> Vec<Point> {
        let point = |&(row, column): &(i32, i32)| Point { row, column };
        positions.iter().map(point).collect()
    }

    proptest! {
        #[test]
        fn the_tree_is_the_one_of_all_pairs(
            clusters in prop::collection::vec(((0..60i32, 0..60i32), prop::collection::vec((0..5i32, 0..5i32), 1..20)), 1..6),
        ) {
            let positions = clusters.iter().flat_map(|((row, column), cluster)| {
                cluster.iter().map(move |(r, c)| (row + r, column + c))
            });
            let points = points(&positions.collect());
            prop_assert!((tree_length(&points) - prim_length(&points)).abs() < 1e-9);
        }

        /// The area of a hull from gift wrapping is that of a fan of triangles from one of its corners.
        #[test]
        fn the_hull_is_that_of_gift_wrapping(positions in prop::collection::btree_set((0..9i32, 0..9i32), 3..20)) {
            let points = points(&positions);
            let mut hull = vec![points[0]];
            loop {
                let last = hull[hull.len() - 1];
                let others = points.iter().copied().filter(|&p| p != last);
                // The point that no other is to the right of; the farthest of several on one line.
                let next = others.reduce(|best, p| match turn(last, best, p) {
                    0 if last.squared_distance(p) > last.squared_distance(best) => p,
                    side if side < 0 => p,
                    _ => best,
                });
                let next = next.unwrap();
                if next == hull[0] {
                    break;
                }
                hull.push(next);
            }
            let fan = hull.windows(2).map(|edge| turn(hull[0], edge[0], edge[1])).sum::<i64>();
            prop_assert_eq!(hull_area(&points), fan.abs() as f64 / 2.0);
        }
    }

    #[test]
    fn hulls_of_shapes() {
        let points = |positions: &[(i32, i32)]| points(&positions.iter().copied().collect());
        assert_eq!(hull_area(&points(&[(0, 0), (0, 1), (1, 0), (1, 1)])), 1.0);
        assert_eq!(
            hull_area(&points(&[(0, 0), (3, 1), (1, 4), (1, 1), (2, 2)])),
            5.5
        );
        assert_eq!(hull_area(&points(&[(0, 0), (1, 1), (2, 2)])), 0.0);
        assert_eq!(hull_area(&points(&[(4, 2)])), 0.0);
        assert_eq!(tree_length(&points(&[(4, 2)])), 0.0);
        assert_eq!(
            tree_length(&points(&[(0, 0), (0, 100), (30, 40)])),
            50.0 + 30f64.hypot(60.0)
        );
    }
}
