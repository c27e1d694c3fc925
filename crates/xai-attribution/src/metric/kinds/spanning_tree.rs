//! Spanning trees and hulls of positions.

use std::collections::BTreeMap;

/// A position of a map.
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

/// Steps up to this squared length are tried from every point before trees are joined point by point.
const SHORT: i32 = 32;

/// The length of the shortest tree by Euclidean distance that joins all points, which differ and are in
/// row-major order.
///
/// Trees of different edges may be the shortest, but the lengths of their edges are the same: edges are
/// counted by length, and the sum does not depend on which was found.
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
        at: vec![u32::MAX; n_rows * n_columns],
        parents: (0..points.len() as u32).collect(),
        n_trees: points.len(),
        lengths: BTreeMap::new(),
    };
    for (i, &point) in points.iter().enumerate() {
        let place = forest
            .place(point)
            .expect("within the bounds of all points");
        forest.at[place] = i as u32;
    }
    forest.join_near();
    forest.join_far();
    let lengths = forest.lengths.iter();
    lengths
        .map(|(&square, &n)| n as f64 * (square as f64).sqrt())
        .sum()
}

/// Trees that are joined until one is left.
struct Forest<'a> {
    points: &'a [Point],
    /// The least row and column.
    first: Point,
    n_rows: usize,
    n_columns: usize,
    /// The point at each place between the least and the largest row and column.
    at: Vec<u32>,
    parents: Vec<u32>,
    n_trees: usize,
    /// How many edges have a squared length.
    lengths: BTreeMap<u64, u64>,
}

