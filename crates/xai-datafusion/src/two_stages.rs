//! A query in two stages that any engine can run.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::catalog::streaming::StreamingTable;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{
    JoinType, Result, TableReference, exec_datafusion_err, exec_err, plan_datafusion_err, plan_err,
};
use datafusion::execution::{SendableRecordBatchStream, SessionStateBuilder, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::execution_plan::reset_plan_states;
use datafusion::physical_plan::metrics::Time;
use datafusion::physical_plan::repartition::BatchPartitioner;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use datafusion::prelude::SessionContext;
use futures::StreamExt;

use crate::function::Stages;
use crate::register::{queries_alone, register_all};

/// Version in the header of states, because another version may lay them out differently.
const VERSION: (&str, &str) = ("xai-datafusion", env!("CARGO_PKG_VERSION"));

/// A query over one table whose rows lie in parts, anywhere: in the tasks of another engine, on machines that know
/// nothing of each other.
///
/// [`partial`](Self::partial) makes of a part its states, one row for each group, with the values that it is grouped
/// by in the first [`n_keys`](Self::n_keys) columns. [`finish`](Self::finish) makes the result of the states of all
/// parts; or, where [`divide`](Self::divide) has sent the states of a group to one place, of those of some groups: the
/// results of the places stand one after the other. Any parts, in any order, give the same result, for functions of
/// this crate to the last bit.
///
/// A query without aggregate functions and groups has no states: `partial` gives rows of the result.
///
/// Other tables are those of the session, whole in each process: small ones, that the rows are joined with.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// use std::sync::Arc;
/// use datafusion::arrow::array::{AsArray, Float64Array, RecordBatch};
/// use datafusion::arrow::datatypes::Float64Type;
/// use datafusion::physical_plan::common::collect;
/// use datafusion::physical_plan::memory::MemoryStream;
/// use datafusion::prelude::SessionContext;
/// use xai_datafusion::TwoStages;
///
/// let part = |base: f64, masked: f64| {
///     let column = |value| Arc::new(Float64Array::from(vec![value])) as _;
///     RecordBatch::try_from_iter([("base", column(base)), ("masked", column(masked))])
/// };
/// let parts = [part(0.5, 0.25)?, part(0.8, 0.9)?];
/// let schema = parts[0].schema();
/// let sql = "SELECT average_drop(base, masked) AS drop FROM rows";
/// let query = TwoStages::plan(&SessionContext::new(), sql, "rows", &schema).await?;
///
/// let mut states = Vec::new();
/// for part in parts {
///     let part = MemoryStream::try_new(vec![part], schema.clone(), None)?;
///     states.extend(collect(query.partial(Box::pin(part))?).await?);
/// }
/// let states = MemoryStream::try_new(states, query.state_schema(), None)?;
/// let result = collect(query.finish(Box::pin(states))?).await?;
/// assert_eq!(result[0].column(0).as_primitive::<Float64Type>().value(0), 0.25 / (0.5 + 1e-8) / 2.0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct TwoStages {
    first: Stage,
    /// None where the first has made the result.
    last: Option<Stage>,
    n_keys: usize,
    context: Arc<TaskContext>,
}

impl TwoStages {
    /// Plans a query over the rows of `table`, which have this schema, and tables of the session.
    ///
    /// # Errors
    /// A planning error for what is no query, for a query that does not read `table`, and for one whose result cannot
    /// be made of the results of parts: one that orders or limits rows, has a window function, aggregates twice, reads
    /// the table twice or in a subquery inside an expression, keeps unmatched rows of another table in a join, or has
    /// another operation over the rows (such as `UNION`).
    pub async fn plan(
        session: &SessionContext,
        sql: &str,
        table: &str,
        schema: &SchemaRef,
    ) -> Result<Self> {
        let session = in_one_part(session)?;
        let rows = Once::new(table, schema, None);
        let part = Arc::clone(&rows) as Arc<dyn PartitionStream>;
        let read = StreamingTable::try_new(Arc::clone(schema), vec![part])?;
        // The catalog is that of the caller's session, which keeps nothing of this.
        session.register_table(table, Arc::new(read))?;
        let frame = session.sql_with_options(sql, queries_alone()).await;
        session.deregister_table(table)?;
        let (state, plan) = frame?.into_parts();
        let plan = state.optimize(&plan)?;
        // Normalised as in SQL: a name without quotes becomes lower case.
        let name = TableReference::from(table);
        let found = TableUse::in_plan(&plan, name.table())?;
        if !found.reads {
            return plan_err!("the query does not read the table {table}");
        }
        let whole = state.create_physical_plan(&plan).await?;
        let context = state.task_ctx();
        let (first, last, n_keys) = if found.aggregates {
            let (partial, last) = cut(whole, &rows)?;
            let functions = partial.aggr_expr().iter();
            let n_states: usize = functions
                .map(|function| Ok(function.state_fields()?.len()))
                .sum::<Result<_>>()?;
            let n_keys = partial.schema().fields().len() - n_states;
            (
                Arc::new(partial) as Arc<dyn ExecutionPlan>,
                Some(last),
                n_keys,
            )
        } else {
            (whole, None, 0)
        };
        let first = Stage { plan: first, rows };
        Ok(Self {
            first,
            last,
            n_keys,
            context,
        })
    }

