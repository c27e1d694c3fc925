//! `--metric`

use std::str::FromStr;

use xai_metrics::Error;
use xai_metrics::casebased::{CaseExplainerBuilder, Distance};

use xai_files::options::metric_help;

/// A distance by name, or the one that is made of the training rows.
#[derive(Debug, Clone)]
pub(super) enum Metric {
    Named(Distance),
    Mahalanobis,
}

impl Metric {
    /// The names, for `--help`.
    pub(super) fn help() -> String {
        metric_help("; or mahalanobis, by the covariance of the training rows")
    }

    pub(super) fn choose(&self, builder: CaseExplainerBuilder) -> CaseExplainerBuilder {
        match self {
            Self::Named(distance) => builder.distance(distance.clone()),
            Self::Mahalanobis => builder.mahalanobis(),
        }
    }
}

impl FromStr for Metric {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "mahalanobis" => Ok(Self::Mahalanobis),
            name => name.parse().map(Self::Named),
        }
    }
}
