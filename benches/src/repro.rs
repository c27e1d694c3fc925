//! Our side of the workloads of `xai-repro`.

use crate::Workload;

/// The workloads; names, data files and answers as in `benches/README.md`.
pub(crate) const WORKLOADS: &[Workload] = &[];
