//! `xai-scale queries`.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use axum::body::to_bytes;
use axum::http::{Method, Request, StatusCode};
use clap::Args;
use datafusion::arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use serde_json::Value;
use tonic::body::Body;
use tonic::client::GrpcService;
use xai_files::Failure;

use super::address::Address;
use super::guard;
use super::tls::TlsOptions;
use crate::output;

/// The longest list that is read.
const LONGEST: usize = 64 << 20;

/// Lists the queries of a cluster that run or have ended within the last minute, or cancels one.
///
/// Of each its id, whether it is waiting, running, done or failed, the address of its client, seconds, and how many of its stages are done. A
/// query is cancelled on the machine of the scheduler alone; elsewhere stop its client (Ctrl-C).
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  xai-scale queries --scheduler 127.0.0.1:50050
  xai-scale queries --scheduler 10.0.0.5:50050 --token-file secret --cancel 038HQ2Z")]
pub(crate) struct Arguments {
    /// Where the scheduler listens.
    #[arg(long, value_name = "ADDRESS")]
    scheduler: Address,
    #[command(flatten)]
    tls: TlsOptions,
    /// Cancel the query with this id.
    #[arg(long, value_name = "ID", conflicts_with = "json")]
    cancel: Option<String>,
    /// Print a list of objects instead of a table.
    #[arg(long)]
    json: bool,
}

/// Lists them, or cancels one.
pub(crate) async fn run(arguments: Arguments) -> Result<(), Failure> {
    if let Some(id) = &arguments.cancel {
        if !guard::is_plain(id) {
            let failure = Failure::of_option("--cancel", "expected the id of a query");
            return Err(failure.with_value(id));
        }
        let said = arguments
            .ask(Method::DELETE, &format!("/queries/{id}"))
            .await?;
        return output::print(format!("{said}\n").as_bytes());
    }
    let list = arguments.ask(Method::GET, "/queries").await?;
    if arguments.json {
        return output::print(format!("{list}\n").as_bytes());
    }
    let odd = |_| Failure::new("the scheduler answers something else: is it of another version?");
    let list: Vec<Value> = serde_json::from_str(&list).map_err(odd)?;
    output::print_table(&as_rows(&list)?)
}

impl Arguments {
    /// What the scheduler answers.
    async fn ask(&self, method: Method, page: &str) -> Result<String, Failure> {
        let tls = self.tls.read()?;
        tls.reach(&self.scheduler, Duration::ZERO).await?;
        let channel = match tls.endpoint(&self.scheduler) {
            Ok(endpoint) => endpoint.connect().await,
            Err(error) => Err(error),
        };
        let mut channel = channel.map_err(Failure::new)?;
        let request = Request::builder()
            .method(method)
            .uri(page)
            .body(Body::empty());
        let request = request.map_err(Failure::new)?;
        let ready = poll_fn(|context| channel.poll_ready(context)).await;
        ready.map_err(Failure::new)?;
        let answer = channel.call(request).await.map_err(Failure::new)?;
        let (head, body) = answer.into_parts();
        let body = to_bytes(axum::body::Body::new(body), LONGEST).await;
        let body = String::from_utf8_lossy(&body.map_err(Failure::new)?).into_owned();
        match head.status {
            StatusCode::OK => Ok(body),
            _ => Err(Failure::new(body)),
        }
    }
}

fn as_rows(list: &[Value]) -> Result<RecordBatch, Failure> {
    let texts = |name: &str| -> ArrayRef {
        let texts = list.iter().map(|query| query[name].as_str());
        Arc::new(texts.collect::<StringArray>())
    };
    let seconds = list.iter().map(|query| query["seconds"].as_f64());
    let seconds: ArrayRef = Arc::new(seconds.collect::<Float64Array>());
    let stages = list
        .iter()
        .map(|query| Some(format!("{}/{}", query["stages_done"], query["stages"])));
    let stages: ArrayRef = Arc::new(stages.collect::<StringArray>());
    let rows = RecordBatch::try_from_iter([
        ("id", texts("id")),
        ("state", texts("state")),
        ("client", texts("client")),
        ("seconds", seconds),
        ("stages", stages),
    ]);
    rows.map_err(|error| Failure::new(error.to_string()))
}
