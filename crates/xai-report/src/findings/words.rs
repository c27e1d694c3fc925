//! Numbers, lists and verdicts as findings say them.

use crate::estimate::Estimate;
use crate::finding::Verdict;
use crate::text::{decimals, interval};

/// `0.9512 [0.9230, 0.9698]`
pub(super) fn with_interval(estimate: &Estimate) -> String {
    match estimate.interval {
        Some(ends) => format!("{} {}", decimals(estimate.value), interval(Some(ends))),
        None => decimals(estimate.value),
    }
}

/// `a, b and c`
pub(super) fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Where an interval lies beside a level of chance; `None` without one.
pub(super) fn beside(estimate: &Estimate, chance: f64) -> Option<Verdict> {
    let [low, high] = estimate.interval?;
    Some(if low > chance {
        Verdict::AboveChance
    } else if high < chance {
        Verdict::BelowChance
    } else {
        Verdict::NotToldApart
    })
}

/// `1 sample`, `2 samples`
pub(super) fn count(n: u64, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_above_chance_below_it_or_neither() {
        let of = |interval| {
            beside(
                &Estimate {
                    interval,
                    ..Estimate::default()
                },
                0.5,
            )
        };
        assert_eq!(of(Some([0.51, 0.9])), Some(Verdict::AboveChance));
        assert_eq!(of(Some([0.5, 0.9])), Some(Verdict::NotToldApart));
        assert_eq!(of(Some([0.1, 0.49])), Some(Verdict::BelowChance));
        assert_eq!(of(None), None);
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }
}
