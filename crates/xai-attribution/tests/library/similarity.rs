//! Values computed by Xplique 2.0.2 in single precision (SSIM, Spearman, MeGe and ReCo), and by
//! scipy 1.17 in double (Wilcoxon).

use approx::assert_abs_diff_eq;
use ndarray::{Array2, ArrayD, ArrayViewD, Axis};
use serde_json::Value;
use xai_attribution::map::{MapDistance, MapSimilarity, structural_similarity};
use xai_attribution::metric::{
    AverageStability, MaximumStability, Measure, MetricValue, ModelRandomization, RandomLogit,
    RandomizationOrder, Representativity, Stability,
};
use xai_attribution::model::Targets;
use xai_attribution::perturbation::{Neighborhood, Neighbors};
use xai_attribution::side::Masks;
use xai_attribution::table::{ZeroMethod, wilcoxon_signed_rank};
use xai_attribution::{
    Evaluate, EvaluationData, EvaluationError, InputLayout, evaluate_together, help, input,
};
use xai_core::statistics::spearman;
use xai_core::{ErrorKind, Input};

const TOLERANCE: f64 = 2e-5;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/similarity.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    let values = value.as_array().unwrap();
    values.iter().map(|x| x.as_f64().unwrap()).collect()
}

fn shape(value: &Value) -> Vec<usize> {
    numbers(&value["shape"])
        .iter()
        .map(|&n| n as usize)
        .collect()
}

#[test]
fn similarities_of_maps_are_those_of_the_peer() {
    let golden = golden();
    for case in golden["similarity"].as_array().unwrap() {
        let array = |key: &str| ArrayD::from_shape_vec(shape(case), numbers(&case[key])).unwrap();
        let (a, b) = (array("a"), array("b"));
        let (ssim, rho) = (numbers(&case["ssim"]), numbers(&case["spearman"]));
        for sample in 0..3 {
            let image = |x: &ArrayD<f64>| {
                let image = x.index_axis(Axis(0), sample).to_owned();
                image.into_dimensionality::<ndarray::Ix3>().unwrap()
            };
            let (a, b) = (image(&a), image(&b));
            let ours = structural_similarity(a.view(), b.view()).unwrap();
            assert_abs_diff_eq!(ours, ssim[sample], epsilon = TOLERANCE);
            let mean = |x: &ndarray::Array3<f64>| {
                x.mean_axis(Axis(2)).unwrap().into_raw_vec_and_offset().0
            };
            let ours = spearman(&mean(&a), &mean(&b)).unwrap().unwrap();
            assert_abs_diff_eq!(ours, rho[sample], epsilon = TOLERANCE);
        }
    }
}

#[test]
fn mege_and_reco_are_those_of_the_peer_at_its_thresholds() {
    let golden = golden();
    for case in golden["mege"].as_array().unwrap() {
        let shape = shape(case);
        let (k, n) = (shape[0], shape[1]);
        let maps = ArrayD::from_shape_vec(shape, numbers(&case["maps"])).unwrap();
        let maps: Vec<ArrayViewD<'_, f64>> = maps.outer_iter().collect();
        let integers =
            |key: &str| -> Vec<i64> { numbers(&case[key]).iter().map(|&x| x as i64).collect() };
        let predictions = Array2::from_shape_vec((k, n), integers("predictions")).unwrap();
        let folds = (0..n).map(|i| i / (n / k)).collect();
        let peer = Representativity::new(InputLayout::ChannelsLast)
            .held_out_by(folds)
            .peer_thresholds(true);
        let ours = peer
            .evaluate(&maps, predictions.view(), &integers("labels"))
            .unwrap();
        assert_abs_diff_eq!(
            ours.mege.unwrap(),
            case["mege"].as_f64().unwrap(),
            epsilon = 1e-12
        );
        assert_abs_diff_eq!(
            ours.reco.unwrap(),
            case["reco"].as_f64().unwrap(),
            epsilon = 1e-9
        );
        assert_eq!(ours.n_same as u64, case["n_same"].as_u64().unwrap());
        assert_eq!(
            ours.n_different as u64,
            case["n_different"].as_u64().unwrap()
        );
        // All thresholds find at least what some of them find.
        let all = peer.peer_thresholds(false);
        let all = all
            .evaluate(&maps, predictions.view(), &integers("labels"))
            .unwrap();
        assert!(all.reco.unwrap() >= ours.reco.unwrap() - 0.05 && all.reco.unwrap() <= 1.0);
    }
}