    /// The columns of the rows that the query reads. To send only these, plan the query again with their schema,
    /// because [`partial`](Self::partial) takes rows of exactly the planned schema.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        let mut read = Vec::new();
        // An error is that of the closure, which has none.
        let _ = self.first.plan.apply(|node| {
            if let Some(rows) = find_scan(node, &self.first.rows) {
                let fields = rows.projected_schema().fields().iter();
                read.extend(fields.map(|field| field.name().clone()));
            }
            Ok(TreeNodeRecursion::Continue)
        });
        read
    }

    /// Returns whether the query has states, that is aggregate functions or groups.
    #[must_use]
    pub fn has_states(&self) -> bool {
        self.last.is_some()
    }

    /// Number of leading columns of the states that the query groups by.
    #[must_use]
    pub fn n_keys(&self) -> usize {
        self.n_keys
    }

    /// The columns of the states; those of the result where there are none.
    #[must_use]
    pub fn state_schema(&self) -> SchemaRef {
        match self.last {
            Some(_) => versioned(&self.first.plan.schema()),
            None => self.schema(),
        }
    }

    /// The columns of the result.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.last.as_ref().unwrap_or(&self.first).plan.schema()
    }

    /// The states of a part of the rows, or their result where there are no states. Without groups the states are one
    /// row, also those of no rows.
    ///
    /// # Errors
    /// For rows whose column types differ from those of the schema; in the stream those of the functions, and of the
    /// rows.
    pub fn partial(&self, rows: SendableRecordBatchStream) -> Result<SendableRecordBatchStream> {
        if types(&rows.schema()) != types(&self.first.rows.schema) {
            return exec_err!("the rows have other columns than the query was planned for");
        }
        let states = self.first.execute(rows, &self.context)?;
        if !self.has_states() {
            return Ok(states);
        }
        let schema = self.state_schema();
        let of_version = Arc::clone(&schema);
        let states = states.map(move |batch| Ok(batch?.with_schema(Arc::clone(&of_version))?));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, states)))
    }

    /// States by the place that they go to, out of `n`: those of equal groups to the same. Places without states are
    /// left out. Without groups all states go to place 0.
    ///
    /// # Errors
    /// For states of another query or of another version of this crate, and for a query without states.
    pub fn divide(&self, states: RecordBatch, n: usize) -> Result<Vec<(usize, RecordBatch)>> {
        self.check(states.schema_ref())?;
        if self.n_keys == 0 {
            return Ok(vec![(0, states)]);
        }
        let fields = states.schema_ref().fields().iter().take(self.n_keys);
        let keys = fields
            .enumerate()
            .map(|(at, field)| Arc::new(Column::new(field.name(), at)) as Arc<dyn PhysicalExpr>);
        let mut places = BatchPartitioner::new_hash_partitioner(keys.collect(), n, Time::new())?;
        let mut divided = Vec::new();
        places.partition(states, |place, states| {
            divided.push((place, states));
            Ok(())
        })?;
        Ok(divided)
    }

    /// The result of states: of all, or of all those of some groups.
    ///
    /// # Errors
    /// For states of another query, of another version of this crate, and damaged ones; for a query without states.
    pub fn finish(&self, states: SendableRecordBatchStream) -> Result<SendableRecordBatchStream> {
        let Some(last) = &self.last else {
            return plan_err!("the query has no states: the first stage has made the result");
        };
        self.check(&states.schema())?;
        last.execute(states, &self.context)
    }

    fn check(&self, given: &Schema) -> Result<()> {
        let (name, version) = VERSION;
        let by = given.metadata().get(name).map(String::as_str);
        if by != Some(version) {
            let by = by.unwrap_or("unknown");
            return exec_err!(
                "states of version {by}, this is {version}: use the same in all processes"
            );
        }
        if self.has_states() && types(given) == types(&self.state_schema()) {
            Ok(())
        } else {
            exec_err!("states of another query")
        }
    }
}

