//! What a scheduler tells, and queries that others end.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

use crate::harness::{Cluster, Files, LONGEST, ended};

/// Work for many minutes in small batches.
const SLOW: &str = "SELECT max(md5(repeat(CAST(base AS VARCHAR), 1000))) AS x FROM 'runs'";

/// The answer to a request by HTTP/1.1 from an address of this machine: its code and its text.
async fn ask(from: &str, cluster: &Cluster, request: &str, header: &str) -> (u16, String) {
    let socket = TcpSocket::new_v4().expect("a socket");
    let from: SocketAddr = format!("{from}:0").parse().expect("an address");
    socket.bind(from).expect("bound");
    let to = cluster.address.parse().expect("an address");
    let mut connection = socket.connect(to).await.expect("connected");
    let text = format!("{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{header}\r\n");
    connection.write_all(text.as_bytes()).await.expect("sent");
    let mut said = String::new();
    connection.read_to_string(&mut said).await.expect("text");
    let (head, body) = said.split_once("\r\n\r\n").expect("an answer");
    let code = head.split(' ').nth(1).expect("a code");
    (code.parse().expect("a number"), body.to_owned())
}

#[tokio::test]
async fn pages_tell_whether_a_scheduler_lives_and_works_and_what_it_counts() {
    let files = Files::with_scores(1000, 3, 2);
    let mut cluster = Cluster::new(0);
    let get = async |page: &str| ask("127.0.0.1", &cluster, &format!("GET {page}"), "").await;
    assert_eq!(get("/healthz").await, (200, "ok".to_owned()));
    assert_eq!(get("/readyz").await, (503, "no executors".to_owned()));
    assert_eq!(get("/queries").await, (200, "[]".to_owned()));
    cluster.add_executor();
    let to = ["--scheduler", cluster.address.as_str()];
    files.json("SELECT count(*) FROM 'runs'", &to);
    let get = async |page: &str| ask("127.0.0.1", &cluster, &format!("GET {page}"), "").await;
    assert_eq!(get("/readyz").await, (200, "ready".to_owned()));
    let (code, counts) = get("/metrics").await;
    assert_eq!(code, 200);
    for line in [
        "job_submitted_total 1",
        "job_completed_total 1",
        "job_failed_total 0",
    ] {
        assert!(counts.lines().any(|it| it == line), "{counts}");
    }
    // A page of somebody else in a browser on this machine says where it is from.
    let of_page = "Origin: http://example.org\r\n";
    assert_eq!(
        ask("127.0.0.1", &cluster, "GET /queries", of_page).await.0,
        403
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_are_listed_and_one_is_cancelled_on_the_machine_of_the_scheduler() {
    let files = Files::with_scores(1_000_000, 5, 2);
    let cluster = Cluster::new(1);
    let to = ["--scheduler", cluster.address.as_str()];
    let asked = files.start(&[&["sql", SLOW][..], &to].concat());
    cluster.wait_for_work(0);
    let list = files
        .run(&[&["queries", "--json"][..], &to].concat())
        .well();
    let list: serde_json::Value = serde_json::from_str(&list).expect("JSON");
    let query = &list[0];
    assert_eq!(query["state"], "running");
    assert_eq!(query["client"], "127.0.0.1");
    let id = query["id"].as_str().expect("an id");
    let table = files.run(&[&["queries"][..], &to].concat()).well();
    assert!(table.contains(id) && table.contains("running"), "{table}");
    // From an address that is not the scheduler's, as another machine has one.
    if cfg!(target_os = "linux") {
        let cancel = format!("DELETE /queries/{id}");
        let (code, why) = ask("127.0.0.2", &cluster, &cancel, "").await;
        assert_eq!(code, 403, "{why}");
    }
    let cancel = |id: &str| files.run(&[&["queries", "--cancel", id][..], &to].concat());
    assert!(cancel("other").badly(1).0.contains("no query other"));
    let begun = Instant::now();
    cancel(id).well();
    let said = ended(asked, LONGEST);
    let (error, _) = said.badly(1);
    assert!(error.contains("cancelled"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    let said = cancel(id);
    assert!(said.badly(1).0.contains("is over"), "{said:?}");
    let deadline = Instant::now() + LONGEST;
    while !cluster.log(0).contains("is over") || !cluster.results(0).is_empty() {
        assert!(Instant::now() < deadline, "still at work");
        std::thread::sleep(Duration::from_millis(20));
    }
}