#[test]
fn the_signed_rank_test_is_that_of_scipy() {
    let golden = golden();
    for case in golden["wilcoxon"].as_array().unwrap() {
        let ours =
            wilcoxon_signed_rank(&numbers(&case["differences"]), ZeroMethod::Wilcox).unwrap();
        assert_abs_diff_eq!(
            ours.w_plus.min(ours.w_minus),
            case["statistic"].as_f64().unwrap(),
            epsilon = 1e-9
        );
        assert_abs_diff_eq!(
            ours.p_value.unwrap(),
            case["p"].as_f64().unwrap(),
            epsilon = 1e-9
        );
    }
}

type Maps = Result<ArrayD<f64>, std::io::Error>;

fn inputs() -> ArrayD<f64> {
    ArrayD::from_shape_fn(vec![5, 4, 3], |i| {
        (i[0] * 7 + i[1] * 3 + i[2] * 5) as f64 % 11.0
    })
}

/// Average and maximum over the same neighbours.
fn stability(
    neighbors: Neighbors,
    distance: MapDistance,
    data: EvaluationData<'_, f64>,
) -> [MetricValue; 2] {
    let average = AverageStability::new()
        .neighbors(neighbors)
        .distance(distance.clone());
    let maximum = MaximumStability::default()
        .neighbors(neighbors)
        .distance(distance);
    let values = evaluate_together(&[&average as &dyn Measure<f64>, &maximum], data).unwrap();
    let values: [MetricValue; 2] = values.try_into().unwrap();
    values.map(without_batch_size)
}

/// The values of a result, which do not depend on the batch size.
fn without_batch_size(mut value: MetricValue) -> MetricValue {
    value.batch_size = None;
    value
}

#[test]
fn an_explainer_that_ignores_its_input_is_perfectly_stable() {
    let deaf = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(ArrayD::ones(x.raw_dim())) };
    let x = inputs();
    let data = EvaluationData::new(x.view(), &[0; 5]).explainer(&deaf);
    let of = stability(Neighbors::above(0.1), MapDistance::L2, data);
    assert_eq!(of.map(|of| of.value), [0.0, 0.0]);
}

#[test]
fn stability_does_not_depend_on_batches_and_grows_with_the_radius() {
    let identity = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(x.to_owned()) };
    let x = inputs();
    let data = || EvaluationData::new(x.view(), &[0; 5]).explainer(&identity);
    let of = |neighbors, distance| stability(neighbors, distance, data());
    let whole = of(Neighbors::above(0.1), MapDistance::L2);
    for batch_size in [1, 3, 7, 1000] {
        let batched = data().batch_size(batch_size);
        assert_eq!(
            stability(Neighbors::above(0.1), MapDistance::L2, batched),
            whole
        );
        let average = AverageStability::new().batch_size(batch_size);
        let average = average.evaluate_explainer(&identity, x.view(), &[0; 5]);
        assert_eq!(without_batch_size(average.unwrap()), whole[0]);
    }
    // The map is the input: the distance is that of the noise, which scales with the radius.
    let twice = of(Neighbors::above(0.2), MapDistance::L2);
    assert_abs_diff_eq!(twice[0].value, 2.0 * whole[0].value, epsilon = 1e-12);
    // 12 elements of uniform noise within 0.1: the mean of |ν| is 0.05 above 0 and around it.
    for neighborhood in [Neighborhood::Above, Neighborhood::Around] {
        let neighbors = Neighbors::above(0.1).n_neighbors(400);
        let [average, maximum] = of(neighbors.neighborhood(neighborhood), MapDistance::L1);
        assert_abs_diff_eq!(average.value, 12.0 * 0.05, epsilon = 0.02);
        assert!(maximum.value < 12.0 * 0.1);
    }
    let largest = MapDistance::from_fn(|a, b| {
        a.iter()
            .zip(b)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max)
    });
    assert!(of(Neighbors::above(0.1), largest)[1].value < 0.1);
}

