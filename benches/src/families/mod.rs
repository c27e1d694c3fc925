//! The workloads of each family.

#[cfg(feature = "attribution")]
mod attribution;
#[cfg(feature = "attribution")]
mod attribution_quantus;
#[cfg(feature = "casebased")]
mod casebased;
#[cfg(feature = "graph")]
mod graph;
#[cfg(feature = "repro")]
mod repro;

use crate::workload::Workload;

/// Returns the workloads of the families that are compiled in.
#[must_use]
pub fn workloads() -> Vec<&'static Workload> {
    #[allow(unused_mut)] // unused if no family is compiled in
    let mut all: Vec<&'static Workload> = Vec::new();
    #[cfg(feature = "casebased")]
    all.extend(casebased::WORKLOADS);
    #[cfg(feature = "attribution")]
    {
        all.extend(attribution::WORKLOADS);
        all.extend(attribution_quantus::WORKLOADS);
    }
    #[cfg(feature = "graph")]
    all.extend(graph::WORKLOADS);
    #[cfg(feature = "repro")]
    all.extend(repro::WORKLOADS);
    all
}
