//! Assignments of runs to two groups.

use xai_core::parallel;
use xai_core::random::{random_stream, uniform_index};

/// Which runs are in the first group, for each assignment but the actual one.
pub(super) struct Assignments {
    pub(super) n_first: usize,
    pub(super) n_runs: usize,
    /// Whether these are all there are; else they were drawn.
    pub(super) exact: bool,
    pub(super) others: Vec<Vec<bool>>,
}

impl Assignments {
    /// All there are beside the actual one if they are no more, else drawn ones.
    pub(super) fn new(n_first: usize, n_runs: usize, at_most: u64, seed: u64) -> Self {
        let actual: Vec<bool> = (0..n_runs).map(|run| run < n_first).collect();
        let exact = count(n_runs, n_first).is_some_and(|all| all <= at_most);
        let others = if exact {
            let mut others = Vec::new();
            let mut next = actual;
            while advance(&mut next) {
                others.push(next.clone());
            }
            others
        } else {
            let n = usize::try_from(at_most - 1).unwrap_or(usize::MAX);
            parallel::map(n, |item| {
                let mut stream = random_stream(seed, item as u64);
                let mut shuffled = actual.clone();
                for i in 0..n_runs {
                    let drawn = i + uniform_index(&mut stream, n_runs - i);
                    shuffled.swap(i, drawn);
                }
                shuffled
            })
        };
        Self {
            n_first,
            n_runs,
            exact,
            others,
        }
    }
}

/// The number of ways to choose `k` of `n`; `None` beyond 2^64.
fn count(n: usize, k: usize) -> Option<u64> {
    (0..k.min(n - k) as u64).try_fold(1u64, |ways, i| {
        let product = u128::from(ways) * u128::from(n as u64 - i) / u128::from(i + 1);
        u64::try_from(product).ok()
    })
}

/// The next choice in descending lexicographic order, from the one that chooses the first; false after
/// the last.
fn advance(chosen: &mut [bool]) -> bool {
    // The last chosen one that can move right does, and those after it follow closely.
    let Some(at) = (0..chosen.len().saturating_sub(1))
        .rev()
        .find(|&i| chosen[i] && !chosen[i + 1])
    else {
        return false;
    };
    let after = chosen[at + 2..].iter().filter(|&&is| is).count();
    chosen[at] = false;
    chosen[at + 1] = true;
    for (i, is) in chosen[at + 2..].iter_mut().enumerate() {
        *is = i < after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_assignment_is_met_once() {
        for (n, k) in [(4, 2), (6, 3), (7, 2), (5, 4)] {
            let assignments = Assignments::new(k, n, 1000, 1);
            let mut all = assignments.others.clone();
            all.push((0..n).map(|run| run < k).collect());
            assert_eq!(Some(all.len() as u64), count(n, k));
            all.sort();
            all.dedup();
            assert_eq!(Some(all.len() as u64), count(n, k));
            assert!(all.iter().all(|a| a.iter().filter(|&&is| is).count() == k));
        }
        assert_eq!(count(60, 30), Some(118_264_581_564_861_424));
        assert_eq!(count(200, 100), None);
    }
}
