//! Bad input is an error that names the place, or an undefined value that is counted.

use ndarray::{Array2, array};
use xai_core::{ErrorKind, Input};
use xai_counterfactual::metric::{
    Connectedness, Coverage, DppDiversity, InDomain, NearestDistance, Proximity, Redundancy,
    Validity, Ynn,
};
use xai_counterfactual::{
    Change, CounterfactualData, CounterfactualMetric, DistanceOptions, Error, Feature,
    MixedDistance, Reference, RowDistance, Schema, ZeroScale, input, registry,
};

fn hot() -> Schema {
    Schema::new(
        3,
        vec![Feature::numeric(0), Feature::one_hot(1..3).named("job")],
    )
    .unwrap()
}

fn about(error: &Error, which: Input, index: &[usize]) {
    assert_eq!((error.input(), error.index()), (which, index), "{error}");
}

#[test]
fn a_query_that_breaks_a_one_hot_group_is_named_with_its_row_and_column() {
    let queries = array![[1.0, 1.0, 0.0], [1.0, 0.5, 0.5]];
    let error = CounterfactualData::new(&hot(), queries.view(), Array2::zeros((0, 3)).view(), &[])
        .unwrap_err();
    about(&error, input::QUERIES, &[1, 1]);
    assert!(error.to_string().contains("job"), "{error}");
    let error = Reference::new(hot(), queries.view(), None::<&[i64]>).unwrap_err();
    about(&error, input::TRAIN, &[1, 1]);
    // A counterfactual may break it: that is what in-domain counts.
    assert!(
        CounterfactualData::new(
            &hot(),
            queries.slice(ndarray::s![..1, ..]),
            queries.view(),
            &[0, 0]
        )
        .is_ok()
    );
}

#[test]
fn a_missing_value_an_unknown_query_and_another_width_are_named() {
    let schema = Schema::numeric(2);
    let queries = array![[0.0, 0.0]];
    let new = |rows: Array2<f64>, query: &[usize]| {
        CounterfactualData::new(&schema, queries.view(), rows.view(), query).unwrap_err()
    };
    about(
        &new(array![[1.0, 1.0], [f64::NAN, 2.0]], &[0, 0]),
        input::COUNTERFACTUALS,
        &[1, 0],
    );
    about(&new(array![[1.0, 1.0]], &[1]), input::QUERY, &[0]);
    about(&new(array![[1.0, 1.0]], &[0, 0]), input::QUERY, &[]);
    about(
        &new(array![[1.0, 1.0, 1.0]], &[0]),
        input::COUNTERFACTUALS,
        &[],
    );
    let error = Reference::new(
        Schema::numeric(3),
        array![[1.0, 2.0]].view(),
        None::<&[i64]>,
    )
    .unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::ShapeMismatch { .. }),
        "{error}"
    );
    let error = Reference::new(
        Schema::numeric(2),
        Array2::zeros((0, 2)).view(),
        None::<&[i64]>,
    )
    .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Empty), "{error}");
}

#[test]
fn a_metric_names_what_it_needs() {
    let schema = Schema::numeric(1);
    let data =
        CounterfactualData::new(&schema, array![[0.0]].view(), array![[1.0]].view(), &[0]).unwrap();
    let error = |found: Result<_, Error>| {
        found
            .map(|_: xai_counterfactual::CounterfactualValues| ())
            .unwrap_err()
    };
    assert_eq!(error(Ynn::new().evaluate(&data)).input(), input::TRAIN);
    assert_eq!(
        error(Validity::new().evaluate(&data)).input(),
        input::PREDICTED
    );
    assert_eq!(
        error(Redundancy::new().evaluate(&data)).input(),
        input::MODEL
    );
    let gower = error(Proximity::new().evaluate(&data));
    assert_eq!(gower.input(), input::TRAIN);
    assert_eq!(
        gower.to_string(),
        "train: needed, but not given; the distance is scaled by the training rows: give them, or for distance = gower and \
         heom a range for every numeric feature of the schema, or choose distance = manhattan"
    );
    let scales = [1e-310, f64::INFINITY, -1.0].map(|scale| {
        RowDistance::with_scales(DistanceOptions::default(), &schema, &[scale]).unwrap_err()
    });
    assert!(scales.iter().all(|error| error.input() == input::SCALES));
    let k = error(Ynn::new().k(0).evaluate(&data));
    assert_eq!(k.input(), Input::new("k"));
    assert!(registry::find("proximty").is_err());
}

