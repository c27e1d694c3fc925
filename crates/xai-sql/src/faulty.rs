//! Errors of files by name.
//!
//! The engine reads many files at the same time, and its errors do not say which file they are about. So every scan of
//! files is wrapped: after an error it reads its files again, one after the other, until one fails. The wrapper also
//! yields after each batch, so that Ctrl-C ends a query.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::object_store::path::Path as Location;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{FutureExt, StreamExt};

use crate::failure::query_failure;
use crate::stores::url_of;

/// A file that cannot be read.
#[derive(Debug)]
pub(crate) struct Unreadable {
    store: ObjectStoreUrl,
    location: Location,
    pub(crate) reason: String,
}

impl Unreadable {
    /// The path, or the address in a store.
    pub(crate) fn file(&self) -> String {
        match self.store.as_str() {
            "file:///" => format!("/{}", self.location),
            store => format!("{store}{}", self.location),
        }
    }

    /// Returns `true` if a path or address means this file.
    pub(crate) fn is(&self, name: &Path) -> bool {
        url_of(name)
            .is_ok_and(|url| url.object_store() == self.store && *url.prefix() == self.location)
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file(), self.reason)
    }
}

impl Error for Unreadable {}

/// Wraps the scans of a plan, so that they name the file that they cannot read.
fn named(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let wrapped = |node: Arc<dyn ExecutionPlan>| match files_of(&node) {
        Some(_) => Ok(Transformed::yes(Arc::new(Scan(node)) as _)),
        None => Ok(Transformed::no(node)),
    };
    Ok(plan.transform_up(wrapped)?.data)
}

/// Optimizer rule that applies [`named`].
#[derive(Debug)]
pub(crate) struct NameFiles;

impl PhysicalOptimizerRule for NameFiles {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        named(plan)
    }

    fn name(&self) -> &str {
        "NameFiles"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// A wrapped scan of files.
#[derive(Debug)]
struct Scan(Arc<dyn ExecutionPlan>);

fn files_of(node: &Arc<dyn ExecutionPlan>) -> Option<&FileScanConfig> {
    let source = node.downcast_ref::<DataSourceExec>()?;
    source.data_source().downcast_ref()
}

impl DisplayAs for Scan {
    fn fmt_as(&self, of: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt_as(of, f)
    }
}

impl ExecutionPlan for Scan {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.0.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.0.apply_expressions(f)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.0.metrics()
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = self.0.execute(partition, Arc::clone(&context))?;
        let scan = Arc::clone(&self.0);
        // A reader of damaged bytes may panic.
        let rows = AssertUnwindSafe(rows).catch_unwind().then(move |batch| {
            let (scan, context) = (Arc::clone(&scan), Arc::clone(&context));
            async move {
                // The engine computes up to 128 batches before it yields, which may be minutes; Ctrl-C would wait for
                // that.
                tokio::task::yield_now().await;
                match batch.unwrap_or_else(|panic| Err(panicked(&*panic))) {
                    Ok(batch) => Ok(batch),
                    Err(error) => Err(first(&scan, &context).await.unwrap_or(error)),
                }
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }
}

/// Finds the first file of a scan that cannot be read to its end.
async fn first(
    scan: &Arc<dyn ExecutionPlan>,
    context: &Arc<TaskContext>,
) -> Option<DataFusionError> {
    let config = files_of(scan)?;
    for file in config.file_groups.iter().flat_map(FileGroup::iter) {
        if let Err(error) = without_panic(read(config, file, context)).await {
            let unreadable = Unreadable {
                store: config.object_store_url.clone(),
                location: file.object_meta.location.clone(),
                reason: query_failure(&error).into_message(),
            };
            return Some(DataFusionError::External(Box::new(unreadable)));
        }
    }
    None
}

async fn read(
    config: &FileScanConfig,
    file: &PartitionedFile,
    context: &Arc<TaskContext>,
) -> Result<()> {
    let alone = FileScanConfigBuilder::from(config.clone())
        .with_file_groups(vec![FileGroup::new(vec![file.clone()])])
        .with_output_partitioning(None)
        .build();
    let mut rows = DataSourceExec::from_data_source(alone).execute(0, Arc::clone(context))?;
    while let Some(batch) = rows.next().await {
        batch?;
    }
    Ok(())
}

/// Turns a panic of a reader into an error. Some readers panic on damaged bytes.
pub(crate) async fn without_panic<T>(reading: impl Future<Output = Result<T>>) -> Result<T> {
    let outcome = AssertUnwindSafe(reading).catch_unwind().await;
    outcome.unwrap_or_else(|panic| Err(panicked(&*panic)))
}

fn panicked(panic: &(dyn Any + Send)) -> DataFusionError {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref().copied())
        .unwrap_or("no reason given");
    DataFusionError::Execution(format!("damaged: its reader stopped with: {text}"))
}
