//! A session whose queries a cluster answers.

use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use ballista_core::serde::protobuf::CleanJobDataParams;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
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
use crate::session::Limits;

/// How long a scheduler may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a scheduler may take to hear that results are read.
const FAREWELL: Duration = Duration::from_secs(1);

/// A session that sends its queries to a scheduler. What they gave is removed from the executors when it is dropped.
pub(crate) struct Remote {
    pub(crate) session: SessionContext,
    scheduler: Address,
    tls: Tls,
}

impl Remote {
    /// Connects to a scheduler.
    pub(crate) async fn new(
        scheduler: &Address,
        tls: &TlsOptions,
        limits: &Limits,
    ) -> Result<Self, Failure> {
        let tls = tls.read()?;
        tls.reach(scheduler, PATIENCE).await?;
        let runtime = limits.runtime()?;
        let session = remote(scheduler, &tls, limits, runtime);
        let session = session.map_err(|error| of_query(&error))?;
        Ok(Self {
            session,
            scheduler: scheduler.clone(),
            tls,
        })
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let session = self.session.session_id();
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
        .with_config(limits.apply(tls.apply(config)))
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
