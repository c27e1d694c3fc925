//! How plans with our functions travel between the processes of a cluster.
//!
//! A function travels as its name. Each process looks the name up among its own functions: those of the engine and ours.

use std::sync::Arc;

use ballista_core::extension::SessionConfigExt;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use ballista_core::utils::{default_config_producer, default_session_builder};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, TableReference};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{FunctionRegistry, SessionState, SessionStateBuilder, TaskContext};
use datafusion::logical_expr::{AggregateUDF, Extension, LogicalPlan, ScalarUDF, WindowUDF};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use xai_datafusion::Stages;

use super::guard::check_plan;
use crate::predict;
use crate::session::with_whole_folders;
use crate::stores;
use crate::tables::named;

/// The settings of a session that a scheduler makes by itself.
pub(super) fn config() -> SessionConfig {
    // As the scheduler settles it for queries that have settings of their own (`service`).
    let config = default_config_producer().with_ballista_adaptive_query_planner(false);
    with_whole_folders(config.with_information_schema(true))
}

/// The state of a session on the scheduler or on an executor.
pub(super) fn state(config: SessionConfig) -> Result<SessionState> {
    let runtime = RuntimeEnvBuilder::new().with_object_store_registry(stores::all());
    let state = default_session_builder(config)?;
    let mut state = SessionStateBuilder::new_from_existing(state)
        .with_runtime_env(runtime.build_arc()?)
        .build();
    xai_datafusion::register_all(&mut state, Stages::SeveralProcesses)?;
    state.register_udf(Arc::new(predict::function()))?;
    Ok(state)
}

/// All functions of such a session.
pub(super) fn functions() -> Result<Arc<BallistaFunctionRegistry>> {
    let config = default_config_producer();
    Ok(Arc::new(BallistaFunctionRegistry::from(&state(config)?)))
}

macro_rules! functions_by_name {
    () => {
        fn try_decode_udf(&self, name: &str, _: &[u8]) -> Result<Arc<ScalarUDF>> {
            self.functions.udf(name)
        }

        fn try_decode_udaf(&self, name: &str, _: &[u8]) -> Result<Arc<AggregateUDF>> {
            self.functions.udaf(name)
        }

        fn try_decode_udwf(&self, name: &str, _: &[u8]) -> Result<Arc<WindowUDF>> {
            self.functions.udwf(name)
        }
    };
}

/// Logical plans, which a client sends to the scheduler.
#[derive(Debug)]
pub(super) struct LogicalCodec {
    engine: BallistaLogicalExtensionCodec,
    functions: Arc<BallistaFunctionRegistry>,
}

/// Physical plans, which the scheduler sends to executors.
#[derive(Debug)]
pub(super) struct PhysicalCodec {
    engine: BallistaPhysicalExtensionCodec,
    functions: Arc<BallistaFunctionRegistry>,
    /// Whether plans are checked, and their scans name the file that they cannot read: on executors, which run them.
    is_of_executor: bool,
}

impl LogicalCodec {
    pub(super) fn new(functions: Arc<BallistaFunctionRegistry>) -> Self {
        Self {
            engine: BallistaLogicalExtensionCodec::default(),
            functions,
        }
    }
}

impl PhysicalCodec {
    pub(super) fn new(functions: Arc<BallistaFunctionRegistry>) -> Self {
        Self {
            engine: BallistaPhysicalExtensionCodec::default(),
            functions,
            is_of_executor: false,
        }
    }

    pub(super) fn of_executor(functions: Arc<BallistaFunctionRegistry>) -> Self {
        Self {
            is_of_executor: true,
            ..Self::new(functions)
        }
    }
}

impl LogicalExtensionCodec for LogicalCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[LogicalPlan],
        context: &TaskContext,
    ) -> Result<Extension> {
        self.engine.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, bytes: &mut Vec<u8>) -> Result<()> {
        self.engine.try_encode(node, bytes)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        table: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        let engine = &self.engine;
        engine.try_decode_table_provider(bytes, table, schema, context)
    }

    fn try_encode_table_provider(
        &self,
        table: &TableReference,
        provider: Arc<dyn TableProvider>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        self.engine
            .try_encode_table_provider(table, provider, bytes)
    }

    fn try_decode_file_format(
        &self,
        bytes: &[u8],
        context: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.engine.try_decode_file_format(bytes, context)
    }

    fn try_encode_file_format(
        &self,
        bytes: &mut Vec<u8>,
        format: Arc<dyn FileFormatFactory>,
    ) -> Result<()> {
        self.engine.try_encode_file_format(bytes, format)
    }

    functions_by_name!();
}

impl PhysicalExtensionCodec for PhysicalCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if !self.is_of_executor {
            return self.engine.try_decode(bytes, inputs, context, converter);
        }
        // What an executor runs is a shuffle around the rest: the engine takes nothing else.
        let inputs = inputs.iter().map(|input| named(Arc::clone(input)));
        let inputs: Vec<_> = inputs.collect::<Result<_>>()?;
        let plan = self.engine.try_decode(bytes, &inputs, context, converter)?;
        check_plan(&plan).map(|()| plan)
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        self.engine.try_encode(node, bytes, converter)
    }

    functions_by_name!();
}
