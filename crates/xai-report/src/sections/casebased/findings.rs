//! Findings about correspondence of right and wrong predictions.

use crate::findings::{Finding, Verdict};
use crate::findings::{IntervalRule, count, with_interval};
use crate::sections::casebased::data::{Casebased, Group};

pub(super) fn findings(section: &Casebased) -> Vec<Finding> {
    let mut findings = vec![right_from_wrong(section)];
    let wrong = section.wrong.as_ref();
    findings.extend(wrong.and_then(|wrong| confident_and_wrong(section, wrong)));
    let n_undefined = section.mean_correspondence.n_undefined;
    if n_undefined > 0 {
        let n = count(section.n_test as u64, "prediction");
        let text = format!("Correspondence is undefined for {n_undefined} of {n}.");
        findings.push(Finding::new(&section.origin, Verdict::Undefined, text));
    }
    findings
}

/// Compares the AUROC of right against wrong predictions with 0.5.
fn right_from_wrong(section: &Casebased) -> Finding {
    if let Some(auroc) = &section.auroc_of_right {
        let rule = IntervalRule {
            estimate: auroc,
            chance: 0.5,
            name: "AUROC",
            sentences: [
                "Right predictions have more support among their nearest cases than wrong ones",
                "Correspondence does not distinguish right from wrong predictions better than chance",
                "Wrong predictions have more support among their nearest cases than right ones",
                "There are too few predictions to decide whether correspondence distinguishes right from wrong ones",
            ],
            consequence: ": low correspondence is a warning for this data",
        };
        return rule.finding(&section.origin);
    }
    let mean = &section.mean_correspondence;
    let why = match (&section.right, &section.wrong) {
        (Some(right), Some(_)) if right.n == 0 => "no prediction is right",
        (Some(_), Some(_)) => "no prediction is wrong",
        _ => "no true class is known",
    };
    let text = format!(
        "Mean correspondence is {}; whether it distinguishes right from wrong predictions is undefined, because {why}.",
        with_interval(mean)
    );
    Finding::new(&section.origin, Verdict::Undefined, text).with(mean)
}

/// Wrong predictions with high correspondence, which are the bins of the histogram from 0.85 on.
fn confident_and_wrong(section: &Casebased, wrong: &Group) -> Option<Finding> {
    let histogram = &wrong.histogram;
    let is_high = |&(bin, _): &(usize, &u64)| histogram.bin(bin).0 > 0.85 - 1e-9;
    let bins = histogram.counts.iter().enumerate();
    let high: u64 = bins.filter(is_high).map(|(_, n)| n).sum();
    let text = format!(
        "{high} of {} have a high correspondence (0.85 or more).",
        count(wrong.n, "wrong prediction")
    );
    (wrong.n > 0).then(|| Finding::new(&section.origin, Verdict::Note, text))
}
