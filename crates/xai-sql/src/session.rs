//! Sessions of the query engine with our functions.

use std::str::FromStr;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::prelude::{SessionConfig, SessionContext};
use xai_datafusion::MemoryLimit;
use xai_files::Failure;

use crate::failure::query_failure;
use crate::faulty::NameFiles;
use crate::predict;
use crate::stores;

/// Limits and settings of a query.
#[derive(Debug, Clone, Default)]
pub(crate) struct Limits {
    /// Number of partitions that a table is read in at the same time. Defaults to the number of cores.
    pub(crate) partitions: Option<usize>,
    pub(crate) memory: Option<MemoryLimit>,
    pub(crate) settings: Vec<Setting>,
}

/// A setting of the engine that it has accepted.
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
        set.map_err(|error| query_failure(&error).into_message())?;
        Ok(Self { name, value })
    }
}

/// Setting of the engine that would contradict a memory limit.
const PARTITIONS: &str = "datafusion.execution.target_partitions";

impl Limits {
    fn config(&self) -> Result<SessionConfig, Failure> {
        let mut config = match self.partitions {
            Some(partitions) => SessionConfig::new().with_target_partitions(partitions),
            None => SessionConfig::new(),
        };
        // A folder is all files below it.
        let execution = &mut config.options_mut().execution;
        execution.listing_table_ignore_subdirectory = false;
        for Setting { name, value } in &self.settings {
            if self.memory.is_some() && name == PARTITIONS && value != "1" {
                let what = "a query with --memory-limit runs in one partition";
                let failure =
                    Failure::for_option("--set", what).with_value(format_args!("{name}={value}"));
                return Err(failure.help("leave one of the two options out"));
            }
            let set = config.options_mut().set(name, value);
            set.map_err(|error| query_failure(&error))?;
        }
        Ok(match self.memory {
            Some(limit) => limit.configure(config),
            None => config,
        })
    }

    fn runtime(&self) -> Result<Arc<RuntimeEnv>, Failure> {
        let runtime = RuntimeEnvBuilder::new().with_object_store_registry(stores::all());
        let runtime = match self.memory {
            Some(limit) => limit.limit(runtime),
            None => runtime,
        };
        runtime.build_arc().map_err(|error| query_failure(&error))
    }
}

/// Creates a session with our functions.
pub(crate) fn embedded(limits: &Limits) -> Result<SessionContext, Failure> {
    let state = SessionStateBuilder::new_with_default_features()
        .with_config(limits.config()?)
        .with_runtime_env(limits.runtime()?)
        .with_physical_optimizer_rule(Arc::new(NameFiles))
        .build();
    let session = SessionContext::new_with_state(state);
    xai_datafusion::register(&session);
    session.register_udf(predict::function());
    Ok(session)
}
