//! What a scheduler tells by HTTP: whether it lives and can work, what it has counted, which queries it has. And one ends there.

use std::convert::Infallible;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get};
use ballista_core::error::BallistaError;
use ballista_core::serde::protobuf::{JobStatus, job_status};
use ballista_scheduler::metrics::prometheus::PrometheusMetricsCollector;
use ballista_scheduler::state::task_manager::JobOverview;
use serde_json::{Value, json};

use super::engine::{Engine, is_over};

/// The pages.
pub(super) fn router(engine: Engine) -> Router {
    Router::new()
        .route("/healthz", get(|| std::future::ready("ok")))
        .route("/readyz", get(is_ready))
        .route("/metrics", get(metrics))
        .route("/queries", get(queries))
        .route("/queries/{id}", delete(cancel))
        .with_state(engine)
}

async fn is_ready(State(engine): State<Engine>) -> (StatusCode, &'static str) {
    match engine.is_ready() {
        true => (StatusCode::OK, "ready"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "no executors"),
    }
}

/// What the engine counts, as Prometheus reads it.
async fn metrics() -> Response {
    let gathered = PrometheusMetricsCollector::current().and_then(|it| it.gather_metrics());
    match gathered {
        Ok(Some((text, kind))) => ([(header::CONTENT_TYPE, kind)], text).into_response(),
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(error) => failed(&error).into_response(),
    }
}

fn failed(error: &BallistaError) -> (StatusCode, String) {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

async fn queries(State(engine): State<Engine>) -> Response {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default();
    match engine.state.task_manager.get_all_jobs().await {
        Ok(mut jobs) => {
            jobs.sort_by_key(|job| job.start_time);
            let jobs = jobs.iter().map(|job| as_object(job, now));
            let jobs: Value = jobs.collect::<Vec<Value>>().into();
            (
                [(header::CONTENT_TYPE, "application/json")],
                jobs.to_string(),
            )
                .into_response()
        }
        Err(error) => failed(&error).into_response(),
    }
}

fn as_object(job: &JobOverview, now: Duration) -> Value {
    // Milliseconds since 1970, or zero.
    let end = match job.end_time {
        0 => now.as_millis() as u64,
        end => end,
    };
    let seconds = end.saturating_sub(job.start_time) as f64 / 1_000.0;
    json!({
        "id": job.job_id.as_str(),
        "state": state(&job.status),
        "client": job.job_name.split(' ').next(),
        "seconds": seconds,
        "stages_done": job.completed_stages,
        "stages": job.num_stages,
    })
}

fn state(job: &JobStatus) -> &'static str {
    use job_status::Status;
    match &job.status {
        Some(Status::Running(_)) => "running",
        Some(Status::Successful(_)) => "done",
        Some(Status::Failed(_)) => "failed",
        Some(Status::Queued(_)) | None => "waiting",
    }
}

/// Whether a call comes from the machine of the scheduler: from the address that it was sent to.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallerOnMachine(pub(super) bool);

impl<S: Sync> FromRequestParts<S> for CallerOnMachine {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(*parts.extensions.get().unwrap_or(&Self(false)))
    }
}

/// Whoever takes part is as good as any other: the query of somebody else is ended by those alone who are on the machine of the
/// scheduler.
async fn cancel(
    State(engine): State<Engine>,
    CallerOnMachine(is_on_machine): CallerOnMachine,
    Path(id): Path<String>,
) -> (StatusCode, String) {
    if !is_on_machine {
        let why = "a query is cancelled on the machine of the scheduler alone";
        return (StatusCode::FORBIDDEN, why.to_owned());
    }
    let jobs = engine.state.task_manager.get_all_jobs().await;
    let mut jobs = jobs.unwrap_or_default().into_iter();
    let Some(job) = jobs.find(|job| job.job_id.as_str() == id) else {
        return (StatusCode::NOT_FOUND, format!("no query {id}"));
    };
    if is_over(&job.status) {
        return (StatusCode::CONFLICT, format!("query {id} is over"));
    }
    match engine.cancel_job(job.job_id).await {
        Ok(()) => (StatusCode::OK, format!("query {id} is cancelled")),
        Err(error) => failed(&error),
    }
}
