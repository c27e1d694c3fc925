//! Queries, counterfactuals and training rows from files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use clap::Args;
use ndarray::{Array2, ArrayD, ArrayView2, Axis, IxDyn};
use xai_files::classes::{ClassesBuilder, LabelError};
use xai_files::onnx::engine::EngineOptions;
use xai_files::onnx::model::OnnxModel;
use xai_files::{Failure, Files, InFiles, arrays};
use xai_metrics::attribution::model::Model;
use xai_metrics::common::describe::{Element, InputSpec};
use xai_metrics::common::{Error, Input, Result as CoreResult};
use xai_metrics::counterfactual::input::{self, INPUTS};
use xai_metrics::counterfactual::{
    CounterfactualData, InputArray, MixedDistance, Reference, Schema, nearest_unlike_neighbors,
};

use crate::counterfactual::schema_file::SchemaFile;
use crate::counterfactual::tables::{RowFile, TableFile, TableSchema};
use crate::metric_commands::InputFiles;

/// Rows per call of the model.
const BATCH: usize = 4096;

/// Columns of counterfactuals that are inputs; `model_0`, `model_1`, … are predictions of other models.
const OWN_COLUMNS: [Input; 4] = [
    input::PREDICTED,
    input::P_TARGET,
    input::VALID,
    input::ROW_CLASS,
];

/// Options about tables, besides their files.
#[derive(Debug, Args)]
pub(crate) struct StudyOptions {
    /// Features: kinds, ranges, and how they may change. Default: columns of numbers are numeric, columns of words
    /// categories.
    #[arg(long, value_name = "SCHEMA.toml")]
    schema: Option<PathBuf>,
    /// Column of queries and counterfactuals that identifies the query. Default: the column `query` of
    /// counterfactuals, the row number of the query from 0.
    #[arg(long, value_name = "COLUMN")]
    pub(super) key: Option<String>,
    /// Column of the training rows with their classes. Default: the column of the predicted class. With a model, its
    /// predictions.
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    /// Class that all queries should get. Default: the one of the schema, else any other class.
    #[arg(long, value_name = "CLASS")]
    target_class: Option<String>,
    /// Number of counterfactuals requested for each query. Default: the one of the schema.
    #[arg(long, value_name = "N")]
    requested: Option<usize>,
    #[command(flatten)]
    engine: EngineOptions,
}

/// Queries with what all methods share.
pub(super) struct Study {
    schema: TableSchema,
    schema_file: Option<PathBuf>,
    queries: Array2<f64>,
    query_rows: RowFile,
    key: Option<String>,
    requested: Option<usize>,
    pub(super) reference: Option<Reference>,
    train_labels: Vec<i64>,
    model: Option<OnnxModel>,
    /// Arrays that describe the queries.
    shared: Vec<(Input, InputValues)>,
    /// The classes in all files: numbers, which a model also predicts, or words.
    classes: Mutex<ClassesBuilder>,
    /// Class that all queries should get.
    target_class: Option<String>,
}

/// Counterfactuals of a method.
pub(super) struct Method {
    pub(super) rows: Array2<f64>,
    pub(super) query: Vec<usize>,
    own: Vec<(Input, InputValues)>,
    others: Option<(Array2<f64>, Vec<usize>)>,
}

/// An array of an input.
enum InputValues {
    Numbers(ArrayD<f64>),
    Integers(ArrayD<i64>),
    Booleans(ArrayD<bool>),
}

