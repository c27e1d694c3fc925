//! `xai-scale scheduler`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::create_scheduler;
use clap::Args;
use tokio::net::TcpListener;
use xai_files::Failure;

use super::address::DEFAULT_PORT;
use super::codec::{self, LogicalCodec, PhysicalCodec};
use super::engine::Engine;
use super::service::{self, Rows};
use super::tls::ServerTlsOptions;
use crate::data_root::DataRootOptions;
use crate::failure::of_query;

/// Runs the scheduler of a cluster until it is interrupted.
///
/// Whoever has the secret of --token-file, or a certificate of the authority, can run queries, and with them read every file
/// below a --data-root of the executors. On the loopback address both may be left out: then everyone on this machine can.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  xai-scale scheduler
  xai-scale scheduler --bind 10.0.0.5 --token-file secret --data-root /data")]
pub(crate) struct Arguments {
    /// Address to listen on; what is not the loopback lets others in.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Port to listen on; 0 takes a free one, which is printed.
    #[arg(long, value_name = "PORT", default_value_t = DEFAULT_PORT)]
    port: u16,
    #[command(flatten)]
    readable: DataRootOptions,
    #[command(flatten)]
    tls: ServerTlsOptions,
    /// Seconds without a sign of life after which the work of an executor is given to others.
    // An executor that works on everything it can gives a sign every five seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(10..))]
    executor_timeout: u64,
    /// Hand out results at this port, so that clients need reach no executor.
    #[arg(long)]
    proxy_results: bool,
    /// Answer queries in SQL by Arrow Flight SQL (ADBC, JDBC) at this port, and hand out results.
    #[arg(long)]
    flight_sql: bool,
}

/// Listens and hands out work.
pub(crate) async fn run(arguments: Arguments) -> Result<(), Failure> {
    arguments.readable.install(arguments.bind)?;
    let tls = arguments.tls.read(arguments.bind)?;
    let wanted = SocketAddr::new(arguments.bind, arguments.port);
    let listener = TcpListener::bind(wanted).await;
    let listener = listener.map_err(|error| {
        Failure::new(format_args!("{wanted} cannot be listened on: {error}"))
            .help("give another port with --port, or --port 0 for a free one")
    })?;
    let address = listener.local_addr().map_err(Failure::new)?;
    let config = config(&arguments, address).map_err(|error| of_query(&error))?;
    let config = Arc::new(config);
    let cluster = BallistaCluster::new_from_config(&config).await;
    let cluster = cluster.map_err(Failure::new)?;
    let largest_message = config.grpc_server_max_decoding_message_size as usize;
    let engine: Engine = create_scheduler(cluster, config)
        .await
        .map_err(Failure::new)?;
    println!("scheduler at {address}");
    if !arguments.bind.is_loopback() && !tls.is_on() {
        eprintln!(
            "warning: whoever reaches {address} can run queries and read the files of the executors"
        );
    }
    let rows = match (arguments.flight_sql, arguments.proxy_results) {
        (true, _) => Rows::Queries,
        (false, true) => Rows::Results,
        (false, false) => Rows::Nothing,
    };
    tokio::select! {
        ended = service::serve(engine, listener, &tls, largest_message, rows) => ended.map_err(Failure::new),
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}

fn config(
    arguments: &Arguments,
    address: SocketAddr,
) -> datafusion::error::Result<SchedulerConfig> {
    let functions = codec::functions()?;
    Ok(SchedulerConfig {
        external_host: address.ip().to_string(),
        bind_host: address.ip().to_string(),
        bind_port: address.port(),
        // Executors ask for work: nothing but the exchange of results listens on them.
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        task_distribution: TaskDistributionPolicy::RoundRobin,
        executor_timeout_seconds: arguments.executor_timeout,
        expire_dead_executor_interval_seconds: (arguments.executor_timeout / 5).max(1),
        no_executors_grace_period_seconds: arguments.executor_timeout,
        finished_job_data_clean_up_interval_seconds: service::RESULTS_KEPT.as_secs(),
        // A client is told how its query ended when it ends.
        finished_job_state_clean_up_interval_seconds: 60,
        // Clients are told where results are.
        enable_embedded_flight_proxy: arguments.proxy_results,
        override_config_producer: Some(Arc::new(codec::config)),
        override_session_builder: Some(Arc::new(codec::state)),
        override_logical_codec: Some(Arc::new(LogicalCodec::new(functions.clone()))),
        override_physical_codec: Some(Arc::new(PhysicalCodec::new(functions))),
        ..SchedulerConfig::default()
    })
}
