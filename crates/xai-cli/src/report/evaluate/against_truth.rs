//! A mask against the truth, as the report shows it.

use xai_report::section::graph::MaskWithTruth;

use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::graph::groundtruth::Groundtruth;

/// Scores a mask against its truth; gives the mask too.
pub(crate) fn evaluate(
    command: &Groundtruth,
    context: &Context,
) -> Result<(MaskWithTruth, Vec<f64>), Failure> {
    let compared = command.evaluate(context)?;
    let mask = compared.mask();
    let elements = command.elements(&compared)?;
    let is_true = elements.iter().map(|element| element.is_true).collect();
    let curves = command.curves(&compared)?;
    let with_truth = MaskWithTruth::new(&compared.scores, curves, &mask, is_true)
        .map_err(Failure::new)
        .in_file(command.mask_file())?;
    Ok((with_truth, mask))
}