impl InputValues {
    fn view(&self) -> InputArray<'_> {
        match self {
            Self::Numbers(array) => InputArray::Numbers(array.view()),
            Self::Integers(array) => InputArray::Integers(array.view()),
            Self::Booleans(array) => InputArray::Booleans(array.view()),
        }
    }

    fn shape(&self) -> &[usize] {
        match self {
            Self::Numbers(array) => array.shape(),
            Self::Integers(array) => array.shape(),
            Self::Booleans(array) => array.shape(),
        }
    }

    /// Keeps the counterfactuals that exist, of `n_rows` rows.
    fn select(self, spec: &InputSpec, kept: &[usize], n_rows: usize) -> Result<Self, Failure> {
        let axis = spec.axes.iter().position(|axis| *axis == "N").unwrap_or(0);
        let shape = self.shape().to_vec();
        if shape.get(axis) != Some(&n_rows) {
            let expected = format!("expected {} with N = {n_rows}, got {shape:?}", spec.shape());
            return Err(Failure::new(format_args!("{}: {expected}", spec.input)));
        }
        let axis = Axis(axis);
        Ok(match self {
            Self::Numbers(array) => Self::Numbers(array.select(axis, kept)),
            Self::Integers(array) => Self::Integers(array.select(axis, kept)),
            Self::Booleans(array) => Self::Booleans(array.select(axis, kept)),
        })
    }
}