#[test]
fn random_logits_are_never_the_target_and_all_others_occur() {
    let classes = std::sync::Mutex::new(Vec::new());
    let recorded = |x: ArrayViewD<'_, f64>, y: &Targets| -> Maps {
        let Targets::Classes(y) = y else {
            unreachable!()
        };
        classes.lock().unwrap().extend(y.iter().copied());
        Ok(x.to_owned())
    };
    let x = ArrayD::from_shape_fn(vec![200, 3], |i| (i[0] + 2 * i[1]) as f64);
    let y = vec![2u8; 200];
    let test = RandomLogit::new(4)
        .similarity(MapSimilarity::Spearman)
        .batch_size(200);
    assert_eq!(
        test.evaluate_explainer(&recorded, x.view(), &y)
            .unwrap()
            .value,
        1.0
    );
    let classes = classes.into_inner().unwrap();
    assert!(classes[..200].iter().all(|&c| c == 2));
    for class in [0, 1, 3] {
        let drawn = classes[200..].iter().filter(|&&c| c == class).count();
        assert!((40..100).contains(&drawn), "{class}: {drawn}");
    }
    assert!(!classes[200..].contains(&2));
    // One-hot rows say the same.
    let rows = Array2::from_shape_fn((200, 4), |(_, c)| f64::from(u8::from(c == 2)));
    let others = std::sync::Mutex::new(Vec::new());
    let recorded = |x: ArrayViewD<'_, f64>, y: &Targets| -> Maps {
        let Targets::Rows(y) = y else { unreachable!() };
        others.lock().unwrap().extend(
            y.outer_iter()
                .map(|row| row.iter().position(|&t| t == 1.0).unwrap() as i64),
        );
        Ok(x.to_owned())
    };
    test.evaluate_explainer(&recorded, x.view(), &rows).unwrap();
    assert_eq!(others.into_inner().unwrap(), classes);
}

#[test]
fn cascading_randomization_adds_layers_from_the_output() {
    let asked = std::sync::Mutex::new(Vec::new());
    let explainer_of = |layers: &[usize]| -> Result<_, std::io::Error> {
        asked.lock().unwrap().push(layers.to_vec());
        let shift = layers.len();
        Ok(move |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
            let n = x.shape()[1];
            Ok(x.select(
                Axis(1),
                &(0..n).map(|i| (i + shift) % n).collect::<Vec<_>>(),
            ))
        })
    };
    let x = inputs();
    let of = ModelRandomization::new(4)
        .similarity(MapSimilarity::Ssim)
        .evaluate(
            explainer_of,
            EvaluationData::new(x.view(), &[0; 5]).batch_size(2),
        )
        .unwrap();
    assert_eq!(
        *asked.lock().unwrap(),
        [vec![], vec![0], vec![0, 1], vec![0, 1, 2], vec![0, 1, 2, 3]]
    );
    assert!(of.steps[0].value.unwrap() < 1.0);
    assert_eq!(of.steps[3].value, Some(1.0)); // shifted all the way round
    assert_eq!(of.steps[3].layers, [0, 1, 2, 3]);
}

#[test]
fn constant_maps_have_no_rank_correlation_and_are_counted() {
    let explainer_of = |layers: &[usize]| -> Result<_, std::io::Error> {
        let constant = !layers.is_empty();
        Ok(move |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
            Ok(if constant {
                ArrayD::zeros(x.raw_dim())
            } else {
                x.to_owned()
            })
        })
    };
    let of = ModelRandomization::new(1)
        .order(RandomizationOrder::Independent)
        .evaluate(explainer_of, EvaluationData::new(inputs(), &[0; 5]))
        .unwrap();
    assert_eq!((of.steps[0].value, of.steps[0].n_undefined), (None, 5));
}

#[test]
fn errors_name_the_failing_explainer_and_keep_its_message() {
    let fails = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
        if x.iter().any(|&v| v > 50.0) {
            return Err(std::io::Error::other("no gradient"));
        }
        Ok(x.to_owned())
    };
    let mut x = inputs();
    x[[3, 0, 0]] = 100.0;
    let stopped: EvaluationError = AverageStability::new()
        .batch_size(2)
        .evaluate_explainer(&fails, x.view(), &[0; 5])
        .unwrap_err();
    assert!(matches!(stopped.error().kind(), ErrorKind::Model { .. }));
    assert_eq!(stopped.error().input(), input::EXPLAINER);
    let average = &stopped.completed()[0];
    assert_eq!(average.score, "average_stability");
    let done: Vec<bool> = average.per_sample.iter().map(Option::is_some).collect();
    assert_eq!(done, [true, true, false, false, false]);
    let logit = RandomLogit::new(3)
        .similarity(MapSimilarity::Spearman)
        .batch_size(3)
        .evaluate_explainer(&fails, x.view(), &[0; 5])
        .unwrap_err();
    assert_eq!(logit.completed()[0].per_sample.iter().flatten().count(), 3);
}

