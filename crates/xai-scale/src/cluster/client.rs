//! A session whose queries a cluster answers.

use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use tokio::net::TcpStream;
use tokio::time::timeout;
use xai_files::Failure;

use super::address::Address;
use super::codec::{LogicalCodec, PhysicalCodec, functions};
use crate::failure::of_query;
use crate::session::Limits;

/// How long a scheduler may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(10);

/// A session that sends its queries to a scheduler.
pub(crate) async fn session(
    scheduler: &Address,
    limits: &Limits,
) -> Result<SessionContext, Failure> {
    reach(scheduler).await?;
    remote(scheduler, limits).map_err(|error| of_query(&error))
}

fn remote(scheduler: &Address, limits: &Limits) -> datafusion::error::Result<SessionContext> {
    let functions = functions()?;
    let config = SessionConfig::new_with_ballista()
        .with_ballista_logical_extension_codec(Arc::new(LogicalCodec::new(functions.clone())))
        .with_ballista_physical_extension_codec(Arc::new(PhysicalCodec::new(functions)));
    let state = SessionStateBuilder::new()
        .with_config(limits.apply(config))
        .with_default_features()
        .build();
    let state = state.upgrade_for_ballista(scheduler.url())?;
    // Last: the state for a cluster comes with the functions of the engine alone.
    let session = SessionContext::new_with_state(state);
    xai_datafusion::register(&session);
    Ok(session)
}

/// Connects once, so that a scheduler that is not there is told as that.
async fn reach(scheduler: &Address) -> Result<(), Failure> {
    let host = scheduler.host.trim_matches(['[', ']']);
    let reason = match timeout(PATIENCE, TcpStream::connect((host, scheduler.port))).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer within {} seconds", PATIENCE.as_secs()),
    };
    let failure = Failure::new(format_args!(
        "the scheduler at {scheduler} cannot be reached: {reason}"
    ));
    Err(failure.help("start one with `xai-scale scheduler`, or leave --scheduler out"))
}
