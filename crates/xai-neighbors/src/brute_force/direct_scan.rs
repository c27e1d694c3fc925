//! A scan that computes the distance to every row in `f64`.

use xai_core::{Distance, parallel};

use crate::k_nearest::KNearest;
use crate::kernel::row_blocks::{QUERIES, RowBlocks};
use crate::nearest::{Nearest, Neighbors};
use crate::queries::Queries;
use crate::training_rows::TrainingRows;

/// A scan over all rows with the vectorised kernels.
#[derive(Debug, Clone)]
pub(crate) struct DirectScan {
    rows: RowBlocks,
}

impl DirectScan {
    pub(crate) fn new(rows: &TrainingRows, distance: &Distance) -> Self {
        Self {
            rows: RowBlocks::new(rows.n_rows(), rows.n_features(), distance, |i, to| {
                rows.write(i, to);
            }),
        }
    }

    /// Returns the neighbours of each query, and the number of rows that were offered to their lists.
    pub(crate) fn search_counting(
        &self,
        queries: &Queries<'_>,
        k: usize,
    ) -> (Vec<Neighbors>, usize) {
        let blocks = parallel::map_blocks(queries.len(), QUERIES, |range| {
            let mut best: Vec<KNearest> = range
                .clone()
                .map(|_| KNearest::new(k.min(self.rows.n_rows())))
                .collect();
            let mut offers = 0;
            if k == 0 {
                return (vec![Neighbors::default(); best.len()], offers);
            }
            // A thread compares all queries of its block with a tile of rows before the next tile, see `for_each_tile`.
            let prepared: Vec<_> = range.map(|i| self.rows.query(queries.row(i))).collect();
            self.rows.for_each_tile(best.len(), |i, first, n_blocks| {
                let best = &mut best[i];
                // The limit shrinks as neighbours are found, so later blocks compare ranks only and offer few rows.
                let limit = self.rows.rank_limit(best.limit());
                self.rows
                    .within(first, n_blocks, prepared[i], limit, |index, distance| {
                        offers += 1;
                        best.offer(Nearest { index, distance });
                    });
            });
            let found: Vec<_> = best.into_iter().map(KNearest::into_neighbors).collect();
            (found, offers)
        });
        let offers = blocks.iter().map(|(_, offers)| offers).sum();
        let found = blocks.into_iter().flat_map(|(found, _)| found).collect();
        (found, offers)
    }
}