#[test]
fn parameters_of_explainer_metrics_outside_their_domain_are_named() {
    let identity = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(x.to_owned()) };
    let x = inputs();
    let of = |s: Stability| {
        let stopped = s.evaluate_explainer(&identity, x.view(), &[0; 5]);
        stopped.unwrap_err().into_error()
    };
    let near = |neighbors| AverageStability::new().neighbors(neighbors);
    let none = AverageStability::new().batch_size(0);
    let none = none.evaluate_explainer(&identity, x.view(), &[0; 5]);
    for (error, about) in [
        (of(near(Neighbors::above(0.0))), Input::new("radius")),
        (
            of(near(Neighbors::above(0.1).n_neighbors(0))),
            Input::new("n_neighbors"),
        ),
        (none.unwrap_err().into_error(), input::BATCH_SIZE),
    ] {
        assert_eq!(error.input(), about);
        assert!(matches!(error.kind(), ErrorKind::InvalidParameter { .. }));
    }
    let nan = of(AverageStability::new().distance(MapDistance::from_fn(|_, _| f64::NAN)));
    assert_eq!((nan.input(), nan.index()), (input::MAP_DISTANCES, &[0][..]));
    let logit = |t: RandomLogit| {
        let stopped = t.evaluate_explainer(&identity, x.view(), &[0, 7, 0, 0, 0]);
        stopped.unwrap_err().into_error()
    };
    for n_classes in [Some(1), None] {
        let error = logit(RandomLogit::new(2).n_classes(n_classes));
        assert_eq!(error.input(), input::N_CLASSES);
        assert!(matches!(error.kind(), ErrorKind::InvalidParameter { .. }));
    }
    let error = logit(RandomLogit::new(5));
    assert_eq!((error.input(), error.index()), (input::TARGETS, &[1][..]));
    assert!(matches!(
        error.kind(),
        ErrorKind::LabelOutOfRange {
            label: 7,
            n_classes: 5
        }
    ));
    let flat = ArrayD::<f64>::ones(vec![5, 3]);
    let ssim = RandomLogit::new(2).evaluate_explainer(&identity, flat.view(), &[0; 5]);
    let ssim = ssim.unwrap_err();
    assert_eq!(ssim.error().help(), Some(help::CHOOSE_SPEARMAN));
    let short = |_: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(ArrayD::ones(vec![1, 3])) };
    let error = RandomLogit::new(2).evaluate_explainer(&short, flat.view(), &[0; 5]);
    let error = error.unwrap_err().into_error();
    assert_eq!(error.input(), input::EXPLANATIONS);
    assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [1, 3]));
    let predictions = ndarray::array![[0, 0]];
    let one = Representativity::new(InputLayout::Tabular).evaluate(
        &[flat.view()],
        predictions.view(),
        &[0, 0],
    );
    let one = one.unwrap_err();
    assert_eq!(one.input(), input::MODELS);
    assert!(matches!(
        one.kind(),
        ErrorKind::TooFew {
            needed: 2,
            actual: 1
        }
    ));
}

/// Inputs of a shape that no layout has: an explainer knows what its inputs are.
#[test]
fn stability_takes_inputs_of_any_shape() {
    let identity = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(x.to_owned()) };
    let x = inputs();
    let volumes = x.view().into_shape_with_order(vec![5, 2, 2, 3, 1]).unwrap();
    let of = |x: ArrayViewD<'_, f64>| {
        let of = AverageStability::new().evaluate_explainer(&identity, x, &[0; 5]);
        of.unwrap()
    };
    assert_eq!(of(volumes), of(x.view()));
}

/// Inputs of one number each: masks are read as those of rows.
#[test]
fn masks_of_inputs_of_any_shape_are_those_of_rows() {
    let column = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
        let n = x.len();
        let column = x.into_shape_with_order((n, 1)).unwrap();
        Ok(column.to_owned().into_dyn())
    };
    let x = ArrayD::<f64>::ones(vec![5]);
    let of = |features| {
        let masks = Masks::new(ndarray::Array3::from_elem((5, 1, features), true));
        let data = EvaluationData::new(x.view(), &[0; 5])
            .explainer(&column)
            .with(masks);
        let of = AverageStability::new().evaluate_on(data);
        of.map_err(|stopped| stopped.into_error().input())
    };
    assert!(of(1).is_ok());
    assert_eq!(of(2).unwrap_err(), input::MASKS);
}

/// An offset is no structure, however large.
#[test]
fn structural_similarity_of_noise_does_not_depend_on_an_offset() {
    let mut stream = xai_core::random::random_stream(5, 0);
    let mut noise = || {
        ndarray::Array3::from_shape_simple_fn((16, 16, 1), || {
            xai_core::random::uniform(&mut stream)
        })
    };
    let (a, b) = (noise(), noise());
    for offset in [1e5, 1e7, 1e9] {
        let shifted = |x: &ndarray::Array3<f64>| x.mapv(|v| v + offset);
        let (a, b) = (shifted(&a), shifted(&b));
        let similarity = structural_similarity(a.view(), b.view()).unwrap();
        assert!((-1.0..=1.0).contains(&similarity), "{offset}: {similarity}");
        assert!(similarity.abs() < 0.5, "{offset}: {similarity}");
    }
}
