//! A session of the engine with our functions.

use std::sync::Arc;

use datafusion::execution::SessionStateBuilder;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::prelude::{SessionConfig, SessionContext};
use xai_files::Failure;

use crate::failure::of_query;
use crate::predict;
use crate::stores;
use crate::tables::NameFiles;

/// How a query runs on this machine.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// Parts that a table is read in at the same time; the number of cores where it is not given.
    pub(crate) partitions: Option<usize>,
    /// Bytes that the states of a query may take before they go to disk.
    pub(crate) memory: Option<usize>,
}

impl Limits {
    /// The settings of a session.
    pub(crate) fn apply(&self, mut config: SessionConfig) -> SessionConfig {
        // A folder is all files below it.
        config
            .options_mut()
            .execution
            .listing_table_ignore_subdirectory = false;
        match self.partitions {
            Some(partitions) => config.with_target_partitions(partitions),
            None => config,
        }
    }

    /// Memory and temporary files of a session.
    pub(crate) fn runtime(&self) -> Result<Arc<RuntimeEnv>, Failure> {
        let builder = RuntimeEnvBuilder::new().with_object_store_registry(stores::all());
        let builder = match self.memory {
            Some(bytes) => builder.with_memory_pool(Arc::new(FairSpillPool::new(bytes))),
            None => builder,
        };
        builder.build_arc().map_err(|error| of_query(&error))
    }
}

/// A session that answers queries on this machine.
pub(crate) fn embedded(limits: &Limits) -> Result<SessionContext, Failure> {
    let state = SessionStateBuilder::new_with_default_features()
        .with_config(limits.apply(SessionConfig::new()))
        .with_runtime_env(limits.runtime()?)
        .with_physical_optimizer_rule(Arc::new(NameFiles))
        .build();
    let session = SessionContext::new_with_state(state);
    xai_datafusion::register(&session);
    session.register_udf(predict::function());
    Ok(session)
}