impl Study {
    /// Reads the files that all methods share; without a schema also those of the methods, for the columns that they
    /// have.
    pub(super) fn read<'f>(
        options: &StudyOptions,
        files: &InputFiles,
        methods: impl IntoIterator<Item = &'f InputFiles>,
    ) -> Result<Self, Failure> {
        let query_rows = RowFile::read(files.needed(input::QUERIES)?)?;
        let train = files.get(input::TRAIN).map(RowFile::read).transpose()?;
        let described = match &options.schema {
            Some(file) => SchemaFile::read(file)?,
            None => default_schema(options, &query_rows, train.as_ref(), methods)?,
        };
        let schema = described.build(options.schema.as_deref())?;
        let class_column = described.class.as_deref().unwrap_or("predicted");
        let open = |file| OnnxModel::open(file, &options.engine);
        let model = files.get(input::MODEL).map(open).transpose()?;
        let queries = query_rows.rows(&schema)?;
        let mut study = Self {
            schema_file: options.schema.clone(),
            key: options.key.clone(),
            requested: options.requested.or(described.asked),
            reference: None,
            train_labels: Vec::new(),
            model,
            shared: Vec::new(),
            classes: Mutex::default(),
            target_class: options.target_class.clone(),
            schema,
            queries,
            query_rows,
        };
        if study.model.is_some() {
            // It predicts positions of outputs.
            study
                .declare_numbers()
                .map_err(|error| Failure::new(error.expected()))?;
        }
        if let Some(train) = train {
            let rows = train.rows(&study.schema)?;
            let labels = study.read_labels(options, files, &train, rows.view(), class_column)?;
            let schema = study.schema.schema.clone();
            let reference = Reference::new(schema, rows.view(), labels.as_deref())
                .in_files(&study.places(files))?;
            study.reference = Some(reference);
            study.train_labels = labels.unwrap_or_default();
        }
        study.shared = study.read_shared(files, class_column)?;
        let has_targets = study
            .shared
            .iter()
            .any(|(which, _)| *which == input::TARGET);
        if has_targets {
            study.target_class = None;
        } else if study.target_class.is_none() {
            let class = described.target.as_ref();
            study.target_class = class.map(|class| match class.as_str() {
                Some(word) => word.to_owned(),
                None => class.to_string(),
            });
        }
        Ok(study)
    }

    /// Classes of the training rows: predictions of the model, a file, a column, or the column of the predicted class.
    fn read_labels(
        &self,
        options: &StudyOptions,
        files: &InputFiles,
        train: &RowFile,
        rows: ArrayView2<'_, f64>,
        class_column: &str,
    ) -> Result<Option<Vec<i64>>, Failure> {
        if self.model.is_some() {
            return self.predict(rows).in_files(&self.places(files)).map(Some);
        }
        if let Some(file) = files.get(input::TRAIN_LABELS) {
            let labels = self.class_array::<ndarray::Ix1>(file)?;
            return Ok(Some(labels.to_vec()));
        }
        let column = options.label.as_deref().or(Some(class_column));
        let table = train.table().zip(column);
        let named = table.filter(|(table, column)| options.label.is_some() || table.has(column));
        named
            .map(|(table, column)| self.classes(table, column))
            .transpose()
    }

    /// Reads the inputs that describe the queries.
    fn read_shared(
        &self,
        files: &InputFiles,
        class_column: &str,
    ) -> Result<Vec<(Input, InputValues)>, Failure> {
        let mut shared = Vec::new();
        for spec in INPUTS.iter().filter(|spec| spec.axes == ["n"]) {
            if let Some(file) = files.get(spec.input) {
                shared.push((spec.input, self.array(spec, file)?));
            }
        }
        let has = |shared: &[(Input, InputValues)], which: Input| {
            shared.iter().any(|(it, _)| *it == which)
        };
        if let Some(table) = self.query_rows.table() {
            if !has(&shared, input::CLASS) && table.has(class_column) {
                let classes = self.classes(table, class_column)?;
                shared.push((input::CLASS, integers(classes)));
            }
            if !has(&shared, input::P_TARGET_QUERY) && table.has("p_target") {
                let numbers = own_numbers(table, "p_target")?;
                shared.push((input::P_TARGET_QUERY, numbers));
            }
        }
        if !has(&shared, input::CLASS) && self.model.is_some() {
            let classes = self
                .predict(self.queries.view())
                .in_files(&self.places(files))?;
            shared.push((input::CLASS, integers(classes)));
        }
        Ok(shared)
    }

    /// Reads the counterfactuals of a method.
    pub(super) fn method(&self, files: &InputFiles) -> Result<Method, Failure> {
        let source = RowFile::read(files.needed(input::COUNTERFACTUALS)?)?;
        let (rows, kept) = source.counterfactuals(&self.schema)?;
        let n_rows = source.n_rows();
        let query = self.query(&source, files, input::QUERY)?;
        let mut own = Vec::new();
        let of_rows = |spec: &&InputSpec| {
            spec.axes.contains(&"N")
                && ![input::COUNTERFACTUALS, input::QUERY].contains(&spec.input)
        };
        for spec in INPUTS.iter().filter(of_rows) {
            let values = match (files.get(spec.input), source.table()) {
                (Some(file), _) => Some(self.array(spec, file)?),
                (None, Some(table)) => self.column(spec, table)?,
                (None, None) => None,
            };
            if let Some(values) = values {
                // All rows exist in most files; the library then checks the shape.
                let values = if kept.len() == n_rows {
                    values
                } else {
                    values.select(spec, &kept, n_rows)?
                };
                own.push((spec.input, values));
            }
        }
        if self.model.is_some() && own.iter().all(|(which, _)| *which != input::PREDICTED) {
            let classes = self.predict(rows.view()).in_files(&self.places(files))?;
            own.push((input::PREDICTED, integers(classes)));
        }
        let others = match files.get(input::OTHERS) {
            None => None,
            Some(file) => {
                let source = RowFile::read(file)?;
                let (rows, kept) = source.counterfactuals(&self.schema)?;
                let query = self.query(&source, files, input::OTHER_QUERY)?;
                Some((rows, kept.iter().map(|&row| query[row]).collect()))
            }
        };
        Ok(Method {
            query: kept.iter().map(|&row| query[row]).collect(),
            rows,
            own,
            others,
        })
    }

    /// The nearest unlike neighbours of the queries, with the classes of the training rows.
    pub(super) fn unlike(&self, k: usize) -> CoreResult<Option<Method>> {
        let Some(reference) = self
            .reference
            .as_ref()
            .filter(|_| !self.train_labels.is_empty())
        else {
            return Ok(None);
        };
        let none = Method {
            rows: Array2::zeros((0, self.schema.columns.len())),
            query: Vec::new(),
            own: Vec::new(),
            others: None,
        };
        let data = self.data(&none)?;
        if !data.has(input::TARGET) {
            return Ok(None);
        }
        let pairs = nearest_unlike_neighbors(&data, k, MixedDistance::Gower)?;
        let positions: Vec<usize> = pairs.iter().map(|(_, row)| *row).collect();
        let classes = positions
            .iter()
            .map(|&row| self.train_labels[row])
            .collect();
        Ok(Some(Method {
            rows: reference.rows().select(Axis(0), &positions),
            query: pairs.iter().map(|(query, _)| *query).collect(),
            own: vec![(input::PREDICTED, integers(classes))],
            others: None,
        }))
    }

    /// The data of a method.
    pub(super) fn data<'a>(&'a self, method: &Method) -> CoreResult<CounterfactualData<'a>> {
        let schema = &self.schema.schema;
        let queries = self.queries.view();
        let mut data = CounterfactualData::new(schema, queries, method.rows.view(), &method.query)?;
        for (which, values) in self.shared.iter().chain(&method.own) {
            data = data.with(*which, values.view())?;
        }
        if let Some(target) = &self.target_class {
            // Words of classes may occur only in the tables of counterfactuals, which are read by now.
            let class = self.lock_classes().find(target);
            let class =
                class.map_err(|expected| Error::parameter(input::TARGET, target, expected))?;
            let targets = integers(vec![class; queries.nrows()]);
            data = data.with(input::TARGET, targets.view())?;
        }
        if let Some(reference) = &self.reference {
            data = data.reference(reference)?;
        }
        if let Some(requested) = self.requested {
            data = data.requested(requested)?;
        }
        if !self.schema.rules.is_empty() {
            data = data.rules(self.schema.rules.clone())?;
        }
        if let Some((rows, query)) = &method.others {
            data = data.others(rows.view(), query)?;
        }
        if self.model.is_some() {
            data = data.model(|rows| self.predict(rows));
        }
        Ok(data)
    }

    /// Number of counterfactuals per query that the methods were asked for, or that one of them gives at most.
    pub(super) fn n_requested(&self, methods: &[Method]) -> usize {
        let most = |method: &Method| {
            let mut counts = vec![0; self.queries.nrows()];
            for &query in &method.query {
                counts[query] += 1;
            }
            counts.into_iter().max().unwrap_or(0)
        };
        self.requested
            .unwrap_or_else(|| methods.iter().map(most).max().unwrap_or(1).max(1))
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.schema.schema
    }

    /// The queries, a row each.
    pub(super) fn queries(&self) -> ArrayView2<'_, f64> {
        self.queries.view()
    }

    /// The features with the columns of tables.
    pub(super) fn columns(&self) -> &TableSchema {
        &self.schema
    }

    /// The files that errors are about, and the options of those that are missing.
    pub(super) fn places<'a>(&'a self, files: &'a InputFiles) -> Files<'a> {
        let missing = INPUTS.iter().filter(|spec| !files.has(spec.input));
        files
            .places()
            .named_options(missing.map(|spec| spec.input.name()))
            .optional(
                &[input::SCHEMA, input::CONSTRAINTS],
                self.schema_file.as_ref(),
            )
            .options(&[
                (input::REQUESTED, "--requested"),
                (input::TARGET, "--target-class"),
                (input::TRAIN_LABELS, "--label"),
            ])
    }

    /// The groups of the queries by a column.
    pub(super) fn groups(&self, column: &str) -> Result<Vec<String>, Failure> {
        let table = self.query_table("--groups")?;
        Ok(table
            .cells(column)?
            .into_iter()
            .map(str::to_owned)
            .collect())
    }

    /// The query of each row of counterfactuals: a file, the key, the column `query`, or one row per query in their
    /// order.
    fn query(
        &self,
        source: &RowFile,
        files: &InputFiles,
        which: Input,
    ) -> Result<Vec<usize>, Failure> {
        let (n, n_rows) = (self.queries.nrows(), source.n_rows());
        let query = if let Some(file) = files.get(which) {
            let query = arrays::read_positions::<ndarray::Ix1>(file)?;
            let position = |&query: &i64| usize::try_from(query).unwrap_or(usize::MAX);
            query.iter().map(position).collect()
        } else if let (Some(key), Some(table)) = (&self.key, source.table()) {
            let known = self.queries_by_key(key)?;
            let cells = table.cells(key)?.into_iter().enumerate();
            let queries = cells.map(|(row, cell)| {
                let found = known.get(cell).copied();
                found.ok_or_else(|| table.cell(row, key, cell, "the key of a query"))
            });
            queries.collect::<Result<_, _>>()?
        } else if let Some(table) = source.table().filter(|table| table.has("query")) {
            let cells = table.cells("query")?.into_iter().enumerate();
            let expected = format!("the row number of one of {n} queries, from 0");
            let queries = cells.map(|(row, cell)| {
                let query = cell.parse().ok().filter(|&query: &usize| query < n);
                query.ok_or_else(|| table.cell(row, "query", cell, &expected))
            });
            queries.collect::<Result<_, _>>()?
        } else {
            (0..n).collect::<Vec<usize>>()
        };
        if query.len() == n_rows {
            return Ok(query);
        }
        let what = format!(
            "there are {n_rows} counterfactuals, and the query of {} of them is known",
            query.len()
        );
        Err(Failure::new(what).help("add a column `query` of row numbers of the queries from 0, or give --query-index or --key"))
    }

    /// The queries by a column, whose cells must differ.
    fn queries_by_key(&self, key: &str) -> Result<HashMap<&str, usize>, Failure> {
        let table = self.query_table("--key")?;
        let mut queries = HashMap::new();
        for (row, cell) in table.cells(key)?.into_iter().enumerate() {
            if queries.insert(cell, row).is_some() {
                let expected = "a key that no earlier query has";
                return Err(table.cell(row, key, cell, expected));
            }
        }
        Ok(queries)
    }

    fn query_table(&self, option: &str) -> Result<&TableFile, Failure> {
        let missing = || Failure::for_option(option, "needs queries with names of columns (.csv)");
        self.query_rows.table().ok_or_else(missing)
    }

    /// The column of an input in a table of counterfactuals, or the columns of predictions by other models.
    fn column(&self, spec: &InputSpec, table: &TableFile) -> Result<Option<InputValues>, Failure> {
        let name = spec.input.name();
        if spec.input == input::MODEL_PREDICTIONS {
            let models: Vec<String> = (0..)
                .map(|model| format!("model_{model}"))
                .take_while(|name| table.has(name))
                .collect();
            let classes = models.iter().map(|name| self.classes(table, name));
            let classes = classes.collect::<Result<Vec<_>, _>>()?.concat();
            let shape = IxDyn(&[models.len(), table.n_rows()]);
            let array = ArrayD::from_shape_vec(shape, classes).map_err(Failure::new)?;
            return Ok((!models.is_empty()).then_some(InputValues::Integers(array)));
        }
        let is_feature = self.schema.columns.iter().any(|column| column == name);
        if !OWN_COLUMNS.contains(&spec.input) || is_feature || !table.has(name) {
            return Ok(None);
        }
        match spec.element {
            Element::Class => self
                .classes(table, name)
                .map(|classes| Some(integers(classes))),
            Element::Boolean => {
                let cells = table.cells(name)?.into_iter().enumerate();
                let flags = cells.map(|(row, cell)| {
                    let flag = ClassesBuilder::default().number(cell).ok();
                    let wrong = || table.cell(row, name, cell, FLAG);
                    flag.and_then(flag_of).ok_or_else(wrong)
                });
                let flags = flags.collect::<Result<Vec<bool>, Failure>>()?;
                Ok(Some(InputValues::Booleans(
                    ArrayD::from_shape_vec(IxDyn(&[flags.len()]), flags).map_err(Failure::new)?,
                )))
            }
            _ => own_numbers(table, name).map(Some),
        }
    }

    fn classes(&self, table: &TableFile, column: &str) -> Result<Vec<i64>, Failure> {
        let mut classes = self.lock_classes();
        let cells = table.cells(column)?.into_iter().enumerate();
        let numbers = cells.map(|(row, cell)| {
            classes.number(cell).map_err(|error| {
                let failure = table.cell(row, column, cell, error.expected());
                match self.model {
                    Some(_) => failure.help("a model predicts the positions of its outputs, from 0: write classes as these numbers"),
                    None => error.help(failure),
                }
            })
        });
        numbers.collect()
    }

    fn lock_classes(&self) -> MutexGuard<'_, ClassesBuilder> {
        self.classes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Declares that classes are numbers, as in arrays and predictions of the model.
    fn declare_numbers(&self) -> Result<(), LabelError> {
        self.lock_classes().declare_numbers(false)
    }

    /// Reads classes from an array.
    fn class_array<D: ndarray::Dimension>(
        &self,
        file: &Path,
    ) -> Result<ndarray::Array<i64, D>, Failure> {
        self.declare_numbers().map_err(|error| {
            let what = format!("an array of numbers: expected {}", error.expected());
            error.help(Failure::new(what).in_file(file))
        })?;
        arrays::read_labels(file)
    }

    /// Reads the file of an input by its description.
    fn array(&self, spec: &InputSpec, file: &Path) -> Result<InputValues, Failure> {
        Ok(match spec.element {
            Element::Class => InputValues::Integers(self.class_array::<IxDyn>(file)?),
            Element::Integer => InputValues::Integers(arrays::read_positions::<IxDyn>(file)?),
            Element::Boolean => {
                let labels = arrays::read_labels::<IxDyn>(file)?;
                if let Some(other) = labels.iter().find(|flag| flag_of(**flag).is_none()) {
                    return Err(
                        Failure::new(format_args!("{other}: expected {FLAG}")).in_file(file)
                    );
                }
                InputValues::Booleans(labels.mapv(|flag| flag == 1))
            }
            _ => InputValues::Numbers(arrays::read_f64::<IxDyn>(file)?),
        })
    }

    /// The classes of rows by the model: the largest score, of equal ones the first.
    fn predict(&self, rows: ArrayView2<'_, f64>) -> CoreResult<Vec<i64>> {
        let model = self.model.as_ref().expect("called with a model only");
        let mut classes = Vec::with_capacity(rows.nrows());
        for batch in rows.axis_chunks_iter(Axis(0), BATCH) {
            let scores = model.outputs(batch.into_dyn());
            let scores = scores.map_err(|error| Error::model("prediction", error))?;
            if scores.ncols() < 2 {
                return Err(Error::parameter(
                    input::MODEL,
                    "one score per row",
                    "a score for each class",
                ));
            }
            classes.extend(scores.rows().into_iter().map(|row| {
                let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                row.iter().position(|&score| score == largest).unwrap_or(0) as i64
            }));
        }
        Ok(classes)
    }
}

