//! `xai counterfactual compare`: metrics of the counterfactuals of several methods.

use clap::Args;
use ndarray::ArrayView2;
use serde_json::{Map, Value, json};
use xai_files::{Failure, Files, InFiles};
use xai_metrics::common::Input;
use xai_metrics::common::describe::{Range, Setting};
use xai_metrics::common::evaluation::{
    EvaluationTable, EvaluationValues, MetricValues, Remark, check_size,
};
use xai_metrics::counterfactual::metric::{ChangeAgreement, Coverage, GroupGap, group_gap};
use xai_metrics::counterfactual::{
    CounterfactualData, CounterfactualMetric, CounterfactualValues, input, registry,
};
use xai_report::sections::counterfactual::{Changes, Counterfactual, MethodAgreement};

use crate::counterfactual::data::{Method, Study, StudyOptions};
use crate::counterfactual::family::CounterfactualMetrics;
use crate::metric_commands::comparison::ComparisonOptions;
use crate::metric_commands::selection::SelectedMetric;
use crate::metric_commands::{InputFiles, Run};
use crate::output::{intervals, text};
use crate::usage::interval_options::IntervalOptions;
use crate::usage::named_file::NamedFile;
use crate::{Context, examples};

/// Name of the reference method.
const REFERENCE: &str = "nearest unlike neighbours";

/// `xai counterfactual compare`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai counterfactual compare --queries q.csv --counterfactuals dice=d.csv wachter=w.csv --train t.csv --schema s.toml",
    "xai counterfactual compare --queries q.csv --counterfactuals dice=d.csv --model m.onnx --schema s.toml --groups sex",
]))]
pub(crate) struct CompareMethods {
    #[command(flatten)]
    comparison: ComparisonOptions<CounterfactualMetrics>,
    #[command(flatten)]
    study: StudyOptions,
    /// Column of the queries with groups of people, whose means are compared by every metric.
    #[arg(long, value_name = "COLUMN")]
    groups: Option<String>,
    /// Leaves out nearest unlike neighbours, which are otherwise compared with as a method if training rows are given.
    #[arg(long)]
    no_reference: bool,
}

/// A comparison of methods.
pub(crate) struct ComparedMethods {
    pub(crate) table: EvaluationTable,
    /// Values of each method by metric, in the order of the table.
    pub(crate) values: Vec<Vec<CounterfactualValues>>,
    /// Share of the queries with a valid counterfactual of each method; `None` if validity is not known.
    pub(crate) success: Vec<Option<f64>>,
    /// For each method and metric, the gap between groups and their names by number.
    gaps: Vec<Vec<GroupGap>>,
    groups: Vec<String>,
    study: Study,
    methods: Vec<Method>,
}

impl Run for CompareMethods {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let compared = self.evaluate(context)?;
        self.comparison.write_scores(&compared.table)?;
        let json = intervals::as_pairs(&compared.to_json().map_err(Failure::new)?)?;
        context.present(&json, || compared.to_text())
    }
}

