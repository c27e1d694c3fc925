//! Whatever the arguments of a function are: a value, or an error that names them.

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::Result;
use datafusion::logical_expr::Documentation;
use datafusion::prelude::SessionContext;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use xai_datafusion::Stages;

use crate::tables::{rows, session};

/// Rows with what tables have: numbers of all sizes, none at all, lists of several lengths.
const TABLE: &str = "CREATE TABLE t AS SELECT * FROM (VALUES
    (1, 0.25, 0.5, 0, true, 'a', make_array(0.5, 0.25, 0.25), make_array(0, 1, 2)),
    (2, 1.0, -1e308, 1, false, '', make_array(1e308, -1e308), make_array(1)),
    (3, 0.0, 5e-324, 2, true, '0.5', make_array(), make_array()),
    (4, 0.75, 'NaN'::double, 1, NULL, 'skip', make_array(0.5, NULL, 1.0), make_array(1, NULL)),
    (5, NULL, 'Infinity'::double, NULL, true, NULL, NULL, NULL),
    (6, 0.5, 0.0, 9223372036854775807, false, 'é', make_array('NaN'::double, 0.0, 1.0), make_array(-1, 2, 0)),
    (7, 0.5, -0.0, -9223372036854775808, true, 'b', make_array(0.0, 0.0, 0.0), make_array(0, 0, 0))
    ) AS rows(i, y, x, c, b, s, l, k)";

const NUMBERS: &[&str] = &[
    "y",
    "1 - y",
    "y / 2",
    "x",
    "arrow_cast(y, 'Float32')",
    "arrow_cast(y, 'Float16')",
    "arrow_cast(y, 'Decimal128(20, 4)')",
    "0.25",
];
const CLASSES: &[&str] = &[
    "i % 3",
    "i % 2 = 0",
    "b",
    "c",
    "arrow_cast(i, 'UInt64')",
    "arrow_cast(i, 'Int8')",
    "arrow_cast(i, 'Dictionary(Int32, Int64)')",
];
const LISTS: &[&str] = &[
    "l",
    "make_array(y, 1 - y, 0.5)",
    "make_array(y, y, y)",
    "make_array(x, y, c)",
    "arrow_cast(l, 'LargeList(Float32)')",
    "arrow_cast(make_array(y, 0.5, x), 'FixedSizeList(3, Float64)')",
    "arrow_cast(make_array(y, 0.5, 0.0), 'ListView(Float64)')",
    "make_array()",
    "make_array(NULL, NULL)",
];
const LISTS_OF_CLASSES: &[&str] = &[
    "k",
    "make_array(i % 2, i % 3, 1)",
    "make_array(b, true, false)",
    "make_array(i % 2 = 0, y > 0.5, NULL)",
    "make_array(true, false, true)",
    "make_array(c, 0, 0)",
    "arrow_cast(k, 'LargeList(Int8)')",
];
const OTHERS: &[&str] = &[
    "s",
    "arrow_cast(s, 'Dictionary(Int32, Utf8)')",
    "arrow_cast(s, 'Binary')",
    "make_array(s)",
    "make_array(make_array(y))",
    "named_struct('a', y)",
    "arrow_cast(i, 'Timestamp(Second, None)')",
    "interval '1 day'",
    "NULL",
];
const CONSTANTS: &[&str] = &[
    "0",
    "1",
    "3",
    "-1",
    "0.5",
    "1e308",
    "9223372036854775807",
    "'NaN'::double",
    "''",
    "'power:0'",
    "'minkowski:1e308'",
    "true",
];

struct Function {
    name: String,
    is_aggregate: bool,
    /// What is said of each argument.
    arguments: Vec<String>,
}

