//! A session whose queries a cluster answers.

use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use ballista_core::serde::protobuf::CleanJobDataParams;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use clap::Args;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::prelude::{SessionConfig, SessionContext};
use tokio::time::timeout;
use xai_files::Failure;

use super::address::Address;
use super::codec::{LogicalCodec, PhysicalCodec, functions};
use super::tls::{Tls, TlsOptions};
use crate::failure::of_query;
use crate::predict;
use crate::session::{Limits, embedded};

/// How long a scheduler may take to hear that results are read.
const FAREWELL: Duration = Duration::from_secs(1);

/// Where the work is done, as options of a command.
#[derive(Debug, Args)]
#[command(mut_group("TlsOptions", |group| group.requires("scheduler")))]
pub(crate) struct ClusterOptions {
    /// Send the work to the cluster of this scheduler; its executors read files by the same paths.
    #[arg(long, value_name = "ADDRESS")]
    scheduler: Option<Address>,
    #[command(flatten)]
    tls: TlsOptions,
}

impl ClusterOptions {
    /// The scheduler, where there is one.
    pub(crate) fn scheduler(&self) -> Option<&Address> {
        self.scheduler.as_ref()
    }

    /// A session here or on the cluster.
    pub(crate) async fn session(&self, limits: &Limits) -> Result<Session, Failure> {
        let Some(scheduler) = &self.scheduler else {
            return Ok(Session {
                context: embedded(limits)?,
                results: None,
            });
        };
        let tls = self.tls.read()?;
        tls.reach(scheduler, Duration::ZERO).await?;
        let runtime = limits.runtime()?;
        let context = remote(scheduler, &tls, limits, runtime);
        let context = context.map_err(|error| of_query(&error))?;
        let results = Results {
            session: context.session_id(),
            scheduler: scheduler.clone(),
            tls,
        };
        Ok(Session {
            context,
            results: Some(results),
        })
    }
}

/// A session of a command, to be held until what it gave is read.
pub(crate) struct Session {
    pub(crate) context: SessionContext,
    results: Option<Results>,
}

impl Session {
    /// Whether a cluster answers.
    pub(crate) fn is_remote(&self) -> bool {
        self.results.is_some()
    }
}

/// What the queries of a session gave, which is removed from the executors when this is dropped.
struct Results {
    session: String,
    scheduler: Address,
    tls: Tls,
}

impl Drop for Results {
    fn drop(&mut self) {
        let session = self.session.clone();
        let (tls, scheduler) = (&self.tls, &self.scheduler);
        let tell = async move {
            let Ok(endpoint) = tls.endpoint(scheduler) else {
                return;
            };
            if let Ok(channel) = endpoint.connect().await {
                let read = CleanJobDataParams {
                    job_id: session,
                    ..CleanJobDataParams::default()
                };
                let _ = SchedulerGrpcClient::new(channel).clean_job_data(read).await;
            }
        };
        // On a thread of its own: this one may belong to a runtime, which does not wait. A scheduler that hears nothing removes
        // them later.
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build();
                runtime.map(|runtime| runtime.block_on(async { timeout(FAREWELL, tell).await }))
            });
        });
    }
}

fn remote(
    scheduler: &Address,
    tls: &Tls,
    limits: &Limits,
    runtime: Arc<RuntimeEnv>,
) -> datafusion::error::Result<SessionContext> {
    let functions = functions()?;
    let config = SessionConfig::new_with_ballista()
        .with_ballista_logical_extension_codec(Arc::new(LogicalCodec::new(functions.clone())))
        .with_ballista_physical_extension_codec(Arc::new(PhysicalCodec::new(functions)));
    let state = SessionStateBuilder::new()
        .with_config(limits.apply(tls.apply(config))?)
        .with_runtime_env(runtime)
        .with_default_features()
        .build();
    let state = state.upgrade_for_ballista(tls.url(scheduler))?;
    // Last: the state for a cluster comes with the functions of the engine alone.
    let session = SessionContext::new_with_state(state);
    xai_datafusion::register(&session);
    session.register_udf(predict::function());
    Ok(session)
}