impl CompareMethods {
    /// All metrics of all methods.
    pub(crate) fn evaluate(&self, context: &Context) -> Result<ComparedMethods, Failure> {
        let named = self.comparison.named(input::COUNTERFACTUALS);
        let files: Vec<InputFiles> = named.iter().map(|method| self.files_of(method)).collect();
        let study = Study::read(&self.study, self.comparison.files(), &files)?;
        let mut names: Vec<String> = named.iter().map(|method| method.name.clone()).collect();
        let mut methods = Vec::new();
        for files in &files {
            methods.push(study.method(files)?);
        }
        let mut data = Vec::new();
        for (method, files) in methods.iter().zip(&files) {
            data.push(study.data(method).in_files(&study.places(files))?);
        }
        let some_can_compute = |metric: &Selected| {
            let needs = metric.entry.info.needs;
            data.iter().any(|data| data.missing(needs).is_empty())
        };
        let selected = self.comparison.select(some_can_compute)?;
        for metric in &selected {
            metric.check()?;
        }
        // A metric whose inputs no method has is an error; one that some methods lack is undefined for these.
        let some_can_compute: Vec<bool> = selected.iter().map(some_can_compute).collect();
        drop(data);
        let shared = self.comparison.files();
        if !self.no_reference {
            let k = study.n_requested(&methods);
            if let Some(method) = study.unlike(k).in_files(&study.places(shared))? {
                names.push(REFERENCE.to_owned());
                methods.push(method);
            }
        }
        let options = Files::new().options(&IntervalOptions::NAMES).options(&[
            (input::COUNTERFACTUALS, "--counterfactuals"),
            (xai_metrics::common::input::EXPLAINERS, "--counterfactuals"),
            (xai_metrics::common::input::METRICS, "--metrics"),
        ]);
        let statistics = self.comparison.intervals.statistics(context);
        statistics.check().in_files(&options)?;
        check_size(selected.len(), names.len(), &statistics).in_files(&options)?;
        context.end_check();
        let n_values = (methods.len() * selected.len()) as u64;
        let progress = context.progress(n_values, "comparing counterfactuals");
        let (mut values, mut success, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
        // Methods of which nobody knows which counterfactuals are valid.
        let mut unknown = Vec::new();
        for (index, method) in methods.iter().enumerate() {
            let places = study.places(files.get(index).unwrap_or(shared));
            let data = study.data(method).in_files(&places)?;
            success.push(Coverage::counts(&data).success);
            if !data.has(input::VALID) {
                unknown.push(names[index].clone());
            }
            let is_reference = index == files.len();
            let mut computed = Vec::new();
            for (position, metric) in selected.iter().enumerate() {
                let missing = data.missing(metric.entry.info.needs);
                // If no method has the inputs, computing the metric tells which to give.
                if missing.is_empty() || !(is_reference || some_can_compute[position]) {
                    computed.push(position);
                } else if !is_reference {
                    warnings.push(lacking(&metric.name, &names[index], &missing));
                }
            }
            progress.inc((selected.len() - computed.len()) as u64);
            let evaluated = evaluate_some(&selected, &computed, &data, || progress.inc(1));
            values.push(evaluated.in_files(&places)?);
        }
        if !unknown.is_empty() && unknown.len() < methods.len() {
            let text = format!(
                "all counterfactuals of {}, whose validity is not known; valid ones of the others",
                unknown.join(", ")
            );
            warnings.push(Remark::new("rows", text));
        }
        let mut table = evaluation_values(names, &selected, &values)
            .table(&statistics)
            .in_files(&options)?;
        table.warnings.extend(warnings);
        let groups = self
            .groups
            .as_deref()
            .map(|column| study.groups(column))
            .transpose()?;
        let (gaps, groups) = match groups {
            None => (Vec::new(), Vec::new()),
            Some(cells) => gaps(&values, &cells).in_files(&options)?,
        };
        Ok(ComparedMethods {
            table,
            values,
            success,
            gaps,
            groups,
            study,
            methods,
        })
    }

    /// The files of one method, and those that all methods share.
    fn files_of(&self, method: &NamedFile) -> InputFiles {
        let own = self
            .comparison
            .all_named()
            .iter()
            .filter_map(|(input, files)| {
                let file = NamedFile::find(files, &method.name)?;
                Some((*input, file.to_owned()))
            });
        let shared = self.comparison.files().iter();
        own.chain(shared.map(|(input, file)| (input, file.to_owned())))
            .collect()
    }
}

/// Returns the remark that a metric is undefined for a method, which does not have all of its inputs.
fn lacking(metric: &str, method: &str, missing: &[Input]) -> Remark {
    let missing: Vec<&str> = missing.iter().map(|input| input.name()).collect();
    let text = format!(
        "undefined for `{method}`, which has no {}",
        missing.join(", ")
    );
    Remark::new(metric, text)
}

type Selected = SelectedMetric<CounterfactualMetrics>;

/// Computes the metrics at some positions for a method; the others are undefined.
fn evaluate_some(
    selected: &[Selected],
    computed: &[usize],
    data: &CounterfactualData<'_>,
    on_start: impl Fn(),
) -> Result<Vec<CounterfactualValues>, xai_metrics::Error> {
    let setting = |&position: &usize| Setting {
        name: selected[position].entry.info.name.to_owned(),
        params: selected[position].settings.clone(),
    };
    let settings: Vec<Setting> = computed.iter().map(setting).collect();
    let found = registry::evaluate_all(&settings, data, |_| on_start())?;
    let n_queries = data.n_queries();
    let undefined = CounterfactualValues {
        per_query: vec![None; n_queries],
        n_undefined: n_queries,
        ..CounterfactualValues::default()
    };
    let mut values = vec![undefined; selected.len()];
    for (&position, found) in computed.iter().zip(found) {
        values[position] = found;
    }
    Ok(values)
}

/// Collects the values per query, given by method and metric.
fn evaluation_values(
    names: Vec<String>,
    selected: &[Selected],
    values: &[Vec<CounterfactualValues>],
) -> EvaluationValues {
    let metrics = selected.iter().enumerate().map(|(position, metric)| {
        let rows: Vec<Vec<Option<f64>>> = values
            .iter()
            .map(|of_method| of_method[position].per_query.clone())
            .collect();
        let is_flag = |value: &Option<f64>| value.is_none_or(|value| value == 0.0 || value == 1.0);
        let info = metric.entry.info;
        MetricValues {
            is_share: info.range == Range::SHARE && rows.iter().flatten().all(is_flag),
            info: Some(info),
            ..MetricValues::new(&*metric.name, info.direction, rows)
        }
    });
    let n_queries = values
        .first()
        .and_then(|of_method| of_method.first())
        .map_or(0, |of_metric| of_metric.per_query.len());
    EvaluationValues::new(names, n_queries, metrics.collect())
}

type Gaps = (Vec<Vec<GroupGap>>, Vec<String>);

/// The gaps between the groups of queries, and the names of the groups.
fn gaps(
    values: &[Vec<CounterfactualValues>],
    cells: &[String],
) -> Result<Gaps, xai_metrics::Error> {
    let mut names = cells.to_vec();
    names.sort_unstable();
    names.dedup();
    let number = |cell: &String| names.binary_search(cell).unwrap_or_default() as i64;
    let groups: Vec<i64> = cells.iter().map(number).collect();
    let gaps = values.iter().map(|of_method| {
        let gaps = of_method.iter().map(|of| group_gap(&of.per_query, &groups));
        gaps.collect::<Result<Vec<_>, _>>()
    });
    Ok((gaps.collect::<Result<_, _>>()?, names))
}

impl ComparedMethods {
    /// Adds forbidden changes of features, and the changes of some queries, to a section.
    pub(crate) fn add_changes(
        &self,
        section: &mut Counterfactual,
    ) -> Result<(), xai_metrics::Error> {
        let methods = self.methods.iter();
        let rows: Vec<(ArrayView2<'_, f64>, &[usize])> = methods
            .map(|method| (method.rows.view(), &*method.query))
            .collect();
        let changes = Changes {
            schema: self.study.schema(),
            queries: self.study.queries(),
            methods: &rows,
            columns: &self.study.columns().columns,
            categories: &self.study.columns().words,
        };
        section.add_changes(&changes, &Counterfactual::shown(&self.table))
    }

    /// Agreement of every two methods on the features that they change.
    pub(crate) fn agreement(&self) -> Result<Vec<MethodAgreement>, xai_metrics::Error> {
        let named = || self.table.explainers.iter().zip(&self.methods);
        let mut agreement = Vec::new();
        for (position, (first, method)) in named().enumerate() {
            for (second, other) in named().skip(position + 1) {
                let data = self
                    .study
                    .data(method)?
                    .others(other.rows.view(), &other.query)?;
                agreement.push(MethodAgreement {
                    methods: [first.clone(), second.clone()],
                    jaccard: ChangeAgreement::new().evaluate(&data)?.value,
                });
            }
        }
        Ok(agreement)
    }

    /// The table as JSON, with the share of queries that each method answers and the mean over rows.
    fn to_json(&self) -> serde_json::Result<Value> {
        let mut json = serde_json::to_value(self.table.by_name())?;
        let names = || self.table.explainers.iter();
        let success: Map<String, Value> = names()
            .cloned()
            .zip(self.success.iter().map(|share| json!(share)))
            .collect();
        if let Some(object) = json.as_object_mut() {
            object.remove("model_calls");
            object.insert("success".to_owned(), Value::Object(success));
        }
        for (position, metric) in self.table.metrics.iter().enumerate() {
            for (index, name) in names().enumerate() {
                let of_method = &mut json["metrics"][&metric.metric]["explainers"][name];
                of_method["pooled_rows"] = json!(self.values[index][position].pooled);
                if let Some(gaps) = self.gaps.get(index) {
                    of_method["groups"] = self.gap_json(&gaps[position]);
                }
            }
        }
        Ok(json)
    }

    fn gap_json(&self, gap: &GroupGap) -> Value {
        let means: Map<String, Value> = gap
            .means
            .iter()
            .map(|(group, mean)| (self.groups[*group as usize].clone(), json!(mean)))
            .collect();
        json!({ "means": means, "gap": gap.gap, "ratio": gap.ratio })
    }

    fn to_text(&self) -> String {
        let answered = self.table.explainers.iter().zip(&self.success);
        let answered = answered.map(|(name, share)| [name.clone(), text::decimals(*share)]);
        let success = text::table(&["method", "queries with a valid counterfactual"], answered);
        let mut parts = vec![self.table.to_string(), success];
        if !self.gaps.is_empty() {
            let rows = self
                .table
                .explainers
                .iter()
                .zip(&self.gaps)
                .flat_map(|(name, gaps)| {
                    self.table.metrics.iter().zip(gaps).map(|(metric, gap)| {
                        let means = gap.means.iter().map(|(group, mean)| {
                            format!("{} {}", self.groups[*group as usize], text::decimals(*mean))
                        });
                        [
                            name.clone(),
                            metric.metric.clone(),
                            text::decimals(gap.gap),
                            means.collect::<Vec<_>>().join(", "),
                        ]
                    })
                });
            parts.push(text::table(
                &["method", "metric", "gap between groups", "means"],
                rows,
            ));
        }
        parts.join("\n\n")
    }
}
