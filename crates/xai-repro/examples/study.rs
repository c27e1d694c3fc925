//! The simulation study: time, memory, and what it says.
//!
//! ```text
//! cargo run --release -p xai-repro --example study [DRAWS [json]]
//! ```
//!
//! With `--features serde` and `json` it prints the summary as the golden file
//! `tests/golden/study_seed_1.json` holds it.

use std::time::Instant;

use xai_repro::study::{StudySettings, StudySummary};
use xai_repro::{Result, SimulationStudy};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let draws = arguments.next().and_then(|x| x.parse().ok());
    let draws: u64 = draws.unwrap_or(25_000);
    let start = Instant::now();
    let rows = SimulationStudy::new(StudySettings::default())?.simulate(0..draws)?;
    let drawn_in = start.elapsed().as_secs_f64();
    let summary = StudySummary::new(&rows)?;
    let summarized_in = start.elapsed().as_secs_f64() - drawn_in;
    #[cfg(feature = "serde")]
    if arguments.next().as_deref() == Some("json") {
        println!(
            "{}",
            serde_json::to_string_pretty(&summary).unwrap_or_default()
        );
        return Ok(());
    }
    print!("{summary}");
    println!("{draws} draws in {drawn_in:.2} s, summarised in {summarized_in:.2} s");
    Ok(())
}