impl Forest<'_> {
    fn place(&self, point: Point) -> Option<usize> {
        let row = usize::try_from(point.row - self.first.row).ok()?;
        let column = usize::try_from(point.column - self.first.column).ok()?;
        (row < self.n_rows && column < self.n_columns).then_some(row * self.n_columns + column)
    }

    /// The point some steps from another.
    fn beside(&self, point: Point, (rows, columns): (i32, i32)) -> Option<usize> {
        let place = self.place(Point {
            row: point.row + rows,
            column: point.column + columns,
        })?;
        let found = self.at[place];
        (found != u32::MAX).then_some(found as usize)
    }

    fn root(&mut self, mut point: usize) -> usize {
        while self.parents[point] as usize != point {
            let above = self.parents[point] as usize;
            self.parents[point] = self.parents[above];
            point = above;
        }
        point
    }

    /// Kruskal's rule over the edges of all short steps, shortest first.
    fn join_near(&mut self) {
        let reach = f64::from(SHORT).sqrt() as i32;
        let sides = (0..=reach).flat_map(|rows| (-reach..=reach).map(move |c| (rows, c)));
        // One of the two directions of every step.
        let mut steps: Vec<(i32, i32)> = sides
            .filter(|&(rows, columns)| rows > 0 || columns > 0)
            .filter(|(rows, columns)| rows * rows + columns * columns <= SHORT)
            .collect();
        steps.sort_by_key(|(rows, columns)| rows * rows + columns * columns);
        for step in steps {
            if self.n_trees == 1 {
                return;
            }
            for (i, &point) in self.points.iter().enumerate() {
                let Some(j) = self.beside(point, step) else {
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

    /// Prim's rule over the trees that are left. The shortest way out of a tree starts where it ends: from
    /// a point with neighbours on all four sides, which are of its own tree, one of them is nearer.
    fn join_far(&mut self) {
        if self.n_trees == 1 {
            return;
        }
        let sides = [(0, 1), (1, 0), (0, -1), (-1, 0)];
        let n = self.points.len();
        let ends: Vec<usize> = (0..n)
            .filter(|&i| {
                sides
                    .iter()
                    .any(|&side| self.beside(self.points[i], side).is_none())
            })
            .collect();
        // What is not joined yet: the point, its tree, and how far the joined ones are.
        let mut apart: Vec<(Point, usize, u64)> = Vec::with_capacity(ends.len());
        for i in ends {
            apart.push((self.points[i], self.root(i), u64::MAX));
        }
        let mut next = apart[0].1;
        loop {
            let joined = apart.extract_if(.., |(_, tree, _)| *tree == next);
            let joined: Vec<Point> = joined.map(|(point, ..)| point).collect();
            for (point, _, nearest) in &mut apart {
                for other in &joined {
                    *nearest = (*nearest).min(point.squared_distance(*other));
                }
            }
            let Some(&(_, tree, square)) = apart.iter().min_by_key(|(_, _, square)| *square) else {
                return;
            };
            *self.lengths.entry(square).or_default() += 1;
            next = tree;
        }
    }
}

/// The area of the convex hull of points in row-major order, by Andrew's monotone chain; 0 where they are in
/// one line.
pub(crate) fn hull_area(points: &[Point]) -> f64 {
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
        chain.pop();
        chain
    };
    let mut hull = half(&mut points.iter().copied());
    hull.extend(half(&mut points.iter().rev().copied()));
    let cross = |a: Point, b: Point| {
        i64::from(a.row) * i64::from(b.column) - i64::from(a.column) * i64::from(b.row)
    };
    let twice: i64 = (0..hull.len())
        .map(|i| cross(hull[i], hull[(i + 1) % hull.len()]))
        .sum();
    twice.unsigned_abs() as f64 / 2.0
}

/// Positive where `c` is to the left of the way from `a` to `b`.
fn turn(a: Point, b: Point, c: Point) -> i64 {
    let (rows, columns) = (i64::from(b.row - a.row), i64::from(b.column - a.column));
    rows * i64::from(c.column - a.column) - columns * i64::from(c.row - a.row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Prim over all pairs.
    fn plain(points: &[Point]) -> f64 {
        let mut nearest = vec![u64::MAX; points.len()];
        let (mut left, mut last): (Vec<usize>, usize) = ((1..points.len()).collect(), 0);
        let mut length = 0.0;
        while !left.is_empty() {
            for &i in &left {
                nearest[i] = nearest[i].min(points[i].squared_distance(points[last]));
            }
            let place = (0..left.len()).min_by_key(|&p| nearest[left[p]]).unwrap();
            last = left.swap_remove(place);
            length += (nearest[last] as f64).sqrt();
        }
        length
    }

    fn points(places: &BTreeSet<(i32, i32)>) -> Vec<Point> {
        let point = |&(row, column): &(i32, i32)| Point { row, column };
        places.iter().map(point).collect()
    }

    proptest! {
        #[test]
        fn the_tree_is_the_one_of_all_pairs(
            clusters in prop::collection::vec(((0..60i32, 0..60i32), prop::collection::vec((0..5i32, 0..5i32), 1..20)), 1..6),
        ) {
            let places = clusters.iter().flat_map(|((row, column), of)| of.iter().map(move |(r, c)| (row + r, column + c)));
            let points = points(&places.collect());
            prop_assert!((tree_length(&points) - plain(&points)).abs() < 1e-9);
        }

        /// Of all triangles of points none is larger, and a fan of triangles from one corner covers it.
        #[test]
        fn the_hull_is_that_of_gift_wrapping(places in prop::collection::btree_set((0..9i32, 0..9i32), 3..20)) {
            let points = points(&places);
            let mut hull = vec![points[0]];
            loop {
                let last = hull[hull.len() - 1];
                let others = points.iter().copied().filter(|&p| p != last);
                // The one that no other is to the right of, the farthest of several in one line.
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
        let places = |of: &[(i32, i32)]| points(&of.iter().copied().collect());
        assert_eq!(hull_area(&places(&[(0, 0), (0, 1), (1, 0), (1, 1)])), 1.0);
        assert_eq!(
            hull_area(&places(&[(0, 0), (3, 1), (1, 4), (1, 1), (2, 2)])),
            5.5
        );
        assert_eq!(hull_area(&places(&[(0, 0), (1, 1), (2, 2)])), 0.0);
        assert_eq!(hull_area(&places(&[(4, 2)])), 0.0);
        assert_eq!(tree_length(&places(&[(4, 2)])), 0.0);
        assert_eq!(
            tree_length(&places(&[(0, 0), (0, 100), (30, 40)])),
            50.0 + 30f64.hypot(60.0)
        );
    }
}
