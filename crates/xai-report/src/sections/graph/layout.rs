//! Layout of small graphs by stress majorization.
//!
//! The distance of two nodes in the drawing should be their distance `d_ij` in the graph (Kamada and Kawai 1989). The
//! layout minimises the stress,
//!
//! ```text
//! Σ_{i<j} (|x_i − x_j| − d_ij)² / d_ij²
//! ```
//!
//! by moving one node at a time to the minimum of a parabola that is nowhere below the stress and touches it at the
//! current position (Gansner, Koren and North 2004, *Graph drawing by stress majorization*). So the stress never grows.

use std::collections::VecDeque;

/// Steps of the starting circles, see [`layout`]. Several are tried, because the stress has several local minima, some
/// of which have more crossings.
const STARTS: [usize; 6] = [1, 2, 3, 5, 7, 11];
/// Largest number of rounds, in each of which every node is moved once. Drawings settle after some dozens.
const ROUNDS: usize = 200;
/// A round that lowers the stress by less than this share is the last.
const SETTLED: f64 = 1e-5;
/// Distance up to which two nodes count as coincident.
const COINCIDENT: f64 = 1e-9;

/// Computes a position in [0, 1] × [0, 1] for each of `n` nodes, with both axes scaled alike. The result is the same
/// for the same graph on every machine. The ends of edges must be below `n`.
///
/// Drawings start from circles: node `i` at corner `i · step` of a regular polygon, for each step of [`STARTS`] without
/// a common divisor with `n`. The drawing with the least stress is returned, the first of equal ones.
pub(super) fn layout(n: usize, edges: &[(usize, usize)]) -> Vec<[f64; 2]> {
    let distances = distances(n, edges);
    let corners = circle(n);
    let mut best: Option<(f64, Vec<[f64; 2]>)> = None;
    // A step that shares a divisor with `n` puts nodes on each other.
    for step in STARTS.into_iter().filter(|&step| coprime(step, n)) {
        let start: Vec<[f64; 2]> = (0..n).map(|i| corners[i * step % n]).collect();
        let (stress, places) = settle(&start, &distances);
        if best.as_ref().is_none_or(|(least, _)| stress < *least) {
            best = Some((stress, places));
        }
    }
    best.map_or_else(Vec::new, |(_, places)| into_unit_square(&places))
}