fn functions() -> Vec<Function> {
    let of = |name: &str, is_aggregate, documented: Option<&Documentation>| {
        let arguments = documented.and_then(|of| of.arguments.clone());
        let texts = arguments.unwrap_or_default().into_iter();
        Function {
            name: name.to_owned(),
            is_aggregate,
            arguments: texts.map(|(_, text)| text).collect(),
        }
    };
    let aggregates = xai_datafusion::aggregates(Stages::OneProcess);
    let aggregates = aggregates
        .iter()
        .map(|it| of(it.name(), true, it.documentation()));
    let scalars = xai_datafusion::scalars();
    let scalars = scalars
        .iter()
        .map(|it| of(it.name(), false, it.documentation()));
    aggregates.chain(scalars).collect()
}

/// What an argument may be, by what is said of it; anything, where it is to be wrong.
fn candidates(said: &str, is_wrong: bool) -> Vec<String> {
    let all: &[&[&str]] = match said {
        _ if is_wrong => &[NUMBERS, CLASSES, LISTS, LISTS_OF_CLASSES, OTHERS, CONSTANTS],
        "a number" => &[NUMBERS],
        "a number or a Boolean" => &[NUMBERS, CLASSES],
        "any type" => &[NUMBERS, LISTS, OTHERS],
        "a list of numbers" => &[LISTS],
        "a list of classes (integers or Booleans)" | "a list of Booleans" => &[LISTS_OF_CLASSES],
        _ if said.starts_with("a class") => &[CLASSES],
        _ => &[CONSTANTS],
    };
    let words = said.split('\'').skip(1).step_by(2);
    let words = words.map(|word| format!("'{word}'"));
    let all = all.concat().into_iter().map(str::to_owned);
    all.chain(words).collect()
}

fn answer(session: &SessionContext, sql: &str) -> Result<String> {
    let rows = rows(session, sql)?;
    Ok(pretty_format_batches(&[rows])?.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4 * ProptestConfig::default().cases, ..ProptestConfig::default() })]

    #[test]
    fn arguments_give_a_number_or_an_error(
        function in any::<Index>(),
        n_missing in prop_oneof![4 => Just(0usize), 1 => 1..3usize],
        arguments in prop::collection::vec((any::<Index>(), prop::bool::weighted(0.1)), 5),
        of in select(vec!["", " FILTER (WHERE b)", " OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)", " OVER (PARTITION BY b)"]),
        rows_of in select(vec!["", " WHERE i > 9", " WHERE y = 0.5", " WHERE i IN (1, 3)", " WHERE i < 3"]),
        by in select(vec!["", " GROUP BY i % 2"]),
    ) {
        thread_local!(static SESSION: SessionContext = {
            let session = session(2, 3);
            rows(&session, TABLE).unwrap();
            session
        });
        let functions = functions();
        let function = function.get(&functions);
        let n_arguments = function.arguments.len().saturating_sub(n_missing);
        let given = function.arguments[..n_arguments].iter().zip(&arguments);
        let given = given.map(|(said, (which, is_wrong))| which.get(&candidates(said, *is_wrong)).clone());
        let call = format!("{}({})", function.name, given.collect::<Vec<_>>().join(", "));
        let sql = match function.is_aggregate {
            true if of.starts_with(" OVER") => format!("SELECT {call}{of} AS value FROM t{rows_of}"),
            true => format!("SELECT {call}{of} AS value FROM t{rows_of}{by}"),
            false => format!("SELECT {call} AS value FROM t{rows_of}"),
        };
        match SESSION.with(|session| answer(session, &sql)) {
            Ok(answer) => {
                // These say what they were given: one of the numbers, or all of them, or their sum.
                let is_metric = !["class_score", "exact_sum", "mask_inputs"].contains(&&*function.name);
                prop_assert!(!is_metric || !answer.contains("NaN"), "{sql}\n{answer}");
            }
            Err(error) => {
                let error = error.to_string();
                prop_assert!(!error.contains("Internal error"), "{sql}\n{error}");
                prop_assert!(!error.contains("panic"), "{sql}\n{error}");
            }
        }
    }
}
