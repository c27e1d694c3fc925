//! Random rows with a fixed seed, of distributions for which different search engines are the fastest.

use ndarray::Array2;
use xai_core::random::{random_stream, uniform, uniform_index};

/// Random stream of rows. The functions below use the item 0 for training rows and 1 for queries.
type Stream = xai_core::random::RandomStream;

fn normal(stream: &mut Stream) -> f64 {
    let (u, v) = (1.0 - uniform(stream), uniform(stream));
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Returns rows of independent normal features, the hardest case for a tree.
#[must_use]
pub fn normals(n: usize, d: usize, item: u64) -> Array2<f64> {
    let mut stream = random_stream(1, item);
    Array2::from_shape_simple_fn((n, d), || normal(&mut stream))
}

/// Returns rows of independent features, uniform in [0, 1).
#[must_use]
pub fn uniforms(n: usize, d: usize, item: u64) -> Array2<f64> {
    let mut stream = random_stream(2, item);
    Array2::from_shape_simple_fn((n, d), || uniform(&mut stream))
}

/// Returns rows in clusters of standard deviation 1 around centres that are uniform in [-10, 10).
#[must_use]
pub fn clusters(n: usize, d: usize, n_clusters: usize, item: u64) -> Array2<f64> {
    let mut centre_stream = random_stream(3, 0);
    let centres = Array2::from_shape_simple_fn((n_clusters, d), || {
        20.0 * uniform(&mut centre_stream) - 10.0
    });
    let mut stream = random_stream(3, 1 + item);
    let mut rows = Array2::zeros((n, d));
    for mut row in rows.rows_mut() {
        let centre = centres.row(uniform_index(&mut stream, n_clusters));
        for (x, centre) in row.iter_mut().zip(centre) {
            *x = centre + normal(&mut stream);
        }
    }
    rows
}

/// Returns images of 8 × 8 pixels from 0 to 16 that resemble scanned digits. There are 1 797 drawings, each a slightly
/// distorted copy of one of ten templates of three blurred strokes. Every row is a drawing with normal noise of
/// standard deviation `noise`.
#[must_use]
pub fn digits(n: usize, noise: f64, item: u64) -> Array2<f64> {
    const DRAWINGS: usize = 1_797;
    let mut drawing_stream = random_stream(4, 0);
    let templates: Vec<[f64; 12]> = (0..10)
        .map(|_| std::array::from_fn(|_| 1.0 + 5.0 * uniform(&mut drawing_stream)))
        .collect();
    let drawings: Vec<[f64; 64]> = (0..DRAWINGS)
        .map(|i| {
            let distorted = templates[i % 10].map(|x| x + 0.5 * normal(&mut drawing_stream));
            drawing(&distorted, 0.8 + 0.2 * uniform(&mut drawing_stream))
        })
        .collect();
    let mut stream = random_stream(4, 1 + item);
    let mut rows = Array2::zeros((n, 64));
    for mut row in rows.rows_mut() {
        let drawing = &drawings[uniform_index(&mut stream, DRAWINGS)];
        for (x, pixel) in row.iter_mut().zip(drawing) {
            *x = pixel + noise * normal(&mut stream);
        }
    }
    rows
}

/// Draws three blurred strokes between points `(x0, y0, x1, y1)`, with grey values that are whole numbers.
fn drawing(strokes: &[f64; 12], width: f64) -> [f64; 64] {
    std::array::from_fn(|pixel| {
        let (x, y) = ((pixel % 8) as f64, (pixel / 8) as f64);
        let ink = strokes.chunks(4).map(|s| {
            let (dx, dy) = (s[2] - s[0], s[3] - s[1]);
            // Distance to the nearest point of the stroke.
            let projection = ((x - s[0]) * dx + (y - s[1]) * dy) / (dx * dx + dy * dy).max(1e-9);
            let along = projection.clamp(0.0, 1.0);
            let (ex, ey) = (x - s[0] - along * dx, y - s[1] - along * dy);
            (-(ex * ex + ey * ey) / (2.0 * width * width)).exp()
        });
        (16.0 * ink.fold(0.0, f64::max)).round()
    })
}
