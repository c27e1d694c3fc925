//! Codecs by which plans with the functions of this crate travel between processes (feature `distributed`).
//!
//! A distributed DataFusion, such as Ballista, sends plans as messages in which a function is only a name. The process
//! that receives a plan looks the name up. These codecs find the functions of this crate and leave everything else to
//! the codec of the engine. Engines that ask for a function registry instead get one from [`registry`].

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, TableReference};
use datafusion::datasource::file_format::FileFormatFactory;

use datafusion::execution::{FunctionRegistry, SessionStateDefaults, TaskContext};
use datafusion::logical_expr::registry::MemoryFunctionRegistry;
use datafusion::logical_expr::{
    AggregateUDF, Extension, HigherOrderUDF, LogicalPlan, ScalarUDF, WindowUDF,
};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_expr_common::physical_expr::proto_decode::PhysicalExprDecodeCtx;
use datafusion::physical_expr_common::physical_expr::proto_encode::PhysicalExprEncodeCtx;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};

use crate::function::Stages;
use crate::register::register_all;

/// Creates a registry with the functions of DataFusion and of this crate, for processes that run stages of a query.
///
/// # Errors
/// Errors of the registry.
pub fn registry() -> Result<MemoryFunctionRegistry> {
    let mut registry = MemoryFunctionRegistry::new();
    for function in SessionStateDefaults::default_scalar_functions() {
        registry.register_udf(function)?;
    }
    for function in SessionStateDefaults::default_aggregate_functions() {
        registry.register_udaf(function)?;
    }
    for function in SessionStateDefaults::default_window_functions() {
        registry.register_udwf(function)?;
    }
    register_all(&mut registry, Stages::SeveralProcesses)?;
    Ok(registry)
}

/// Codec for logical and physical plans that use the functions of this crate.
///
/// `C` is the codec of the engine, which reads and writes all nodes, tables and expressions of its own.
///
/// ```
/// use datafusion::prelude::SessionContext;
/// use datafusion_proto::bytes::{
///     logical_plan_from_bytes_with_extension_codec, logical_plan_to_bytes_with_extension_codec,
/// };
/// use datafusion_proto::logical_plan::DefaultLogicalExtensionCodec;
/// use xai_datafusion::distributed::FunctionCodec;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// let client = SessionContext::new();
/// xai_datafusion::register(&client);
/// let frame = client.sql("SELECT average_drop(0.5, 0.25)").await?;
///
/// let codec = FunctionCodec::new(DefaultLogicalExtensionCodec {})?;
/// let bytes = logical_plan_to_bytes_with_extension_codec(frame.logical_plan(), &codec)?;
/// // The other process has not registered anything.
/// let other = SessionContext::new().task_ctx();
/// let plan = logical_plan_from_bytes_with_extension_codec(&bytes, &other, &codec)?;
/// assert_eq!(plan.to_string(), frame.logical_plan().to_string());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct FunctionCodec<C> {
    engine: C,
    functions: MemoryFunctionRegistry,
}

impl<C> FunctionCodec<C> {
    /// Creates a codec around the codec of the engine.
    ///
    /// # Errors
    /// Errors of the [`registry`].
    pub fn new(engine: C) -> Result<Self> {
        let functions = registry()?;
        Ok(Self { engine, functions })
    }
}

/// The methods about functions, which both codec traits declare alike.
macro_rules! functions_by_name {
    () => {
        fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
            let known = self.functions.udf(name);
            known.or_else(|_| self.engine.try_decode_udf(name, bytes))
        }

        fn try_encode_udf(&self, function: &ScalarUDF, bytes: &mut Vec<u8>) -> Result<()> {
            self.engine.try_encode_udf(function, bytes)
        }

        fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
            let known = self.functions.udaf(name);
            known.or_else(|_| self.engine.try_decode_udaf(name, bytes))
        }

        fn try_encode_udaf(&self, function: &AggregateUDF, bytes: &mut Vec<u8>) -> Result<()> {
            self.engine.try_encode_udaf(function, bytes)
        }

        fn try_decode_udwf(&self, name: &str, bytes: &[u8]) -> Result<Arc<WindowUDF>> {
            let known = self.functions.udwf(name);
            known.or_else(|_| self.engine.try_decode_udwf(name, bytes))
        }

        fn try_encode_udwf(&self, function: &WindowUDF, bytes: &mut Vec<u8>) -> Result<()> {
            self.engine.try_encode_udwf(function, bytes)
        }

        fn try_decode_higher_order_function(
            &self,
            name: &str,
            bytes: &[u8],
        ) -> Result<Arc<HigherOrderUDF>> {
            self.engine.try_decode_higher_order_function(name, bytes)
        }

        fn try_encode_higher_order_function(
            &self,
            function: &HigherOrderUDF,
            bytes: &mut Vec<u8>,
        ) -> Result<()> {
            self.engine
                .try_encode_higher_order_function(function, bytes)
        }
    };
}

impl<C: LogicalExtensionCodec> LogicalExtensionCodec for FunctionCodec<C> {
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
        let engine = &self.engine;
        engine.try_encode_table_provider(table, provider, bytes)
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

impl<C: PhysicalExtensionCodec> PhysicalExtensionCodec for FunctionCodec<C> {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.engine.try_decode(bytes, inputs, context, converter)
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        self.engine.try_encode(node, bytes, converter)
    }

    fn try_decode_expr(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn PhysicalExpr>],
        context: &PhysicalExprDecodeCtx<'_>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        self.engine.try_decode_expr(bytes, inputs, context)
    }

    fn try_encode_expr(
        &self,
        expression: &Arc<dyn PhysicalExpr>,
        bytes: &mut Vec<u8>,
        context: &PhysicalExprEncodeCtx<'_>,
    ) -> Result<()> {
        self.engine.try_encode_expr(expression, bytes, context)
    }

    functions_by_name!();
}
