//! What every parameter of every metric takes and refuses.

use xai_attribution::ErrorKind;
use xai_attribution::metric::registry::metrics;
use xai_core::describe::{End, Kind, Range, Value, Word};

use crate::all_metrics::{can_be_judged, example, settings};

/// Numbers just outside a range.
fn beside(range: &Range) -> impl Iterator<Item = f64> + use<> {
    let below = match range.low {
        End::Included(low) => Some(low - 1.0),
        End::Excluded(low) => Some(low),
        End::Unbounded | End::OfData(_) => None,
    };
    let above = match range.high {
        End::Included(high) => Some(high + 1.0),
        End::Excluded(high) => Some(high),
        End::Unbounded | End::OfData(_) => None,
    };
    below.into_iter().chain(above)
}

/// Values at the ends of a kind, and every word.
fn ends(kind: &Kind) -> Vec<Value> {
    let included = |range: &Range| {
        let ends = [range.low, range.high].into_iter();
        ends.filter_map(|end| match end {
            End::Included(end) => Some(end),
            End::Excluded(_) | End::Unbounded | End::OfData(_) => None,
        })
    };
    match kind {
        Kind::Real(range) => included(range).map(Value::Real).collect(),
        Kind::Integer(range) => included(range)
            .map(|end| Value::Integer(end as i64))
            .collect(),
        Kind::Flag => vec![true.into(), false.into()],
        Kind::Words(words) => {
            let of_word = |word: &Word| {
                let alone = word
                    .value
                    .is_none_or(|value| value.has_default)
                    .then(|| word.name.into());
                let behind = word.value.map_or_else(Vec::new, |value| ends(value.kind));
                let behind = behind
                    .into_iter()
                    .map(|end| Value::Text(format!("{}:{end}", word.name)));
                alone.into_iter().chain(behind).collect::<Vec<_>>()
            };
            words.iter().flat_map(of_word).collect()
        }
        Kind::List(item) => ends(item)
            .into_iter()
            .map(|item| Value::List(vec![item]))
            .collect(),
        Kind::OneOf(kinds) => kinds.iter().flat_map(ends).collect(),
        kind => panic!("{kind}: which values are at its ends?"),
    }
}

/// With it the metric has a value in its range, or says what of the parameter or of the data leaves none.
#[test]
fn the_ends_of_a_parameter_are_values_of_it() {
    let problem = example();
    let (mut n_values, mut wrong) = (0, Vec::new());
    for entry in metrics() {
        for (param, value) in entry
            .params()
            .iter()
            .flat_map(|param| ends(&param.kind).into_iter().map(move |end| (param, end)))
        {
            let of = format!("{} = {value} of {}", param.name, entry.info.name);
            // As many draws as there can be, or as wide a blur, take minutes.
            let number = value.to_string().rsplit(':').next().map(str::parse::<f64>);
            let is_long = number.is_some_and(|number| number.is_ok_and(|number| number > 5000.0));
            let mut settings = settings(entry);
            settings.retain(|(name, _)| name != param.name);
            settings.push((param.name.to_owned(), value));
            let metric = entry
                .build::<f64>(&settings)
                .unwrap_or_else(|error| panic!("{of}: {error}"));
            if is_long || !can_be_judged(&entry) {
                continue;
            }
            match problem.outcome(&*metric, 64).0 {
                Ok(result) => {
                    let mut values = result
                        .per_sample
                        .into_iter()
                        .flatten()
                        .chain([result.value]);
                    // Some ranges hold for some values of a parameter only.
                    let range = &entry.info.range;
                    let within = |value| !range.when.is_empty() || range.contains(value);
                    if !values.all(|value| value.is_finite() && within(value)) {
                        wrong.push(of);
                    }
                    n_values += 1;
                }
                Err(error) => {
                    let is_about_it = error.input().name() == param.name;
                    if !is_about_it && error.help().is_none() {
                        wrong.push(format!("{of}: {error}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(n_values > 2 * metrics().len(), "{n_values}");
}

/// Values that are not of a kind, each also as text.
fn wrong(kind: &Kind) -> Vec<Value> {
    let mut values: Vec<Value> = match kind {
        Kind::Real(range) => {
            let numbers = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
            let numbers = numbers.into_iter().chain(beside(range));
            numbers.map(Value::Real).chain([true.into()]).collect()
        }
        Kind::Integer(range) => {
            let numbers = beside(range).map(|number| Value::Integer(number as i64));
            numbers.chain([0.5.into(), true.into()]).collect()
        }
        Kind::Flag => vec![2.5.into()],
        Kind::Words(words) => {
            let behind = words.iter().flat_map(|word| {
                let wrong = word.value.map_or_else(Vec::new, |value| wrong(value.kind));
                let of_word = |value| Value::Text(format!("{}:{value}", word.name));
                wrong.into_iter().map(of_word).collect::<Vec<_>>()
            });
            behind.chain([true.into()]).collect()
        }
        Kind::List(item) => {
            let items = wrong(item).into_iter().map(|item| Value::List(vec![item]));
            items.chain([true.into()]).collect()
        }
        // What is wrong for one of the kinds may be right for another.
        Kind::OneOf(kinds) => {
            let values = kinds.iter().flat_map(wrong);
            return values.filter(|value| !kind.admits(value)).collect();
        }
        kind => panic!("{kind}: which values are wrong?"),
    };
    values.extend(["no such value".into(), "".into()]);
    let text = values.iter().map(|value| Value::Text(value.to_string()));
    values.extend(text.collect::<Vec<_>>());
    values
}

#[test]
fn a_wrong_value_is_an_error_about_the_parameter_by_its_name() {
    let mut n_params = 0;
    for entry in metrics().iter() {
        for param in entry.params() {
            let values = wrong(&param.kind);
            assert!(values.len() > 2, "{} of {}", param.name, entry.info.name);
            for value in values {
                let of = format!("{} = {value:?} of {}", param.name, entry.info.name);
                let error = match entry.build::<f64>(&[(param.name.to_owned(), value)]) {
                    Ok(_) => panic!("{of}: built"),
                    Err(error) => error,
                };
                assert_eq!(error.input().name(), param.name, "{of}");
                assert!(
                    matches!(error.kind(), ErrorKind::InvalidParameter { .. }),
                    "{of}"
                );
            }
            n_params += 1;
        }
    }
    assert!(n_params > metrics().len());
}
