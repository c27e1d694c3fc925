//! A session whose queries a cluster answers.

use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use xai_files::Failure;

use super::address::Address;
use super::codec::{LogicalCodec, PhysicalCodec, functions};
use super::tls::{Tls, TlsOptions};
use crate::failure::of_query;
use crate::session::Limits;

/// How long a scheduler may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(10);

/// A session that sends its queries to a scheduler.
pub(crate) async fn session(
    scheduler: &Address,
    tls: &TlsOptions,
    limits: &Limits,
) -> Result<SessionContext, Failure> {
    let tls = tls.read()?;
    tls.reach(scheduler, PATIENCE).await?;
    remote(scheduler, &tls, limits).map_err(|error| of_query(&error))
}

fn remote(
    scheduler: &Address,
    tls: &Tls,
    limits: &Limits,
) -> datafusion::error::Result<SessionContext> {
    let functions = functions()?;
    let config = SessionConfig::new_with_ballista()
        .with_ballista_logical_extension_codec(Arc::new(LogicalCodec::new(functions.clone())))
        .with_ballista_physical_extension_codec(Arc::new(PhysicalCodec::new(functions)));
    let state = SessionStateBuilder::new()
        .with_config(limits.apply(tls.apply(config)))
        .with_default_features()
        .build();
    let state = state.upgrade_for_ballista(tls.url(scheduler))?;
    // Last: the state for a cluster comes with the functions of the engine alone.
    let session = SessionContext::new_with_state(state);
    xai_datafusion::register(&session);
    Ok(session)
}
