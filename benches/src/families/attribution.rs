//! Workloads of `xai-attribution`.

use ndarray::{Array1, Array2, Array4, ArrayD, ArrayViewD, Ix1, Ix2, Ix4, ShapeError, aview1};
use xai_attribution::metric::{AverageDrop, Deletion};
use xai_attribution::model::Concurrent;
use xai_attribution::{Activation, Evaluate, InputLayout};
use xai_core::tensor::{MaskScaling, mask_inputs};

use crate::workload::{Data, Prepared, Result, Workload};

/// The workloads. `benches/README.md` lists their data files and answers.
pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "mask",
        data: "mask",
        prepare: mask,
    },
    Workload {
        name: "average_drop",
        data: "linear",
        prepare: average_drop,
    },
    Workload {
        name: "deletion",
        data: "linear",
        prepare: deletion,
    },
];

fn mask(data: &Data) -> Result<Prepared> {
    let inputs: Array4<f32> = data.read("inputs")?;
    let maps: Array4<f32> = data.read("maps")?;
    let (inputs, maps) = (inputs.into_dyn(), maps.into_dyn());
    Ok(Prepared::new(
        1.0,
        move || {
            Ok(mask_inputs(
                inputs.view(),
                maps.view(),
                InputLayout::ChannelsLast,
                // The scaling of the peer, whose results are compared.
                MaskScaling::Xplique,
            )?)
        },
        |masked, answers| answers.write("masked", &masked.inputs.view()),
    ))
}

/// Images, their maps and classes, and a linear model.
struct Linear {
    inputs: ArrayD<f32>,
    maps: ArrayD<f32>,
    targets: Vec<i64>,
    weights: Array2<f32>,
    bias: Array1<f32>,
}

impl Linear {
    fn read(data: &Data) -> Result<Self> {
        Ok(Self {
            inputs: data.read::<f32, Ix4>("inputs")?.into_dyn(),
            maps: data.read::<f32, Ix4>("maps")?.into_dyn(),
            targets: data.read::<i64, Ix1>("targets")?.to_vec(),
            weights: data.read::<f32, Ix2>("weights")?,
            bias: data.read::<f32, Ix1>("bias")?,
        })
    }

    fn outputs(&self, batch: ArrayViewD<'_, f32>) -> Result<Array2<f32>, ShapeError> {
        let rows = batch.to_shape((batch.shape()[0], self.weights.nrows()))?;
        Ok(rows.dot(&self.weights) + &self.bias)
    }
}

fn average_drop(data: &Data) -> Result<Prepared> {
    let linear = Linear::read(data)?;
    let metric = AverageDrop::new()
        .layout(InputLayout::ChannelsLast)
        .activation(Activation::Softmax);
    let run = move || {
        let model = |batch: ArrayViewD<'_, f32>| linear.outputs(batch);
        let scores = metric.evaluate(
            &model,
            linear.inputs.view(),
            &linear.targets,
            linear.maps.view(),
        )?;
        Ok(scores.value)
    };
    Ok(Prepared::new(1.0, run, |value, answers| {
        answers.write("value", &aview1(&[value]))
    }))
}

fn deletion(data: &Data) -> Result<Prepared> {
    let linear = Linear::read(data)?;
    let metric = Deletion::new()
        .steps(Some(50))
        .layout(InputLayout::ChannelsLast)
        .activation(Activation::Softmax);
    let run = move || {
        let model = |batch: ArrayViewD<'_, f32>| linear.outputs(batch);
        let curve = metric.evaluate(
            &Concurrent(&model),
            linear.inputs.view(),
            &linear.targets,
            linear.maps.view(),
        )?;
        Ok(curve.value)
    };
    Ok(Prepared::new(1.0, run, |value, answers| {
        answers.write("value", &aview1(&[value]))
    }))
}
