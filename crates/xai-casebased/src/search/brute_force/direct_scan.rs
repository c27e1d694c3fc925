//! A scan that takes the distance to every row.

use xai_core::{Distance, parallel};

use crate::search::k_nearest::KNearest;
use crate::search::kernel::row_blocks::{MAX_BLOCKS, RowBlocks};
use crate::search::nearest::Nearest;
use crate::search::queries::Queries;
use crate::training::rows::TrainingRows;

/// Queries that pass over a tile of rows together: the tile comes from memory once for all of them.
const QUERIES: usize = 16;

/// Bytes of the rows in a tile: half of a first-level cache.
const TILE_BYTES: usize = 1 << 14;

/// All rows in blocks, each compared in full.
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

    pub(crate) fn search(&self, queries: &Queries<'_>, k: usize) -> Vec<Vec<Nearest>> {
        self.search_counting(queries, k).0
    }

    /// The answers, and how many rows were offered a place in them.
    pub(crate) fn search_counting(
        &self,
        queries: &Queries<'_>,
        k: usize,
    ) -> (Vec<Vec<Nearest>>, usize) {
        let blocks = parallel::map_blocks(queries.len(), QUERIES, |range| {
            let mut best: Vec<KNearest> = range
                .clone()
                .map(|_| KNearest::new(k.min(self.rows.n_rows())))
                .collect();
            let mut offers = 0;
            if k == 0 {
                return (vec![Vec::new(); best.len()], offers);
            }
            let block_bytes = 64 * self.rows.n_features();
            let step = (TILE_BYTES / block_bytes / MAX_BLOCKS).max(1) * MAX_BLOCKS;
            for tile in (0..self.rows.n_blocks()).step_by(step) {
                let end = (tile + step).min(self.rows.n_blocks());
                for (query, best) in range.clone().zip(&mut best) {
                    let query = self.rows.query(queries.row(query));
                    for first in (tile..end).step_by(MAX_BLOCKS) {
                        let limit = self.rows.rank_limit(best.limit());
                        self.rows
                            .within(first, end - first, query, limit, |index, distance| {
                                offers += 1;
                                best.offer(Nearest { index, distance });
                            });
                    }
                }
            }
            let found: Vec<_> = best.into_iter().map(KNearest::into_vec).collect();
            (found, offers)
        });
        let offers = blocks.iter().map(|(_, offers)| offers).sum();
        let found = blocks.into_iter().flat_map(|(found, _)| found).collect();
        (found, offers)
    }
}