fn types(schema: &Schema) -> Vec<&DataType> {
    let fields = schema.fields().iter();
    fields.map(|field| field.data_type()).collect()
}

fn versioned(schema: &Schema) -> SchemaRef {
    let (name, version) = VERSION;
    let mut metadata = schema.metadata().clone();
    metadata.insert(name.to_owned(), version.to_owned());
    Arc::new(schema.clone().with_metadata(metadata))
}

/// The session with functions whose states leave the process, and plans that have one part.
fn in_one_part(session: &SessionContext) -> Result<SessionContext> {
    let state = session.state();
    let config = state.config().clone().with_target_partitions(1);
    // The catalogs of the session stay as they are.
    let config = config.with_create_default_catalog_and_schema(false);
    let state = SessionStateBuilder::new_from_existing(state)
        .with_config(config)
        .build();
    let mut session = SessionContext::new_with_state(state);
    register_all(&mut session, Stages::SeveralProcesses)?;
    Ok(session)
}

/// The stages of a plan: what makes states of rows, and the rest, which reads states.
fn cut(whole: Arc<dyn ExecutionPlan>, rows: &Arc<Once>) -> Result<(AggregateExec, Stage)> {
    let mut cut = None;
    let whole = whole.transform_down(|node| {
        let Some(aggregate) = node.downcast_ref::<AggregateExec>() else {
            return Ok(Transformed::no(node));
        };
        if !aggregate
            .input()
            .exists(|node| Ok(find_scan(node, rows).is_some()))?
        {
            return Ok(Transformed::no(node));
        }
        let functions = aggregate.aggr_expr().to_vec();
        let unfiltered = vec![None; functions.len()];
        let partial = AggregateExec::try_new(
            AggregateMode::Partial,
            aggregate.group_expr().clone(),
            functions.clone(),
            aggregate.filter_expr().to_vec(),
            Arc::clone(aggregate.input()),
            aggregate.input_schema(),
        )?;
        let states = Once::new("states", &versioned(&partial.schema()), None);
        let last = AggregateExec::try_new(
            AggregateMode::Final,
            aggregate.group_expr().as_final(),
            functions,
            unfiltered,
            read_once(&states, None)?,
            aggregate.input_schema(),
        )?;
        let is_whole = matches!(
            aggregate.mode(),
            AggregateMode::Single | AggregateMode::SinglePartitioned
        );
        cut = is_whole.then_some((partial, states));
        let last = Arc::new(last) as Arc<dyn ExecutionPlan>;
        Ok(Transformed::new(last, true, TreeNodeRecursion::Stop))
    })?;
    let (partial, rows) = cut.ok_or_else(|| {
        plan_datafusion_err!("the plan has no aggregation of the rows in one stage")
    })?;
    let plan = whole.data;
    Ok((partial, Stage { plan, rows }))
}

/// Uses of a table in a plan.
#[derive(Debug, Clone, Copy, Default)]
struct TableUse {
    reads: bool,
    aggregates: bool,
}