#[test]
fn zero_scales_are_undefined_and_counted_or_follow_the_option() {
    let schema = Schema::numeric(2);
    // The second column is constant in training.
    let reference = Reference::new(
        schema.clone(),
        array![[0.0, 1.0], [2.0, 1.0]].view(),
        Some(&[0, 1]),
    )
    .unwrap();
    let (queries, rows) = (array![[0.0, 1.0]], array![[1.0, 1.0], [1.0, 4.0]]);
    let data = CounterfactualData::new(&schema, queries.view(), rows.view(), &[0, 0])
        .unwrap()
        .reference(&reference)
        .unwrap();
    let proximity = |zero_scale| {
        Proximity::new()
            .zero_scale(zero_scale)
            .evaluate(&data)
            .unwrap()
            .per_counterfactual
            .unwrap()
    };
    assert_eq!(proximity(ZeroScale::Undefined), [Some(0.25), None]);
    assert_eq!(proximity(ZeroScale::One), [Some(0.25), Some(1.75)]);
    assert_eq!(proximity(ZeroScale::Skip), [Some(0.25), Some(0.25)]);
    let nearest = NearestDistance::new()
        .among(xai_counterfactual::metric::AmongRows::All)
        .evaluate(&data)
        .unwrap();
    assert_eq!(nearest.per_counterfactual.unwrap(), [Some(0.25), None]);

    let train = array![[0.0, 1.0], [2.0, 1.0]];
    let one_class = Reference::new(schema.clone(), train.view(), Some(&[0, 0])).unwrap();
    let data = CounterfactualData::new(&schema, queries.view(), rows.view(), &[0, 0])
        .unwrap()
        .reference(&one_class)
        .unwrap()
        .classes(input::PREDICTED, &[0, 0])
        .unwrap();
    let connected = Connectedness::new().evaluate(&data).unwrap();
    assert_eq!(connected.per_counterfactual.unwrap(), [Some(1.0), None]);
}

#[test]
fn a_class_that_training_lacks_and_queries_without_rows_are_undefined() {
    let schema = Schema::numeric(1);
    let reference =
        Reference::new(schema.clone(), array![[0.0], [1.0]].view(), Some(&[0, 0])).unwrap();
    let data = CounterfactualData::new(
        &schema,
        array![[0.0], [1.0]].view(),
        array![[3.0]].view(),
        &[0],
    )
    .unwrap();
    let data = data
        .reference(&reference)
        .unwrap()
        .classes(input::PREDICTED, &[7])
        .unwrap();
    let euclidean = NearestDistance::new()
        .distance(MixedDistance::Euclidean)
        .evaluate(&data)
        .unwrap();
    assert_eq!((euclidean.value, euclidean.n_undefined), (None, 2));
    assert_eq!(
        DppDiversity::new().evaluate(&data).unwrap().per_query,
        [None, None]
    );
    assert_eq!(
        Coverage::new().evaluate(&data).unwrap().per_query,
        [Some(1.0), Some(0.0)]
    );
}

