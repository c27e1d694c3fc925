//! `xai-scale executor`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::utils::default_config_producer;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use clap::Args;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use tokio::net::TcpListener;
use xai_files::Failure;

use super::address::Address;
use super::codec::{LogicalCodec, PhysicalCodec, functions};
use super::guard;
use super::stoppable::StoppableEngine;
use super::tls::ServerTlsOptions;
use super::work_dir::{self, WorkDir};
use crate::amount;
use crate::data_root::DataRootOptions;
use crate::failure::of_query;
use crate::stores;

/// How long an executor waits for its scheduler to be there.
const PATIENCE: Duration = Duration::from_secs(30);

/// Seconds between looks for results that nobody needs any more, and how old they are then.
const CLEANING: Duration = Duration::from_secs(600);
const RESULTS_LIVE: Duration = Duration::from_secs(24 * 3600);

/// Runs an executor of a cluster until it is interrupted.
///
/// It asks the scheduler for work, reads the files by the paths that the query gives, and keeps its results in a
/// folder until others have fetched them from its port. It runs no plan that does more than read and compute, and opens no
/// file that is not below a --data-root. Results are handed out to those alone who have the secret of --token-file, or a
/// certificate; on the loopback both may be left out.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  xai-scale executor --scheduler 127.0.0.1:50050
  xai-scale executor --scheduler 10.0.0.5:50050 --bind 10.0.0.6 --token-file secret --data-root /data --work-dir /scratch/xai")]
pub(crate) struct Arguments {
    /// Where the scheduler listens.
    #[arg(long, value_name = "ADDRESS")]
    scheduler: Address,
    /// Address to listen on for those who fetch results; what is not the loopback lets others in.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Name or address by which others reach this executor; the one of --bind where it is not given.
    #[arg(long, value_name = "HOST")]
    advertise: Option<String>,
    /// Port to listen on; 0 takes a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Folder to make a folder in, for results and for what does not fit memory; the folder for temporary files where it
    /// is not given. Nothing else in it is touched.
    #[arg(long, value_name = "FOLDER")]
    work_dir: Option<PathBuf>,
    #[command(flatten)]
    readable: DataRootOptions,
    #[command(flatten)]
    tls: ServerTlsOptions,
    /// Parts of queries that are worked on at the same time; the number of cores where it is not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    concurrent_tasks: Option<u32>,
    /// Memory of all parts together, as 8GB; 70 % of the machine's where it is not given.
    #[arg(long, value_name = "BYTES", value_parser = amount::bytes)]
    memory_limit: Option<usize>,
}

/// Gives the threads of the tasks their stack. The engine makes them itself, with the stack that threads have where nothing
/// else is said, and that is told by this variable alone, to a program that starts. So the program starts once more.
#[cfg(unix)]
pub(crate) fn with_stack(bytes: usize) {
    use std::os::unix::process::CommandExt;
    const STACK: &str = "RUST_MIN_STACK";
    if std::env::var_os(STACK).is_some() {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        let arguments = std::env::args_os().skip(1);
        let mut again = std::process::Command::new(program);
        // It returns where it did not start: then the deepest terms have less room.
        let _ = again.args(arguments).env(STACK, bytes.to_string()).exec();
    }
}

/// Nothing, where a program cannot take the place of another.
#[cfg(not(unix))]
pub(crate) fn with_stack(_: usize) {}

/// Works until it is interrupted.
pub(crate) async fn run(arguments: Arguments) -> Result<(), Failure> {
    arguments.readable.install(arguments.bind)?;
    let tls = arguments.tls.read(arguments.bind)?;
    let address = free(SocketAddr::new(arguments.bind, arguments.port)).await?;
    let parent = arguments
        .work_dir
        .clone()
        .unwrap_or_else(std::env::temp_dir);
    for folder in work_dir::left_in(&parent) {
        eprintln!(
            "warning: {} was left by an executor that was killed: remove it",
            folder.display()
        );
    }
    let work_dir = WorkDir::new(&parent).map_err(|error| {
        let failure = Failure::new(format_args!("no folder can be made: {error}")).in_file(&parent);
        failure.help("name a folder that can be written to with --work-dir")
    })?;
    let results = work_dir.results();
    let results = results
        .to_str()
        .ok_or_else(|| Failure::of_option("--work-dir", "expected a name in Unicode"))?;
    tls.reach(&arguments.scheduler, PATIENCE).await?;
    let functions = functions().map_err(|error| of_query(&error))?;
    let engine = StoppableEngine::new(arguments.scheduler.clone(), tls.clone());
    let of_session = tls.clone();
    let temporary = results.to_owned();
    let mut config = ExecutorProcessConfig {
        bind_host: arguments.bind.to_string(),
        port: address.port(),
        external_host: Some(arguments.advertise.unwrap_or_else(|| match address {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        })),
        scheduler_host: arguments.scheduler.host.clone(),
        scheduler_port: arguments.scheduler.port,
        scheduler_connect_timeout_seconds: PATIENCE.as_secs() as u16,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(results.to_owned()),
        memory_pool_size: arguments.memory_limit.map(|bytes| bytes as u64),
        job_data_clean_up_interval_seconds: CLEANING.as_secs(),
        job_data_ttl_seconds: RESULTS_LIVE.as_secs(),
        override_execution_engine: Some(Arc::new(engine)),
        override_function_registry: Some(functions.clone()),
        override_logical_codec: Some(Arc::new(LogicalCodec::new(functions.clone()))),
        override_physical_codec: Some(Arc::new(PhysicalCodec::of_executor(functions))),
        override_create_grpc_client_endpoint: Some(tls.endpoint_override()),
        override_runtime_producer: Some(Arc::new(move |_| {
            RuntimeEnvBuilder::new()
                .with_temp_file_path(&temporary)
                .with_object_store_registry(stores::all())
                .build_arc()
        })),
        override_config_producer: Some(Arc::new(move || {
            of_session.apply(default_config_producer())
        })),
        ..ExecutorProcessConfig::default()
    };
    let largest_message = config.grpc_max_encoding_message_size as usize;
    config.override_arrow_flight_service = Some(guard::results(largest_message, tls.clone()));
    if let Some(tasks) = arguments.concurrent_tasks {
        config.vcores = tasks as usize;
    }
    println!("executor at {address}, scheduler {}", arguments.scheduler);
    if !arguments.bind.is_loopback() && !tls.is_on() {
        eprintln!("warning: whoever reaches {address} can read results: see --help");
    }
    let ended = start_executor_process(Arc::new(config)).await;
    ended.map_err(|error| {
        Failure::new(error).help(format_args!(
            "is there a scheduler at {}? start one with `xai-scale scheduler`",
            arguments.scheduler
        ))
    })
}

/// The address, with a free port where none is asked for. The port is let go again until the executor takes it, for the
/// engine wants its number.
async fn free(wanted: SocketAddr) -> Result<SocketAddr, Failure> {
    let listener = TcpListener::bind(wanted).await;
    let address = listener.and_then(|listener| listener.local_addr());
    address.map_err(|error| {
        Failure::new(format_args!("{wanted} cannot be listened on: {error}"))
            .help("give another port with --port")
    })
}
