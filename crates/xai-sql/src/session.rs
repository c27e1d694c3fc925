//! A session of the engine with our functions.

use std::str::FromStr;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::prelude::{SessionConfig, SessionContext};
use xai_files::Failure;

use crate::failure::of_query;
use crate::predict;
use crate::stores;
use crate::tables::NameFiles;

/// Settings by which a folder is all files below it.
pub(crate) fn with_whole_folders(mut config: SessionConfig) -> SessionConfig {
    let execution = &mut config.options_mut().execution;
    execution.listing_table_ignore_subdirectory = false;
    config
}

/// How a query runs on this machine.
#[derive(Debug, Clone, Default)]
pub(crate) struct Limits {
    /// Parts that a table is read in at the same time; the number of cores where it is not given.
    pub(crate) partitions: Option<usize>,
    /// Bytes that the states of a query may take before they go to disk.
    pub(crate) memory: Option<usize>,
    /// Settings of the engine.
    pub(crate) settings: Vec<Setting>,
}

/// A setting of the engine that it has taken once: it has the name, and takes the value.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    name: String,
    value: String,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        let set = ConfigOptions::new().set(&name, &value);
        set.map_err(|error| of_query(&error).into_message())?;
        Ok(Self { name, value })
    }
}

impl Limits {
    /// The settings of a session.
    pub(crate) fn apply(&self, config: SessionConfig) -> datafusion::error::Result<SessionConfig> {
        let mut config = with_whole_folders(match self.partitions {
            Some(partitions) => config.with_target_partitions(partitions),
            None => config,
        });
        for Setting { name, value } in &self.settings {
            config.options_mut().set(name, value)?;
        }
        Ok(config)
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
    let config = limits.apply(SessionConfig::new());
    let state = SessionStateBuilder::new_with_default_features()
        .with_config(config.map_err(|error| of_query(&error))?)
        .with_runtime_env(limits.runtime()?)
        .with_physical_optimizer_rule(Arc::new(NameFiles))
        .build();
    let session = SessionContext::new_with_state(state);
    xai_datafusion::register(&session);
    session.register_udf(predict::function());
    Ok(session)
}
