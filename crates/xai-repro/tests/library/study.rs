//! The simulation study, as it was stored.

use xai_repro::study::{MeanMetrics, StudyDraw, StudySettings, StudySummary};
use xai_repro::{ErrorKind, FAMILY, SimulationStudy, input};

fn study(seed: u64, n_samples: usize) -> SimulationStudy {
    let settings = StudySettings::default().seed(seed).n_samples(n_samples);
    SimulationStudy::new(settings).unwrap()
}

#[test]
fn the_metrics_of_a_draw_are_named_as_everywhere() {
    let names: Vec<&str> = FAMILY.infos().map(|metric| metric.name).collect();
    assert!(names.starts_with(&MeanMetrics::names().collect::<Vec<_>>()));
    let draw = study(1, 50).draw(0).unwrap();
    assert_eq!(draw.metrics.len(), MeanMetrics::names().len());
}

#[test]
fn draws_depend_on_the_seed_and_their_number_alone() {
    let first = study(1, 300);
    let draws = first.simulate(0..70).unwrap();
    assert_eq!(first.simulate(33..70).unwrap(), draws[33..]);
    assert_eq!(first.draw(50).unwrap(), draws[50]);
    let other = study(2, 300);
    assert_ne!(other.draw(50).unwrap(), draws[50]);
    for (draw, i) in draws.iter().zip(0..) {
        assert_eq!(draw.draw, i);
        assert!((2..=50).contains(&draw.n_classes));
        assert!(draw.accuracy >= 1.0 - draw.max_error_share - 1.0 / 300.0);
    }
}

#[test]
fn every_setting_occurs() {
    let draws = study(1, 20).simulate(0..2000).unwrap();
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
        assert!((250..420).contains(&count(&|draw| draw.label_distribution.to_string() == name)));
        assert!((250..420).contains(&count(&|draw| draw.error_distribution.to_string() == name)));
    }
    for c in [2, 50] {
        assert!((15..70).contains(&count(&|draw| draw.n_classes == c)));
    }
}

#[test]
fn a_study_goes_on_after_its_own_draws_alone() {
    let draws = study(1, 100).simulate(0..4).unwrap();
    assert!(study(1, 100).check_continues(&draws, 4).is_ok());
    assert!(study(1, 100).check_continues(&[], 4).is_ok());
    for (study, n_draws) in [(study(2, 100), 4), (study(1, 99), 4), (study(1, 100), 3)] {
        let other = study.check_continues(&draws, n_draws).unwrap_err();
        assert_eq!(other.input(), input::DRAWS);
        assert!(matches!(other.kind(), ErrorKind::Corrupt { .. }));
    }
    // The last draw of this study, but at another place.
    for part in [&draws[1..], &[draws[0].clone(), draws[2].clone()]] {
        let gap = study(1, 100).check_continues(part, 4).unwrap_err();
        assert_eq!(gap.input(), input::DRAWS);
    }
}

#[test]
fn bad_studies_are_named() {
    let of = |change: fn(&mut StudySettings)| {
        let mut settings = StudySettings::default();
        change(&mut settings);
        SimulationStudy::new(settings).unwrap_err()
    };
    let empty = of(|study| study.n_samples = 0);
    assert_eq!(empty.input(), input::N_SAMPLES);
    assert!(matches!(empty.kind(), ErrorKind::InvalidParameter { .. }));
    let runs = of(|study| study.n_runs = 1);
    assert_eq!(runs.input(), input::N_RUNS);
    assert!(matches!(runs.kind(), ErrorKind::InvalidParameter { .. }));
    let classes = of(|study| study.max_classes = 1);
    assert_eq!(classes.input().name(), "max_classes");
    assert!(matches!(classes.kind(), ErrorKind::InvalidParameter { .. }));
    let samples = of(|study| study.n_samples = usize::MAX);
    assert_eq!(samples.input(), input::N_SAMPLES);
    assert!(matches!(samples.kind(), ErrorKind::InvalidParameter { .. }));
    let none = StudySummary::new(&[]).unwrap_err();
    assert_eq!(none.input(), input::DRAWS);
    assert!(matches!(none.kind(), ErrorKind::Empty));
    let mut draws = study(1, 50).simulate(0..2).unwrap();
    draws[1].metrics.pop();
    let other = StudySummary::new(&draws).unwrap_err();
    assert_eq!((other.input(), other.index()), (input::DRAWS, &[1][..]));
}

