//! Intervals over runs for the coefficients of agreement.

use xai_core::{Interval, Result};

use crate::across_runs::agreement::Agreement;
use crate::across_runs::agreement_coefficient::AgreementCoefficient;
use crate::across_runs::equal_pairs::equal_of_pairs;
use crate::counting::pairs::pairs;
use crate::interval::run_interval::{RunInterval, interval_over_runs};
use crate::packed::packed_runs::PackedRuns;

/// An interval over *runs* for a coefficient: runs are left out, or drawn again, with all their
/// predictions. `None` below three runs, and where the coefficient is undefined for all runs or without
/// one of them.
///
/// # Errors
/// As [`Agreement::from_packed`](crate::Agreement::from_packed); [`InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a level outside (0, 1) or no
/// replicates.
///
/// ```
/// use ndarray::array;
/// use xai_repro::across_runs::{AgreementCoefficient, agreement_interval};
/// use xai_repro::{Agreement, PackedRuns, RunInterval, registry::PAIR_METRICS};
/// let runs = array![[0, 0, 1, 1, 1], [0, 1, 1, 1, 0], [0, 0, 1, 0, 1], [1, 0, 1, 1, 1]];
/// let packed = PackedRuns::new(PAIR_METRICS, runs.view(), &[0, 0, 1, 1, 1])?;
/// let kappa = Agreement::from_packed(&packed)?.fleiss_kappa().unwrap();
/// let coefficient = AgreementCoefficient::FleissKappa;
/// let around = agreement_interval(&packed, coefficient, RunInterval::jackknife())?.unwrap();
/// assert!((0.5 * (around.low + around.high) - kappa).abs() < 1e-12);
/// # Ok::<(), xai_repro::Error>(())
/// ```
pub fn agreement_interval(
    packed: &PackedRuns,
    coefficient: AgreementCoefficient,
    interval: RunInterval,
) -> Result<Option<Interval>> {
    let equal = equal_of_pairs(packed)?;
    let k = packed.n_runs();
    interval_over_runs(k, interval, |times| {
        let agreeing = pairs(k).zip(&equal).map(|((i, j), &equal)| {
            2 * u128::from(times[i]) * u128::from(times[j]) * u128::from(equal)
        });
        // A run drawn alone has no pairs, copies of itself included.
        let n_drawn = times.iter().filter(|&&t| t > 0).count();
        let agreement = Agreement::from_repeated(&packed.totals, times, agreeing.sum());
        (n_drawn > 1).then(|| (coefficient.score().value)(&agreement))?
    })
}