fn integers(classes: Vec<i64>) -> InputValues {
    InputValues::Integers(ndarray::Array1::from_vec(classes).into_dyn())
}

fn own_numbers(table: &TableFile, column: &str) -> Result<InputValues, Failure> {
    let numbers = table.numbers(column)?;
    let words = || {
        Failure::new(format_args!(
            "the column {column} has words where numbers are expected"
        ))
    };
    let numbers = ndarray::Array1::from_vec(numbers.ok_or_else(words)?);
    Ok(InputValues::Numbers(numbers.into_dyn()))
}

/// Expectation of a flag.
const FLAG: &str = "1 or 0, or True or False";

fn flag_of(number: i64) -> Option<bool> {
    match number {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// The schema without a file of it: the columns that all tables have, or those of arrays by their numbers.
fn default_schema<'f>(
    options: &StudyOptions,
    queries: &RowFile,
    train: Option<&RowFile>,
    methods: impl IntoIterator<Item = &'f InputFiles>,
) -> Result<SchemaFile, Failure> {
    let RowFile::Table(table) = queries else {
        return Ok(SchemaFile::numeric(queries.n_columns()));
    };
    let mut tables: Vec<TableFile> = Vec::new();
    for files in methods {
        let file = files.needed(input::COUNTERFACTUALS)?;
        if let RowFile::Table(table) = RowFile::read(file)? {
            tables.push(table);
        }
    }
    let others: Vec<&TableFile> = tables
        .iter()
        .chain(train.and_then(RowFile::table))
        .collect();
    let is_input = |name: &str| {
        OWN_COLUMNS.iter().any(|own| own.name() == name)
            || ["query", "target"].contains(&name)
            || options.key.as_deref() == Some(name)
            || options.label.as_deref() == Some(name)
    };
    let is_feature = |name: &&String| !is_input(name) && others.iter().all(|other| other.has(name));
    let features: Vec<&String> = table.names().filter(is_feature).collect();
    SchemaFile::free(&features, table, &others)
}