/// True if two numbers have no common divisor except 1.
fn coprime(a: usize, b: usize) -> bool {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// Moves nodes until the stress hardly falls, and returns it with their places.
fn settle(start: &[[f64; 2]], distances: &[Vec<f64>]) -> (f64, Vec<[f64; 2]>) {
    let mut places = start.to_vec();
    let mut before = stress(&places, distances);
    for _ in 0..ROUNDS {
        for node in 0..places.len() {
            places[node] = better_place(node, &places, distances, start);
        }
        let after = stress(&places, distances);
        let settled = before - after <= SETTLED * before;
        before = after;
        if settled {
            break;
        }
    }
    (before, places)
}

/// Number of edges on the shortest path between each two nodes. Nodes without a path are one step farther apart than
/// the farthest nodes with a path, so that the parts of a graph stay near enough to fill one drawing.
fn distances(n: usize, edges: &[(usize, usize)]) -> Vec<Vec<f64>> {
    let mut neighbors = vec![Vec::new(); n];
    for &(a, b) in edges {
        neighbors[a].push(b);
        neighbors[b].push(a);
    }
    let steps: Vec<Vec<Option<usize>>> = (0..n).map(|node| steps_from(node, &neighbors)).collect();
    let farthest = steps.iter().flatten().flatten().max().copied();
    let beyond = farthest.unwrap_or(0) + 1;
    let distance = |steps: Option<usize>| steps.unwrap_or(beyond) as f64;
    steps
        .into_iter()
        .map(|steps| steps.into_iter().map(distance).collect())
        .collect()
}

/// Number of edges from a node to every other one; `None` if there is no path.
fn steps_from(node: usize, neighbors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut steps = vec![None; neighbors.len()];
    steps[node] = Some(0);
    let mut next = VecDeque::from([(node, 0)]);
    while let Some((node, taken)) = next.pop_front() {
        for &neighbor in &neighbors[node] {
            if steps[neighbor].is_none() {
                steps[neighbor] = Some(taken + 1);
                next.push_back((neighbor, taken + 1));
            }
        }
    }
    steps
}

/// The corners of a regular polygon.
fn circle(n: usize) -> Vec<[f64; 2]> {
    // Sine and cosine of the system may differ in the last bit between machines.
    let (sin, cos) = libm::sincos(std::f64::consts::TAU / n.max(1) as f64);
    let turn = |[x, y]: [f64; 2]| [x * cos - y * sin, x * sin + y * cos];
    std::iter::successors(Some([1.0, 0.0]), |&place| Some(turn(place)))
        .take(n)
        .collect()
}

/// New position of a node while all others stay: the mean, weighted by `1/d²`, of the positions at
/// the wanted distance from each other node in the direction of this node.
fn better_place(
    node: usize,
    places: &[[f64; 2]],
    distances: &[Vec<f64>],
    start: &[[f64; 2]],
) -> [f64; 2] {
    let (mut sum, mut weights) = ([0.0, 0.0], 0.0);
    for (other, &[x, y]) in places.iter().enumerate() {
        if other == node {
            continue;
        }
        let distance = distances[node][other];
        let weight = 1.0 / (distance * distance);
        let towards = match towards(places[node], [x, y]) {
            Some(direction) => direction,
            // The nodes coincide, so any direction is as good; that of the start is used.
            None => towards(start[node], start[other]).unwrap_or([1.0, 0.0]),
        };
        sum[0] += weight * (x + distance * towards[0]);
        sum[1] += weight * (y + distance * towards[1]);
        weights += weight;
    }
    if weights > 0.0 {
        [sum[0] / weights, sum[1] / weights]
    } else {
        places[node]
    }
}

/// The unit vector to a position from another; `None` if they coincide.
fn towards(to: [f64; 2], from: [f64; 2]) -> Option<[f64; 2]> {
    let [x, y] = [to[0] - from[0], to[1] - from[1]];
    let length = (x * x + y * y).sqrt();
    (length > COINCIDENT).then(|| [x / length, y / length])
}

/// Stress of a drawing: sum of squared relative deviations of the distances.
fn stress(places: &[[f64; 2]], distances: &[Vec<f64>]) -> f64 {
    let mut stress = 0.0;
    for (i, a) in places.iter().enumerate() {
        for (j, b) in places.iter().enumerate().skip(i + 1) {
            let (x, y) = (a[0] - b[0], a[1] - b[1]);
            let share = (x * x + y * y).sqrt() / distances[i][j] - 1.0;
            stress += share * share;
        }
    }
    stress
}

/// Places scaled by one factor so that the longer side of their box is 1; the shorter one is centred.
fn into_unit_square(places: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let ends = |axis: usize| {
        let values = places.iter().map(|place| place[axis]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        })
    };
    let (x, y) = (ends(0), ends(1));
    let extent = (x.1 - x.0).max(y.1 - y.0);
    let scaled = |value: f64, (low, high): (f64, f64)| {
        if extent > 0.0 {
            (0.5 + (value - (low + high) / 2.0) / extent).clamp(0.0, 1.0)
        } else {
            0.5
        }
    };
    places
        .iter()
        .map(|place| [scaled(place[0], x), scaled(place[1], y)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(a: [f64; 2], b: [f64; 2]) -> f64 {
        ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
    }

    #[test]
    fn a_path_is_drawn_as_a_line() {
        let places = layout(4, &[(0, 1), (1, 2), (2, 3)]);
        let whole = length(places[0], places[3]);
        for pair in places.windows(2) {
            assert!(
                (length(pair[0], pair[1]) / whole - 1.0 / 3.0).abs() < 0.01,
                "{places:?}"
            );
        }
    }

    #[test]
    fn a_triangle_is_equilateral_and_keeps_its_shape() {
        let places = layout(3, &[(0, 1), (1, 2), (2, 0)]);
        let sides = [(0, 1), (1, 2), (2, 0)].map(|(a, b)| length(places[a], places[b]));
        assert!(
            (sides[0] - sides[1]).abs() < 1e-6 && (sides[1] - sides[2]).abs() < 1e-6,
            "{sides:?}"
        );
    }

    #[test]
    fn a_house_is_drawn_without_crossings_in_any_node_order() {
        // A square with a roof, and a path from one corner.
        let house = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 5)];
        for order in [
            [0, 1, 2, 3, 4, 5],
            [4, 0, 2, 5, 1, 3],
            [5, 3, 1, 0, 4, 2],
            [2, 4, 5, 3, 0, 1],
        ] {
            let edges = house.map(|(a, b)| (order[a], order[b]));
            let places = layout(6, &edges);
            for (i, &(a, b)) in edges.iter().enumerate() {
                for &(c, d) in &edges[..i] {
                    let [a, b, c, d] = [a, b, c, d].map(|node| places[node]);
                    assert!(!cross(a, b, c, d), "{order:?} {places:?}");
                }
            }
        }
    }

    /// Whether two lines cross between their ends.
    fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> bool {
        let side = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
            let turn = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
            // Lines that share an end touch, and do not cross.
            if turn.abs() < 1e-9 {
                0.0
            } else {
                turn.signum()
            }
        };
        side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
    }

    #[test]
    fn every_graph_fits_the_square() {
        // A star, two parts, a node without edges, loops and doubles, one node, none.
        let star: Vec<(usize, usize)> = (1..40).map(|leaf| (0, leaf)).collect();
        let graphs: [(usize, &[(usize, usize)]); 5] = [
            (40, &star),
            (5, &[(0, 1), (2, 3)]),
            (3, &[(0, 0), (0, 1), (1, 0)]),
            (1, &[]),
            (0, &[]),
        ];
        for (n, edges) in graphs {
            let places = layout(n, edges);
            assert_eq!(places.len(), n);
            assert!(places.iter().flatten().all(|x| (0.0..=1.0).contains(x)));
            for (i, &a) in places.iter().enumerate() {
                let nearest = places[..i].iter().map(|&b| length(a, b));
                assert!(nearest.fold(1.0, f64::min) > 0.01, "{n} {i}: {places:?}");
            }
        }
    }

    #[test]
    fn nodes_on_each_other_move_apart() {
        let distances = distances(3, &[(0, 1), (1, 2), (2, 0)]);
        let mut places = vec![[0.25, 0.25]; 3];
        for _ in 0..100 {
            for node in 0..3 {
                places[node] = better_place(node, &places, &distances, &circle(3));
            }
        }
        assert!(stress(&places, &distances) < 1e-9, "{places:?}");
    }
}
