//! Pair metrics of this crate: consistency of errors and agreement of predictions.

use crate::named::impl_by_name;
use crate::pair_metric::definition::PairMetric;

mod agreement;
mod errors;

/// All pair metrics of this crate, in the order of reports.
pub const METRICS: &[PairMetric] = &[
    PairMetric::EC_LOCAL,
    PairMetric::EC_GLOBAL,
    PairMetric::EC_ACC,
    PairMetric::EC_CORR,
    PairMetric::EC_KAPPA,
    PairMetric::PA_ACC,
    PairMetric::PA_KAPPA,
    PairMetric::PA_CRAMERS_V,
    PairMetric::EC_MATTHEWS,
    PairMetric::PA_DISAGREEMENT,
    PairMetric::PA_NMI,
];

impl_by_name!(PairMetric, METRICS);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair_metric::definition::PairFormula;
    use crate::pair_metric::definition::{Cell, ClassTable, ErrorTable};

    fn of_errors(metric: PairMetric, errors: ErrorTable) -> Option<f64> {
        match metric.definition().formula {
            PairFormula::Errors(formula) => formula(&errors),
            _ => panic!("{metric} is not a metric of errors"),
        }
    }

    fn of_table(
        metric: PairMetric,
        n_samples: u64,
        cells: &[(u32, u32, u64)],
        rows: &[u64],
        columns: &[u64],
    ) -> Option<f64> {
        let cell = |&(row, column, count)| Cell { row, column, count };
        let cells: Vec<Cell> = cells.iter().map(cell).collect();
        match metric.definition().formula {
            PairFormula::Table(formula) => formula(&ClassTable {
                cells: &cells,
                rows,
                columns,
                n_samples,
            }),
            _ => panic!("{metric} is not a metric of tables"),
        }
    }

    #[test]
    fn an_error_table_by_hand() {
        let errors = ErrorTable {
            both: 1,
            first: 2,
            second: 3,
            n_samples: 10,
        };
        assert_eq!(errors.union(), 4);
        assert_eq!(of_errors(PairMetric::EC_LOCAL, errors), Some(0.25));
        assert_eq!(of_errors(PairMetric::EC_GLOBAL, errors), Some(0.1));
        // 1 both wrong, 6 both right
        assert_eq!(of_errors(PairMetric::EC_ACC, errors), Some(0.7));
        // Accuracies 0.8 and 0.7: 0.56 + 0.06 agree by chance, and 0.7 do.
        assert_eq!(of_errors(PairMetric::EC_KAPPA, errors), Some(8.0 / 38.0));
        // (10·1 − 2·3)/√(2·8·3·7)
        let correlation = Some(4.0 / 336f64.sqrt());
        assert_eq!(of_errors(PairMetric::EC_CORR, errors), correlation);
        assert_eq!(of_errors(PairMetric::EC_MATTHEWS, errors), correlation);
    }

    #[test]
    fn error_consistency_at_its_ends() {
        let kappa = |both, first, second| {
            let counts = ErrorTable {
                both,
                first,
                second,
                n_samples: 10,
            };
            of_errors(PairMetric::EC_KAPPA, counts)
        };
        assert_eq!(kappa(3, 3, 3), Some(1.0));
        // Each run errs exactly where the other does not.
        assert_eq!(kappa(0, 5, 5), Some(-1.0));
        // One run without errors agrees as often as by chance.
        assert_eq!(kappa(0, 0, 4), Some(0.0));
        assert_eq!((kappa(0, 0, 0), kappa(10, 10, 10)), (None, None));
    }

    #[test]
    fn cramers_v_by_hand() {
        let v =
            |n, cells, rows, columns| of_table(PairMetric::PA_CRAMERS_V, n, cells, rows, columns);
        let even: &[_] = &[(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)];
        assert_eq!(v(4, even, &[2, 2], &[2, 2]), Some(0.0));
        assert_eq!(v(8, &[(0, 0, 5), (1, 1, 3)], &[5, 3], &[5, 3]), Some(1.0));
        // Independent, with shares that are no numbers of the machine.
        let thirds: &[_] = &[
            (0, 0, 1),
            (0, 1, 2),
            (0, 2, 4),
            (1, 0, 2),
            (1, 1, 4),
            (1, 2, 8),
        ];
        assert_eq!(v(21, thirds, &[7, 14], &[3, 6, 12]), Some(0.0));
        // One sample away from independence: (n n_00 − r c)² = 1 in all four cells, χ²/n = 1/(r_0 r_1 c_0 c_1).
        let near: &[_] = &[
            (0, 0, 1_000_000),
            (0, 1, 1_000_001),
            (1, 0, 999_999),
            (1, 1, 1_000_000),
        ];
        let value = v(
            4_000_000,
            near,
            &[2_000_001, 1_999_999],
            &[1_999_999, 2_000_001],
        )
        .unwrap();
        assert!(
            (value * 2_000_001.0 * 1_999_999.0 - 1.0).abs() < 1e-12,
            "{value}"
        );
        assert_eq!(v(8, &[(0, 0, 5), (1, 0, 3)], &[5, 3], &[8]), None);
    }

    #[test]
    fn mutual_information_by_hand() {
        let nmi = |n, cells, rows, columns| of_table(PairMetric::PA_NMI, n, cells, rows, columns);
        let even: &[_] = &[(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)];
        assert_eq!(nmi(4, even, &[2, 2], &[2, 2]), Some(0.0));
        assert_eq!(nmi(8, &[(0, 1, 5), (1, 0, 3)], &[5, 3], &[3, 5]), Some(1.0));
        // Four equally likely classes, the second run tells two of them apart: 2 ln 2 / (ln 4 + ln 2).
        let halves: &[_] = &[(0, 0, 1), (1, 0, 1), (2, 1, 1), (3, 1, 1)];
        let value = nmi(4, halves, &[1, 1, 1, 1], &[2, 2]).unwrap();
        assert!((value - 2.0 / 3.0).abs() < 1e-15);
        // A constant run shares nothing with one that is not; two constant runs have nothing to share.
        assert_eq!(nmi(8, &[(0, 0, 5), (1, 0, 3)], &[5, 3], &[8]), Some(0.0));
        assert_eq!(nmi(8, &[(0, 0, 8)], &[8], &[8]), None);
        assert_eq!(nmi(1, &[(0, 0, 1)], &[1], &[1]), None);
    }
}
