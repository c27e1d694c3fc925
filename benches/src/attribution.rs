//! Our side of the workloads of `xai-attribution`.

use ndarray::{ArrayD, Ix4, IxDyn};
use xai_attribution::{Layout, mask_inputs};

use crate::{Data, Prepared, Result, Workload};

/// The workloads; names, data files and answers as in `benches/README.md`.
pub(crate) const WORKLOADS: &[Workload] = &[Workload {
    name: "mask",
    data: "mask",
    prepare: mask,
}];

fn mask(data: &Data) -> Result<Prepared> {
    let inputs: ArrayD<f32> = data.read::<f32, IxDyn>("inputs")?;
    let maps: ArrayD<f32> = data.read::<f32, IxDyn>("maps")?;
    Ok(Prepared::new(
        1.0,
        move || {
            Ok(mask_inputs(
                inputs.view(),
                maps.view(),
                Layout::ChannelsLast,
            )?)
        },
        |masked, answers| answers.write("masked", &masked.into_dimensionality::<Ix4>()?.view()),
    ))
}
