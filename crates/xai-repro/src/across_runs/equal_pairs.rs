//! On how many samples pairs of runs agree.

use xai_core::simd::InstructionSet;
use xai_core::{Error, Result, parallel};

use crate::counting::pair_tiles::{TileBuffers, count_tile};
use crate::counting::pairs::{Tile, n_pairs, pair_index};
use crate::packed::packed_runs::PackedRuns;
use crate::pair_metric::definition::PairNeeds;
use crate::{help, input};

/// On how many samples each pair agrees, pairs in order.
pub(super) fn equal_of_pairs(packed: &PackedRuns) -> Result<Vec<u64>> {
    let k = packed.n_runs();
    let of_tiles = equal_by_tile(packed, Vec::new, |pairs, pair, equal| {
        pairs.push((pair, equal))
    })?;
    let mut equal = vec![0; n_pairs(k)];
    for ((first, second), count) in of_tiles.into_iter().flatten() {
        equal[pair_index(k, first, second)] = count;
    }
    Ok(equal)
}

/// Folds the samples on which each pair agrees, tile of pairs by tile, in parallel.
pub(super) fn equal_by_tile<S: Send>(
    packed: &PackedRuns,
    state: impl Fn() -> S + Sync + Send,
    fold: impl Fn(&mut S, (usize, usize), u64) + Sync + Send,
) -> Result<Vec<S>> {
    if !packed.needs.equal {
        let expected = "runs packed for a metric of agreement";
        let error = Error::parameter(input::PACKED_RUNS, "errors alone", expected);
        return Err(error.with_help(help::PACK_FOR_AGREEMENT));
    }
    let tiles = Tile::cover(packed.n_runs(), parallel::threads());
    Ok(parallel::map(tiles.len(), |tile| {
        let mut state = state();
        count_tile(
            packed,
            &tiles[tile],
            PairNeeds::EQUAL,
            InstructionSet::fastest(),
            &mut TileBuffers::default(),
            |pair| fold(&mut state, (pair.first, pair.second), pair.equal),
        );
        state
    }))
}
