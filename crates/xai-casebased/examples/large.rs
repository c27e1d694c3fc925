//! Explains 1 000 samples against 284 807 × 30 training rows, the size of a year of card payments,
//! and says how long it took: `cargo run --release -p xai-casebased --example large`. Under
//! `/usr/bin/time -v` it shows what that takes in memory (the rows themselves are 68 MB).
use std::time::Instant;

use ndarray::Array2;
use xai_casebased::{Accumulator, Audit, CaseExplainer};
use xai_core::random::{random_stream, uniform};

fn main() -> Result<(), xai_casebased::Error> {
    let rows = |n: usize, item: u64| {
        let mut stream = random_stream(1, item);
        Array2::from_shape_simple_fn((n, 30), || {
            uniform(&mut stream) + uniform(&mut stream) - 1.0
        })
    };
    let train = rows(284_807, 0);
    let labels: Vec<u8> = train.column(0).iter().map(|&x| u8::from(x > 0.5)).collect();
    let samples = rows(1_000, 1);
    let truth: Vec<u8> = samples
        .column(0)
        .iter()
        .map(|&x| u8::from(x > 0.5))
        .collect();

    let start = Instant::now();
    let explainer = CaseExplainer::builder().fit_owned(train, &labels)?;
    println!("{} in {:.2?}", explainer.training_info(), start.elapsed());

    let start = Instant::now();
    let explanations = explainer.explain_votes(samples.view())?;
    println!(
        "{} explanations in {:.2?}",
        explanations.len(),
        start.elapsed()
    );
    println!("\n{}\n", explanations[0]);

    let mut audit = Audit::new();
    audit.update(&explainer.with_truth(explanations, &truth)?)?;
    println!("{}", audit.finish()?);
    Ok(())
}
