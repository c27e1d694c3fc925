//! `xai graph fidelity-auc`

use std::path::{Path, PathBuf};

use clap::Args;
use ndarray::Ix1;
use serde::Serialize;
use xai_files::arrays;
use xai_files::failure::{Failure, Files, InFiles};
use xai_metrics::graph::{fidelity_curve_auc, input};

use crate::context::Context;
use crate::usage::examples;

/// `xai graph fidelity-auc`
#[derive(Debug, Args)]
#[command(after_help = examples::of(&["xai graph fidelity-auc --pos pos.npy --neg neg.npy --x sizes.npy"]))]
pub(crate) struct FidelityAuc {
    /// fid+ at each point of the curve, (m,).
    #[arg(long, value_name = "P.npy")]
    pos: PathBuf,
    /// fid- at each point of the curve, (m,), below 1.
    #[arg(long, value_name = "Q.npy")]
    neg: PathBuf,
    /// Where the points are, (m,), ascending.
    #[arg(long, value_name = "X.npy")]
    x: PathBuf,
}

#[derive(Serialize)]
struct FidelityAucResult {
    value: f64,
}

impl FidelityAuc {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading the curve");
        let read = |file: &Path| Ok::<_, Failure>(arrays::read_f64::<Ix1>(file)?.to_vec());
        let (pos, neg, x) = (read(&self.pos)?, read(&self.neg)?, read(&self.x)?);
        let value = fidelity_curve_auc(&pos, &neg, &x).in_files(&self.files())?;
        drop(working);
        context.present(&FidelityAucResult { value }, || {
            format!("area under fid+ / (1 - fid-): {value:.4}")
        })
    }

    fn files(&self) -> Files<'_> {
        Files::new()
            .file(&[input::POS_FIDELITY, input::POINTS, input::Y], &self.pos)
            .file(&[input::NEG_FIDELITY], &self.neg)
            .file(&[input::X], &self.x)
            .shaped_by(&[input::NEG_FIDELITY, input::X], &self.pos)
    }
}