impl TableUse {
    /// Finds out whether a plan reads a table, and whether it aggregates the rows.
    ///
    /// # Errors
    /// A planning error if the result cannot be made of the results of parts.
    fn in_plan(plan: &LogicalPlan, table: &str) -> Result<Self> {
        let not_by_parts = |what: &str, instead: &str| {
            plan_err!("{what} is not possible where the rows of {table} lie in parts; {instead}")
        };
        let mut in_terms = false;
        plan.apply_subqueries(|inner| {
            in_terms |= Self::in_plan(inner, table)?.reads;
            Ok(TreeNodeRecursion::Continue)
        })?;
        if in_terms {
            return not_by_parts("a query inside a term", "join with its result");
        }
        if let LogicalPlan::TableScan(scan) = plan {
            let reads = scan.table_name.table() == table;
            let aggregates = false;
            return Ok(Self { reads, aggregates });
        }
        let below: Vec<Self> = plan
            .inputs()
            .into_iter()
            .map(|input| Self::in_plan(input, table))
            .collect::<Result<_>>()?;
        let n_reading = below.iter().filter(|it| it.reads).count();
        let Some(mut found) = below.iter().copied().find(|it| it.reads) else {
            return Ok(Self::default());
        };
        if n_reading > 1 {
            return not_by_parts(
                "a join of the table with itself",
                "join in the other engine",
            );
        }
        match plan {
            LogicalPlan::Projection(_)
            | LogicalPlan::Filter(_)
            | LogicalPlan::SubqueryAlias(_)
            | LogicalPlan::Unnest(_)
            | LogicalPlan::Subquery(_) => {}
            LogicalPlan::Aggregate(_) | LogicalPlan::Distinct(_) if found.aggregates => {
                return not_by_parts(
                    "an aggregation of an aggregation (DISTINCT in a function is one)",
                    "aggregate the result once more",
                );
            }
            LogicalPlan::Aggregate(_) => found.aggregates = true,
            LogicalPlan::Join(join) => {
                use JoinType as J;
                let is_left = below[0].reads;
                let keeps = match join.join_type {
                    J::Inner => true,
                    J::Left | J::LeftSemi | J::LeftAnti | J::LeftMark => is_left,
                    J::Right | J::RightSemi | J::RightAnti | J::RightMark => !is_left,
                    J::Full => false,
                };
                if !keeps {
                    return not_by_parts(
                        "a join that keeps rows of the other table",
                        "keep those of this one",
                    );
                }
            }
            LogicalPlan::Sort(_) | LogicalPlan::Limit(_) => {
                return not_by_parts("ORDER BY or LIMIT", "order the result");
            }
            LogicalPlan::Window(_) => {
                return not_by_parts("a window function", "aggregate, or compute it before");
            }
            other => {
                let node = other.display().to_string();
                let what = node.split([':', ' ']).next().unwrap_or_default();
                return not_by_parts(what, "do it in the other engine");
            }
        }
        Ok(found)
    }
}

/// Rows that are read once.
struct Once {
    name: String,
    schema: SchemaRef,
    rows: Mutex<Option<SendableRecordBatchStream>>,
}

impl Once {
    fn new(name: &str, schema: &SchemaRef, rows: Option<SendableRecordBatchStream>) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            schema: Arc::clone(schema),
            rows: Mutex::new(rows),
        })
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Once").field(&self.name).finish()
    }
}

impl PartitionStream for Once {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = self
            .rows
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        rows.unwrap_or_else(|| {
            let read = exec_datafusion_err!("the rows of {} are read once", self.name);
            let rows = futures::stream::iter([Err(read)]);
            Box::pin(RecordBatchStreamAdapter::new(
                Arc::clone(&self.schema),
                rows,
            ))
        })
    }
}

/// A plan that reads rows that are given later.
#[derive(Debug, Clone)]
struct Stage {
    plan: Arc<dyn ExecutionPlan>,
    /// Placeholder of the rows in the plan.
    rows: Arc<Once>,
}

impl Stage {
    fn execute(
        &self,
        rows: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        // What a plan keeps, as the rows of one side of a join, belongs to one execution.
        let plan = reset_plan_states(Arc::clone(&self.plan))?;
        let given = Once::new(&self.rows.name, &self.rows.schema, Some(rows));
        let plan = plan.transform_down(|node| {
            let Some(read) = find_scan(&node, &self.rows) else {
                return Ok(Transformed::no(node));
            };
            let projection = read.projection().as_ref().map(|columns| columns.to_vec());
            let read = read_once(&given, projection.as_ref())?;
            Ok(Transformed::yes(read))
        })?;
        plan.data.execute(0, Arc::clone(context))
    }
}

/// The node of a plan that reads these rows.
fn find_scan<'n>(
    node: &'n Arc<dyn ExecutionPlan>,
    rows: &Arc<Once>,
) -> Option<&'n StreamingTableExec> {
    let read = node.downcast_ref::<StreamingTableExec>()?;
    let is_rows =
        |it: &Arc<dyn PartitionStream>| std::ptr::addr_eq(Arc::as_ptr(it), Arc::as_ptr(rows));
    read.partitions().iter().any(is_rows).then_some(read)
}

fn read_once(rows: &Arc<Once>, projection: Option<&Vec<usize>>) -> Result<Arc<dyn ExecutionPlan>> {
    let parts = vec![Arc::clone(rows) as Arc<dyn PartitionStream>];
    let read = StreamingTableExec::try_new(
        Arc::clone(&rows.schema),
        parts,
        projection,
        None::<LexOrdering>,
        false,
        None,
    )?;
    Ok(Arc::new(read))
}