#[cfg(feature = "serde")]
mod stored {
    use super::*;
    use xai_repro::Error;
    use xai_repro::study::{columns, read_draws, write_draws, write_header};

    fn file(draws: &[StudyDraw]) -> String {
        let mut file = Vec::new();
        write_header(&mut file).unwrap();
        write_draws(draws, &mut file).unwrap();
        String::from_utf8(file).unwrap()
    }

    #[test]
    fn an_interrupted_study_goes_on_with_the_same_rows() {
        let study = study(1, 100);
        let whole = file(&study.simulate(0..30).unwrap());
        for cut in [0, 5, 200, 1000, whole.len() - 1, whole.len()] {
            let (draws, bytes) = read_draws(&whole.as_bytes()[..cut]).unwrap();
            let mut resumed = whole.as_bytes()[..bytes as usize].to_owned();
            if bytes == 0 {
                write_header(&mut resumed).unwrap();
            }
            let rest = study.simulate(draws.len() as u64..30).unwrap();
            write_draws(&rest, &mut resumed).unwrap();
            assert_eq!(resumed, whole.as_bytes(), "{cut}");
        }
        let (draws, _) = read_draws(whole.as_bytes()).unwrap();
        assert_eq!(draws, study.simulate(0..30).unwrap());
    }

    /// The line that this project wrote before there was a writer of CSV in it.
    #[test]
    fn a_row_is_written_as_ever() {
        let mut draw = study(1, 50).draw(0).unwrap();
        draw.accuracy = 1.0;
        draw.max_error_share = 1e-7;
        draw.copied = None;
        draw.metrics = vec![None; draw.metrics.len()];
        draw.metrics[0] = Some(0.1);
        let file = file(&[draw.clone()]);
        let expected = format!(
            "{},{},{},{},{},{},0.0000001,,1,0.1{}",
            draw.draw,
            draw.n_classes,
            draw.label_distribution,
            draw.error_distribution,
            draw.error_reversed,
            draw.error_set,
            ",".repeat(draw.metrics.len() - 1)
        );
        let lines: Vec<&str> = file.lines().collect();
        assert_eq!(lines, [columns().collect::<Vec<_>>().join(","), expected]);
    }

    #[test]
    fn damaged_rows_are_named() {
        let whole = file(&study(1, 50).simulate(0..1).unwrap());
        let (header, row) = whole.trim_end().split_once('\n').unwrap();
        let damage = |text: String| -> Error {
            let damaged = read_draws(text.as_bytes()).unwrap_err();
            assert_eq!(damaged.input(), input::DRAWS);
            assert!(
                matches!(damaged.kind(), ErrorKind::Corrupt { .. }),
                "{damaged}"
            );
            damaged
        };
        assert!(damage("a,b\n".to_owned()).index().is_empty());
        assert!(damage("a,b".to_owned()).index().is_empty());
        assert!(damage(format!("{header}\r\n{row}\r\n")).index().is_empty());
        assert_eq!(damage(format!("{header}\n1,2\n")).index(), [0]);
        assert_eq!(
            damage(format!("{header}\n{}\n", row.replacen('0', "x", 1))).index(),
            [0]
        );
        assert_eq!(damage(format!("{header}\n{row}\n{row}\n")).index(), [1]);
        let cells: Vec<&str> = row.split(',').collect();
        for (place, cell) in [
            (6, ""),
            (6, "inf"),
            (8, "NaN"),
            (9, "inf"),
            (4, "yes"),
            (5, "any"),
        ] {
            let mut cells = cells.clone();
            cells[place] = cell;
            assert_eq!(
                damage(format!("{header}\n{}\n", cells.join(","))).index(),
                [0]
            );
        }
    }

    /// The summary of draws of seed 1, as this project stored it, to the last bit: every operation
    /// on the way is one that all machines round alike. Metrics that are not in it are newer.
    fn check() {
        let draws = study(1, 1000).simulate(0..25_000).unwrap();
        let stored = include_str!("../golden/study_seed_1.json").trim();
        let mut summary = StudySummary::new(&draws).unwrap();
        let is_stored = |name: &str| stored.contains(&format!("\"metric\": \"{name}\""));
        summary.metrics.retain(|metric| is_stored(&metric.metric));
        // As text: reading a number may be off by its last bit, writing it is not.
        let summary = serde_json::to_string_pretty(&summary).unwrap();
        assert_eq!(summary.trim(), stored);
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
