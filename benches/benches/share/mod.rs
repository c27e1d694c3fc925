//! Groups of criterion benches that also measure the limiting resource of each bench.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use std::ops::{Deref, DerefMut};
use xai_benches::limits::{Limit, Share, Work};

/// A criterion group with its name.
pub(crate) struct Group<'a> {
    name: &'static str,
    group: BenchmarkGroup<'a, WallTime>,
}

impl<'a> Group<'a> {
    pub(crate) fn new(c: &'a mut Criterion, name: &'static str) -> Self {
        let group = c.benchmark_group(name);
        Self { name, group }
    }

    /// Times a workload in turns with its limiting resource.
    pub(crate) fn bench_work<T>(&mut self, id: &str, work: Work, mut run: impl FnMut() -> T) {
        let mut share = Share::new(format!("{}/{id}", self.name), work);
        self.group.throughput(match work.limit {
            Limit::Read => Throughput::Bytes(work.amount as u64),
            _ => Throughput::Elements(work.amount as u64),
        });
        self.group
            .bench_function(id, |b| b.iter_custom(|n| share.time(n, &mut run)));
    }
}

impl<'a> Deref for Group<'a> {
    type Target = BenchmarkGroup<'a, WallTime>;
    fn deref(&self) -> &Self::Target {
        &self.group
    }
}

impl DerefMut for Group<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.group
    }
}
