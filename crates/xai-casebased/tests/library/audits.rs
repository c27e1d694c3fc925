//! Laws of the audit.

use ndarray::Array2;
use proptest::prelude::*;
use xai_casebased::result::ExplanationSummary;
use xai_casebased::{Accumulator, Audit, CaseExplainer, ErrorKind, Explanation, Level, input};

fn explanations() -> impl Strategy<Value = Vec<Explanation>> {
    prop::collection::vec(
        (0u8..6, 0i64..3, prop::option::of(0i64..3), any::<bool>()),
        1..60,
    )
    .prop_map(|samples| {
        let train =
            Array2::from_shape_fn((12, 1), |(i, _)| f64::from(u8::try_from(i % 6).unwrap()));
        let labels: Vec<i64> = (0..12).map(|i| i % 3).collect();
        let fit = |weight| {
            let builder = CaseExplainer::builder().k(4).class_weight(0, weight);
            let builder = builder.class_weight(1, weight).class_weight(2, weight);
            builder.fit(train.view(), &labels).unwrap()
        };
        let (explainer, silent) = (fit(1.0), fit(0.0));
        samples
            .into_iter()
            .map(|(x, predicted, truth, weighs)| {
                let explainer = if weighs { &explainer } else { &silent };
                let mut e = explainer
                    .explain(ndarray::array![f64::from(x)].view(), predicted)
                    .unwrap();
                e.truth = truth;
                e
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn any_split_merged_in_any_order_is_the_whole(all in explanations(), cut in any::<prop::sample::Index>()) {
        let mut whole = Audit::listing(7).with_cases().with_distribution();
        whole.update(&all).unwrap();
        let cut = cut.index(all.len());
        let mut left = Audit::listing(7).with_cases().with_distribution();
        left.update(&all[..cut]).unwrap();
        let mut right = Audit::listing(7).with_cases().with_distribution().starting_at(cut);
        for explanation in all[cut..].chunks(3) {
            right.update(explanation).unwrap();
        }
        let (mut forward, mut backward) = (left.clone(), right.clone());
        forward.merge(right).unwrap();
        backward.merge(left).unwrap();
        let report = whole.finish().unwrap();
        prop_assert_eq!(&forward.finish().unwrap(), &report);
        prop_assert_eq!(&backward.finish().unwrap(), &report);
    }

    #[test]
    fn the_report_equals_a_direct_count(all in explanations()) {
        let mut audit = Audit::listing(5).with_distribution();
        audit.update(&all).unwrap();
        let report = audit.finish().unwrap();
        let distribution = report.distribution.as_ref().unwrap();
        for (group, correct) in [(&distribution.right, true), (&distribution.wrong, false)] {
            let scores = all.iter().filter(|e| e.is_correct() == Some(correct));
            let n = scores.filter_map(|e| e.correspondence.score).count() as u64;
            prop_assert_eq!(group.counts.iter().sum::<u64>(), n);
            prop_assert_eq!(group.interval.is_some(), n > 0);
        }
        let pairs = all.iter().flat_map(|right| all.iter().map(move |wrong| (right, wrong)));
        let pairs: Vec<f64> = pairs
            .filter(|(right, wrong)| right.is_correct() == Some(true) && wrong.is_correct() == Some(false))
            .filter_map(|(right, wrong)| {
                let (right, wrong) = (right.correspondence.score?, wrong.correspondence.score?);
                Some(if right == wrong { 0.5 } else { f64::from(u8::from(right > wrong)) })
            })
            .collect();
        let area = (!pairs.is_empty()).then(|| pairs.iter().sum::<f64>() / pairs.len() as f64);
        prop_assert_eq!(area.is_some(), distribution.auroc_of_right.is_some());
        prop_assert!((area.unwrap_or(0.0) - distribution.auroc_of_right.unwrap_or(0.0)).abs() < 1e-12);
        let scores: Vec<f64> = all.iter().filter_map(|e| e.correspondence.score).collect();
        prop_assert_eq!(report.n_samples, all.len());
        prop_assert_eq!(report.n_undefined, all.len() - scores.len());
        prop_assert_eq!(report.by_class.values().map(|c| c.n).sum::<usize>(), all.len());
        let judged = all.iter().filter(|e| e.truth.is_some()).count();
        prop_assert_eq!(report.right.n + report.wrong.n, judged);
        let binned = all.iter().filter(|e| e.truth.is_some() && e.correspondence.score.is_some());
        prop_assert_eq!(report.reliability.iter().map(|b| b.n).sum::<usize>(), binned.clone().count());
        for bin in &report.reliability {
            let inside: Vec<_> = binned.clone().filter(|e| {
                let score = e.correspondence.score.unwrap();
                score >= bin.from - 1e-12 && (score < bin.to + 1e-12 || bin.to == 1.0)
            }).collect();
            prop_assert!(inside.len() >= bin.n);
            if let Some(mean) = bin.mean_correspondence {
                prop_assert!(mean >= bin.from - 1e-12 && mean <= bin.to + 1e-12);
            }
        }
        if let Some(mean) = report.mean_correspondence {
            prop_assert!((mean - scores.iter().sum::<f64>() / scores.len() as f64).abs() < 1e-12);
        }
        if let Some(error) = report.expected_calibration_error {
            prop_assert!((0.0..=1.0).contains(&error));
        }
        let listed: Vec<f64> = report.least_supported.iter().map(|l| l.correspondence).collect();
        let mut sorted = scores.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.truncate(5);
        prop_assert_eq!(listed, sorted);
        prop_assert_eq!(report.cases, None);
    }

    #[test]
    fn the_cases_are_those_of_the_explanations(all in explanations()) {
        let mut audit = Audit::listing(5).with_cases();
        audit.update(&all).unwrap();
        let cases = audit.finish().unwrap().cases.unwrap();
        let levels = [Level::High, Level::Medium, Level::Low, Level::Undefined];
        for (count, level) in cases.levels.iter().zip(levels) {
            let n = all.iter().filter(|e| e.level() == level).count();
            prop_assert_eq!((count.level, count.n), (level, n));
        }
        // Nothing at all is less support than 0; equals by the order of the samples.
        let mut order: Vec<ExplanationSummary> = all.iter().map(Into::into).collect();
        order.iter_mut().enumerate().for_each(|(i, e)| e.sample = i);
        let support = |e: &ExplanationSummary| e.correspondence.unwrap_or(-1.0);
        order.sort_by(|a, b| support(a).total_cmp(&support(b)));
        order.truncate(5);
        prop_assert_eq!(&cases.least_supported, &order);
        // A format without names of fields keeps all bits; JSON rounds doubles when it is read, unless it is told not
        // to.
        #[cfg(feature = "persistence")]
        {
            let bytes = postcard::to_stdvec(&audit).unwrap();
            let again: Audit = postcard::from_bytes(&bytes).unwrap();
            prop_assert_eq!(&again.finish().unwrap().cases.unwrap(), &cases);
            let text = serde_json::to_string(&audit).unwrap();
            let again: Audit = serde_json::from_str(&text).unwrap();
            let again = again.finish().unwrap().cases.unwrap();
            prop_assert_eq!(again.levels, cases.levels);
            let samples = |of: &[ExplanationSummary]| -> Vec<_> {
                of.iter().map(|of| (of.sample, of.predicted, of.level)).collect()
            };
            prop_assert_eq!(samples(&again.least_supported), samples(&order));
        }
    }
}

#[test]
fn audits_of_nothing_and_of_different_kinds_are_refused() {
    let error = Audit::new().finish().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Empty));
    assert_eq!(error.input(), input::SAMPLES);
    let refused = |other: Audit| {
        let error = Audit::listing(3).merge(other).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidParameter { .. }));
        error.input()
    };
    assert_eq!(refused(Audit::listing(4)), input::N_LEAST_SUPPORTED);
    assert_eq!(refused(Audit::listing(3).with_cases()), input::CASES);
}

#[test]
fn a_merge_that_fails_changes_nothing() {
    let train = ndarray::array![[0.0], [1.0]];
    let explainer = CaseExplainer::builder().k(1);
    let explainer = explainer.fit(train.view(), &[0, 1]).unwrap();
    let explanations = explainer.explain_batch(train.view(), &[0, 1]).unwrap();
    let mut audit = Audit::listing(5).with_cases();
    audit.update(&explanations).unwrap();
    let report = audit.finish().unwrap();
    let mut with_distribution = Audit::listing(5).with_cases().with_distribution();
    with_distribution.update(&explanations).unwrap();
    for other in [with_distribution, Audit::listing(5), Audit::listing(4)] {
        let error = audit.merge(other).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidParameter { .. }));
        assert_eq!(audit.finish().unwrap(), report);
    }
}
