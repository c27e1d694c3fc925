//! Stored form of packed runs, and the checks that its bits are consistent.
//!
//! Only the bits are stored; counts and class tables are computed from them.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xai_core::{Error, Result};

use crate::input;
use crate::packed::bit_planes::{Block, planes_for};
use crate::packed::builder::{PackedRun, PackedRunsBuilder, Packer};
use crate::packed::class_tables::codes_of_planes;
use crate::packed::classes::Classes;
use crate::packed::packed_runs::PackedRuns;
use crate::pair_metric::definition::PairNeeds;

#[derive(Serialize, Deserialize)]
struct StoredRuns<'a> {
    #[serde(deserialize_with = "xai_core::stored::bounded_count")]
    n_samples: u64,
    needs: PairNeeds,
    /// Label of each class code.
    classes: Cow<'a, [i64]>,
    runs: Vec<StoredRun<'a>>,
}

#[derive(Serialize, Deserialize)]
struct StoredRun<'a> {
    wrong: Cow<'a, [Block]>,
    /// Bit planes of the class codes. Empty if only errors are packed, or if there is a single class.
    planes: Cow<'a, [Block]>,
}

#[derive(Serialize, Deserialize)]
struct StoredBuilder<'a> {
    labels: Cow<'a, [i64]>,
    packed: StoredRuns<'a>,
}

impl Serialize for PackedRuns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut planes = self.planes.runs.iter();
        let run = |wrong| StoredRun {
            wrong: Cow::Borrowed(wrong),
            planes: Cow::Borrowed(planes.next().map_or(&[], Vec::as_slice)),
        };
        let stored = StoredRuns {
            n_samples: self.totals.n_samples,
            needs: self.needs,
            classes: Cow::Borrowed(self.classes()),
            runs: self.wrong.iter().map(Vec::as_slice).map(run).collect(),
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PackedRuns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = StoredRuns::deserialize(deserializer)?;
        let n = stored.n_samples();
        let packed = stored.into_packer().and_then(|packer| packer.build(n));
        packed.map_err(D::Error::custom)
    }
}

impl Serialize for PackedRunsBuilder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn stored(run: &PackedRun) -> StoredRun<'_> {
            StoredRun {
                wrong: Cow::Borrowed(&run.wrong),
                planes: Cow::Borrowed(&run.planes),
            }
        }
        let stored = StoredBuilder {
            labels: Cow::Borrowed(&self.labels),
            packed: StoredRuns {
                n_samples: self.labels.len() as u64,
                needs: self.packer.needs,
                classes: Cow::Borrowed(self.packer.classes.labels()),
                runs: self.packer.runs.iter().map(stored).collect(),
            },
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PackedRunsBuilder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredBuilder { labels, packed } = StoredBuilder::deserialize(deserializer)?;
        let has_labels = packed.n_samples() == labels.len();
        let packer =
            ensure(has_labels, "not one label per sample").and_then(|()| packed.into_packer());
        Ok(Self {
            packer: packer.map_err(D::Error::custom)?,
            labels: labels.into_owned(),
        })
    }
}

/// Returns a `Corrupt` error with this reason if the condition is false.
fn ensure(condition: bool, why: &'static str) -> Result<()> {
    if condition {
        Ok(())
    } else {
        Err(Error::corrupt(input::PACKED_RUNS, why))
    }
}

impl StoredRuns<'_> {
    fn n_samples(&self) -> usize {
        usize::try_from(self.n_samples).unwrap_or(usize::MAX)
    }

    /// Checks the bits and counts them.
    ///
    /// # Errors
    /// `Corrupt` with the reason.
    fn into_packer(self) -> Result<Packer> {
        let n_predictions = self.n_samples().saturating_mul(self.runs.len());
        let is_packed = self.needs != PairNeeds::default();
        ensure(is_packed, "runs without errors and classes")?;
        let mut distinct = self.classes.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        ensure(
            distinct.len() == self.classes.len() && distinct.len() <= n_predictions,
            "classes that occur twice or not at all",
        )?;
        let mut classes = Classes::default();
        classes.extend(self.classes.iter().copied());
        let n = self.n_samples();
        let packed = self
            .runs
            .into_iter()
            .map(|run| run.check(self.needs, &classes, n));
        let runs: Vec<PackedRun> = packed.collect::<Result<_>>()?;
        let occurs = |class: usize| runs.iter().any(|run| run.class_counts[class] > 0);
        ensure(
            (0..classes.len()).all(occurs),
            "classes that occur twice or not at all",
        )?;
        Ok(Packer {
            needs: self.needs,
            classes,
            runs,
        })
    }
}

impl StoredRun<'_> {
    fn check(self, needs: PairNeeds, classes: &Classes, n: usize) -> Result<PackedRun> {
        let n_planes = self.planes.len() / n.div_ceil(Block::SAMPLES).max(1);
        let max_planes = planes_for(classes.len());
        ensure(
            Block::are_of(&self.wrong, 1, n)
                && Block::are_of(&self.planes, n_planes, n)
                && n_planes <= max_planes
                && (needs.classes() || classes.len() == 0),
            "not one bit for each sample and plane",
        )?;
        let mut class_counts = vec![0; classes.len()];
        if needs.classes() {
            let codes = codes_of_planes(&self.planes, n_planes, n, |code| code as usize);
            let is_known = codes.iter().all(|&code| code < classes.len());
            ensure(is_known, "a code without a class")?;
            for code in codes {
                class_counts[code] += 1;
            }
        }
        Ok(PackedRun {
            n_wrong: self.wrong.iter().map(Block::count_ones).sum(),
            wrong: self.wrong.into_owned(),
            planes: self.planes.into_owned(),
            n_planes,
            class_counts,
        })
    }
}
