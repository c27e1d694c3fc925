//! Who can reach a scheduler.

use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use crate::harness::{Files, LONGEST, scheduler, server};

fn answers(address: &str) -> bool {
    let address: SocketAddr = address.parse().expect("an address");
    TcpStream::connect_timeout(&address, Duration::from_secs(2)).is_ok()
}

/// The address of this machine on its network, if it has one. Nothing is sent.
fn on_network() -> Option<String> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback()).then(|| address.to_string())
}

#[test]
fn a_scheduler_is_reached_by_the_loopback_alone_unless_told_otherwise() {
    let files = Files::new();
    let (_scheduler, address) = scheduler(&[], &files.path("log"));
    let port = address.strip_prefix("127.0.0.1:").expect("the loopback");
    assert!(answers(&address));
    if let Some(other) = on_network() {
        assert!(!answers(&format!("{other}:{port}")));
    }
    // Every address 127.x.x.x is this machine on Linux.
    if cfg!(target_os = "linux") {
        assert!(!answers(&format!("127.0.0.2:{port}")));
        let (_other, other) = scheduler(&["--bind", "127.0.0.2"], &files.path("log-of-other"));
        assert!(other.starts_with("127.0.0.2:") && answers(&other));
    }
}

#[test]
fn an_executor_is_reached_by_the_loopback_alone_unless_told_otherwise() {
    let files = Files::new();
    let (_scheduler, address) = scheduler(&[], &files.path("log"));
    let start = |rest: &[&str], log: &str| {
        let arguments = [&["executor", "--scheduler", &address][..], rest].concat();
        let (executor, line) = server(&arguments, &files.path(log));
        let address = line.strip_prefix("executor at ").expect("an address");
        let (address, _) = address.split_once(',').expect("its scheduler");
        let deadline = Instant::now() + LONGEST;
        while !answers(address) {
            assert!(Instant::now() < deadline, "{address} does not answer");
            std::thread::sleep(Duration::from_millis(50));
        }
        (executor, address.to_owned())
    };
    let (_executor, address) = start(&[], "log-of-executor");
    let port = address.strip_prefix("127.0.0.1:").expect("the loopback");
    if let Some(other) = on_network() {
        assert!(!answers(&format!("{other}:{port}")));
    }
    if cfg!(target_os = "linux") {
        assert!(!answers(&format!("127.0.0.2:{port}")));
        let (_other, address) = start(&["--bind", "127.0.0.2"], "log-of-other");
        assert!(address.starts_with("127.0.0.2:"), "{address}");
    }
}

#[test]
fn a_port_that_is_taken_is_an_error_that_names_it() {
    let files = Files::new();
    let (_scheduler, address) = scheduler(&[], &files.path("log"));
    let (_, port) = address.rsplit_once(':').expect("a port");
    for command in [
        &["scheduler", "--port", port][..],
        &["executor", "--scheduler", &address, "--port", port],
    ] {
        let said = files.run(command);
        let (error, help) = said.badly(1);
        assert!(error.starts_with(&address), "{error}");
        assert!(help.contains("--port"), "{help}");
    }
}

#[test]
fn a_scheduler_that_is_not_there_is_named() {
    let files = Files::with_scores(10, 2, 1);
    // A port that nobody listens on: it was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    drop(listener);
    let said = files.run(&[
        "sql",
        "SELECT count(*) FROM 'runs'",
        "--scheduler",
        &address,
    ]);
    let (error, help) = said.badly(1);
    assert!(
        error.contains(&address) && help.contains("xai-scale scheduler"),
        "{said:?}"
    );
}
