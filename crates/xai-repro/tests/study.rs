//! The simulation study, as it was stored.

use xai_repro::{Error, PairMetric, Study, StudyDraw, StudySummary};

#[test]
fn the_metrics_of_a_draw_are_named_as_everywhere() {
    for (name, metric) in StudyDraw::METRICS.iter().zip(PairMetric::ALL) {
        assert_eq!(*name, metric.name());
    }
}

#[test]
fn draws_depend_on_the_seed_and_their_number_alone() {
    let study = Study::builder().n_samples(300).build().unwrap();
    let draws = study.draws(0..70).unwrap();
    assert_eq!(study.draws(33..70).unwrap(), draws[33..]);
    assert_eq!(study.draw(50).unwrap(), draws[50]);
    let other = Study::builder().n_samples(300).seed(2).build().unwrap();
    assert_ne!(other.draw(50).unwrap(), draws[50]);
    for (draw, i) in draws.iter().zip(0..) {
        assert_eq!(draw.draw, i);
        assert!((2..=50).contains(&draw.n_classes));
        assert!(draw.accuracy >= 1.0 - draw.max_error_share - 1.0 / 300.0);
    }
}

#[test]
fn every_setting_occurs() {
    let draws = Study::builder()
        .n_samples(20)
        .build()
        .unwrap()
        .draws(0..2000)
        .unwrap();
    let count = |of: &dyn Fn(&StudyDraw) -> bool| draws.iter().filter(|draw| of(draw)).count();
    // Standard deviations are 22 for halves and 17 for sixths.
    assert!((900..1100).contains(&count(&|draw| draw.copied.is_some())));
    assert!((900..1100).contains(&count(&|draw| draw.error_reversed)));
    assert!((900..1100).contains(&count(&|draw| draw.error_set.to_string() == "fixed")));
    for name in [
        "flat",
        "balanced",
        "uniform",
        "exponential",
        "multimodal",
        "step",
    ] {
        assert!((250..420).contains(&count(&|draw| draw.label_distribution.name() == name)));
        assert!((250..420).contains(&count(&|draw| draw.error_distribution.name() == name)));
    }
    for c in [2, 50] {
        assert!((15..70).contains(&count(&|draw| draw.n_classes == c)));
    }
}

#[test]
fn an_interrupted_study_goes_on_with_the_same_rows() {
    let study = Study::builder().n_samples(100).build().unwrap();
    let mut whole = StudyDraw::csv_header() + "\n";
    for draw in study.draws(0..30).unwrap() {
        whole += &(draw.to_csv() + "\n");
    }
    for cut in [0, 5, 200, 1000, whole.len() - 1, whole.len()] {
        let (draws, bytes) = StudyDraw::read_csv(&whole.as_bytes()[..cut]).unwrap();
        let mut resumed = whole[..bytes as usize].to_owned();
        if bytes == 0 {
            resumed = StudyDraw::csv_header() + "\n";
        }
        for draw in study.draws(draws.len() as u64..30).unwrap() {
            resumed += &(draw.to_csv() + "\n");
        }
        assert_eq!(resumed, whole, "{cut}");
    }
    let (draws, _) = StudyDraw::read_csv(whole.as_bytes()).unwrap();
    assert_eq!(draws, study.draws(0..30).unwrap());
}

#[test]
fn damaged_rows_are_named() {
    let row = Study::builder()
        .n_samples(50)
        .build()
        .unwrap()
        .draw(0)
        .unwrap()
        .to_csv();
    let header = StudyDraw::csv_header();
    let message = |text: String| {
        StudyDraw::read_csv(text.as_bytes())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message("a,b\n".to_owned()),
        "draws of the study: another header"
    );
    assert_eq!(
        message(format!("{header}\n1,2\n")),
        "draws of the study: a line of 2 cells, expected 22"
    );
    assert_eq!(
        message(format!("{header}\n{}\n", row.replacen('0', "x", 1))),
        "draws of the study: \"x\" in column draw"
    );
    assert_eq!(
        message(format!("{header}\n{row}\n{row}\n")),
        "draws of the study: draw 0 where 1 was expected"
    );
    assert!(matches!(StudySummary::of(&[]), Err(Error::Empty { .. })));
    assert!(matches!(
        Study::builder().n_samples(0).build(),
        Err(Error::Empty { .. })
    ));
    assert!(matches!(
        Study::builder().n_runs(1).build(),
        Err(Error::TooFew { .. })
    ));
    assert!(matches!(
        Study::builder().max_classes(1).build(),
        Err(Error::TooFew { .. })
    ));
}

#[cfg(feature = "serde")]
mod stored {
    use super::*;

    /// The summary of draws of seed 1, as this project stored it, to the last bit: every operation
    /// on the way is one that all machines round alike.
    fn check() {
        let draws = Study::builder().build().unwrap().draws(0..25_000).unwrap();
        let summary = StudySummary::of(&draws).unwrap();
        // As text: reading a number may be off by its last bit, writing it is not.
        let summary = serde_json::to_string_pretty(&summary).unwrap();
        assert_eq!(
            summary.trim(),
            include_str!("golden/study_seed_1.json").trim()
        );
    }

    #[test]
    #[cfg(not(feature = "rayon"))]
    fn the_summary_of_seed_1_is_the_stored_one() {
        check();
    }

    #[test]
    #[cfg(feature = "rayon")]
    fn the_summary_of_seed_1_is_the_stored_one_on_any_number_of_threads() {
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(check);
        }
    }
}