#[test]
fn a_schema_has_each_column_once_and_sensible_features() {
    for (features, word) in [
        (vec![Feature::numeric(0)], "column 1"),
        (
            vec![Feature::numeric(0), Feature::one_hot(0..2)],
            "column 0",
        ),
        (
            vec![Feature::numeric(0).range(2.0, 1.0), Feature::numeric(1)],
            "range",
        ),
        (
            vec![Feature::numeric(0).step(0.0), Feature::numeric(1)],
            "step",
        ),
        (
            vec![Feature::numeric(0).cost(-1.0), Feature::numeric(1)],
            "cost",
        ),
        (
            vec![
                Feature::categorical(0).change(Change::Increase),
                Feature::numeric(1),
            ],
            "no order",
        ),
        (
            vec![Feature::numeric(0), Feature::numeric(5)],
            "column of the table",
        ),
    ] {
        let error = Schema::new(2, features).unwrap_err();
        assert_eq!(error.input(), input::SCHEMA);
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn more_rows_than_requested_are_an_error_for_distinct_rows() {
    let schema = Schema::numeric(1);
    let data = CounterfactualData::new(
        &schema,
        array![[0.0]].view(),
        array![[1.0], [2.0]].view(),
        &[0, 0],
    )
    .unwrap();
    let data = data
        .classes(input::CLASS, &[0])
        .unwrap()
        .classes(input::PREDICTED, &[1, 1])
        .unwrap()
        .requested(1)
        .unwrap();
    let error = Validity::new().distinct(true).evaluate(&data).unwrap_err();
    assert_eq!(error.input(), input::REQUESTED);
}

#[test]
fn steps_are_compared_within_the_rounding_of_the_division_and_bounds_are_numbers() {
    let schema = Schema::new(1, vec![Feature::numeric(0).step(0.1)]).unwrap();
    let possible = |value: f64| {
        let rows = array![[value]];
        let data =
            CounterfactualData::new(&schema, array![[0.0]].view(), rows.view(), &[0]).unwrap();
        InDomain::new().evaluate(&data).unwrap().value
    };
    // 0.3 / 0.1 is 2.9999999999999996.
    for value in [0.3, 0.7, -1.1, 123_456.7] {
        assert_eq!(possible(value), Some(1.0), "{value}");
    }
    for value in [0.35, 0.300_000_1, 123_456.75] {
        assert_eq!(possible(value), Some(0.0), "{value}");
    }
    let mut feature = Feature::numeric(0);
    feature.high = Some(f64::NAN);
    let error = Schema::new(1, vec![feature]).unwrap_err();
    about(&error, input::SCHEMA, &[]);
    let error = Schema::guess(array![[1.0], [f64::NAN]].view(), &[]).unwrap_err();
    about(&error, input::ROWS, &[1, 0]);
}

#[test]
fn of_an_input_that_is_set_twice_the_last_value_is_used() {
    let schema = Schema::numeric(1);
    let reference = |top: f64| {
        Reference::new(schema.clone(), array![[0.0], [top]].view(), Some(&[0, 1])).unwrap()
    };
    let (far, near) = (reference(8.0), reference(2.5));
    let data =
        CounterfactualData::new(&schema, array![[0.0]].view(), array![[1.0]].view(), &[0]).unwrap();
    let data = data
        .reference(&far)
        .and_then(|data| data.others(array![[9.0]].view(), &[0]))
        .and_then(|data| data.classes(input::PREDICTED, &[0]))
        .and_then(|data| data.classes(input::CLASS, &[0]))
        .and_then(|data| data.numbers(input::P_TARGET, &[0.25]))
        .and_then(|data| data.predictions(input::MODEL_PREDICTIONS, array![[0]].view()))
        .and_then(|data| data.reconstruction(input::RECONSTRUCTION_TARGET, array![[5.0]].view()))
        .and_then(|data| data.valid(&[true]))
        .unwrap();
    // Neighbours that were searched among the first training rows are searched again.
    let nearest = NearestDistance::new()
        .k(1)
        .distance(MixedDistance::Manhattan);
    assert_eq!(nearest.evaluate(&data).unwrap().value, Some(1.0));
    let data = data
        .reference(&near)
        .and_then(|data| data.others(array![[3.0]].view(), &[0]))
        .and_then(|data| data.classes(input::PREDICTED, &[1]))
        .and_then(|data| data.numbers(input::P_TARGET, &[0.75]))
        .and_then(|data| data.predictions(input::MODEL_PREDICTIONS, array![[1]].view()))
        .and_then(|data| data.reconstruction(input::RECONSTRUCTION_TARGET, array![[2.0]].view()))
        .and_then(|data| data.reconstruction(input::RECONSTRUCTION_ORIGIN, array![[3.0]].view()))
        .unwrap();
    let value = |setting: &str| {
        let setting = setting.parse().unwrap();
        registry::evaluate(&setting, &data).unwrap().value
    };
    assert_eq!(value("set-distance(distance=manhattan)"), Some(2.0));
    assert_eq!(value("validity"), Some(1.0));
    assert_eq!(value("target-confidence"), Some(0.75));
    assert_eq!(value("model-validity"), Some(1.0));
    assert_eq!(value("im1"), Some(0.25));
    assert_eq!(value("proximity(distance=gower)"), Some(0.4));
    assert_eq!(
        value("nearest-distance(k=1, distance=manhattan)"),
        Some(1.5)
    );
}
