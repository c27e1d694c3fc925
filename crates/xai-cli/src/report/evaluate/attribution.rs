//! Attribution maps: what `xai attribution compare` finds.

use xai_report::Origin;
use xai_report::section::attribution::Attribution;

use super::gallery;
use crate::attribution::compare::Compare;
use crate::context::Context;
use xai_files::failure::Failure;

/// Computes the section.
///
/// # Errors
/// As the command.
pub(crate) fn evaluate(
    arguments: &Compare,
    mut origin: Origin,
    context: &Context,
) -> Result<Attribution, Failure> {
    let compared = arguments.evaluate(context, &|_| ())?;
    let assumed = compared.reading.assumed().map(str::to_owned);
    origin.remarks.extend(assumed);
    let gallery = gallery::gallery(arguments, &compared)?;
    let activation = compared.scoring.activation;
    Attribution::new(origin, &compared.table, activation, gallery).map_err(Failure::new)
}
