//! Does correspondence tell right from wrong predictions?

use super::words::{beside, count, with_interval};
use crate::finding::{Finding, Verdict};
use crate::section::casebased::{Casebased, Group};

pub(super) fn findings(section: &Casebased) -> Vec<Finding> {
    let mut findings = vec![told_apart(section)];
    findings.extend(
        section
            .wrong
            .as_ref()
            .and_then(|wrong| confident_and_wrong(section, wrong)),
    );
    let n_undefined = section.mean_correspondence.n_undefined;
    if n_undefined > 0 {
        findings.push(Finding {
            section: section.origin.id.clone(),
            verdict: Verdict::Undefined,
            text: format!(
                "{} of {} have no correspondence.",
                n_undefined,
                count(section.n_test as u64, "prediction")
            ),
            estimate: None,
        });
    }
    findings
}

/// The AUROC of right against wrong predictions beside ½.
fn told_apart(section: &Casebased) -> Finding {
    let finding = |verdict, text: String, estimate| Finding {
        section: section.origin.id.clone(),
        verdict,
        text,
        estimate: Some(estimate),
    };
    let Some(auroc) = &section.auroc_of_right else {
        let mean = section.mean_correspondence;
        let why = match (&section.right, &section.wrong) {
            (Some(right), Some(_)) if right.n == 0 => "no prediction is right",
            (Some(_), Some(_)) => "no prediction is wrong",
            _ => "no true class is known",
        };
        let text = format!(
            "Mean correspondence is {}; whether it tells right from wrong predictions cannot be said, for {why}.",
            with_interval(&mean)
        );
        return finding(Verdict::Undefined, text, mean);
    };
    let number = format!("AUROC {}, chance 0.5", with_interval(auroc));
    match beside(auroc, 0.5) {
        Some(Verdict::AboveChance) => finding(
            Verdict::AboveChance,
            format!(
                "Right predictions have more support among their nearest cases than wrong ones ({number}): low correspondence is a warning here."
            ),
            *auroc,
        ),
        Some(Verdict::BelowChance) => finding(
            Verdict::BelowChance,
            format!(
                "Wrong predictions have more support among their nearest cases than right ones ({number})."
            ),
            *auroc,
        ),
        Some(verdict) => finding(
            verdict,
            format!(
                "Correspondence does not tell right from wrong predictions beyond chance ({number})."
            ),
            *auroc,
        ),
        None => finding(
            Verdict::Undefined,
            format!(
                "There are too few predictions to say whether correspondence tells right from wrong ({number})."
            ),
            *auroc,
        ),
    }
}

/// Wrong predictions that their neighbours agree with: the last bins of the distribution, from 0.85 on, where
/// correspondence is called high.
fn confident_and_wrong(section: &Casebased, wrong: &Group) -> Option<Finding> {
    let histogram = &wrong.histogram;
    let is_high = |&(bin, _): &(usize, &u64)| histogram.bin(bin).0 > 0.85 - 1e-9;
    let high: u64 = histogram
        .counts
        .iter()
        .enumerate()
        .filter(is_high)
        .map(|(_, n)| n)
        .sum();
    (wrong.n > 0).then(|| Finding {
        section: section.origin.id.clone(),
        verdict: Verdict::Described,
        text: format!(
            "{high} of {} have a high correspondence (0.85 and more) all the same.",
            count(wrong.n, "wrong prediction")
        ),
        estimate: None,
    })
}
