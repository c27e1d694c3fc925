//! What a report says: `report.json`, and the source of the page.

use serde::Serialize;
use xai_metrics::repro::pairwise::PairwiseReport;

use super::sections::attribution::AttributionSection;
use super::sections::casebased::CasebasedSection;
use super::sections::graph::GraphSection;
use super::sections::simulation::SimulationSection;

/// `report.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Report {
    pub(super) title: String,
    pub(super) casebased: Option<CasebasedSection>,
    pub(super) attribution: Option<AttributionSection>,
    pub(super) graph: Option<GraphSection>,
    pub(super) repro: Option<PairwiseReport>,
    pub(super) simulation: Option<SimulationSection>,
}
