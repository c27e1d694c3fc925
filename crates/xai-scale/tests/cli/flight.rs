//! Results, and queries in SQL, at the port of a scheduler by Arrow Flight.

use std::time::{Duration, Instant};

use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::sql::client::FlightSqlServiceClient;
use arrow_flight::sql::{CommandGetCatalogs, ProstMessageExt, TicketStatementQuery};
use arrow_flight::{FlightInfo, Ticket};
use ballista_core::serde::protobuf::action::ActionType;
use ballista_core::serde::protobuf::{Action, FetchPartition};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::json::ArrayWriter;
use futures::TryStreamExt;
use prost::Message;
use tonic::transport::Channel;

use crate::functions::grouped;
use crate::harness::{Cluster, Files, LONGEST};

async fn channel(cluster: &Cluster) -> Channel {
    let url = format!("http://{}", cluster.address);
    let endpoint = Channel::from_shared(url).expect("an address");
    endpoint.connect().await.expect("connected")
}

/// A ticket of the engine for rows at a place.
fn ticket(host: &str, port: u16, job: &str) -> Vec<u8> {
    let fetch = FetchPartition {
        job_id: job.to_owned(),
        stage_id: 1,
        host: host.to_owned(),
        port: u32::from(port),
        ..FetchPartition::default()
    };
    let action = Action {
        action_type: Some(ActionType::FetchPartition(fetch)),
        settings: Vec::new(),
    };
    action.encode_to_vec()
}

async fn fetch(cluster: &Cluster, ticket: Vec<u8>) -> tonic::Status {
    let mut flight = FlightServiceClient::new(channel(cluster).await);
    let ticket = Ticket {
        ticket: ticket.into(),
    };
    let answer = match flight.do_get(ticket).await {
        Ok(answer) => answer.into_inner().message().await.map(drop),
        Err(status) => Err(status),
    };
    answer.expect_err("refused")
}

#[test]
fn results_come_by_the_port_of_the_scheduler() {
    let files = Files::with_scores(2000, 3, 4);
    let cluster = Cluster::with(2, &["--proxy-results"], &[]);
    let query = grouped("average_drop(base, masked)", "runs");
    let to = ["--scheduler", cluster.address.as_str(), "--partitions", "4"];
    assert_eq!(files.json(&query, &to), files.json(&query, &[]));
    let many = "SELECT base FROM 'runs' ORDER BY base";
    assert_eq!(files.json(many, &to), files.json(many, &[]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheduler_hands_out_results_where_it_shall_and_asks_its_executors_alone() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("listens");
    let port = listener.local_addr().expect("an address").port();
    let without = Cluster::new(0);
    let refused = fetch(&without, ticket("127.0.0.1", port, "job")).await;
    assert_eq!(refused.code(), tonic::Code::Unimplemented);
    for option in ["--proxy-results", "--flight-sql"] {
        let cluster = Cluster::with(1, &[option], &[]);
        // The same ticket in two ways.
        let both = |ticket: Vec<u8>| {
            let other = match option {
                "--flight-sql" => {
                    let handle = [vec![0], ticket.clone()].concat();
                    let message = TicketStatementQuery {
                        statement_handle: handle.into(),
                    };
                    message.as_any().encode_to_vec()
                }
                // Bytes that are a message of Flight SQL as well, which needs no check there.
                _ => [
                    CommandGetCatalogs {}.as_any().encode_to_vec(),
                    ticket.clone(),
                ]
                .concat(),
            };
            [ticket, other]
        };
        for (ticket, why) in [
            (ticket("127.0.0.1", port, "job"), "no executor"),
            (ticket("127.0.0.1", port, "../x"), "the name of no job"),
            (ticket("", 0, "/x"), "the name of no job"),
        ] {
            for ticket in both(ticket) {
                let refused = fetch(&cluster, ticket).await;
                assert!(refused.message().contains(why), "{option}: {refused:?}");
            }
        }
    }
    listener.set_nonblocking(true).expect("set");
    assert!(listener.accept().is_err(), "somebody has connected");
}

/// The rows of a query by Flight SQL, as JSON.
async fn rows(client: &mut FlightSqlServiceClient<Channel>, info: FlightInfo) -> String {
    let mut writer = ArrayWriter::new(Vec::new());
    for endpoint in info.endpoint {
        let ticket = endpoint.ticket.expect("a ticket");
        let rows = client.do_get(ticket).await.expect("rows");
        let rows: Vec<RecordBatch> = rows.try_collect().await.expect("rows");
        writer
            .write_batches(&rows.iter().collect::<Vec<_>>())
            .expect("JSON");
    }
    writer.finish().expect("JSON");
    String::from_utf8(writer.into_inner()).expect("text") + "\n"
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_by_flight_sql_have_the_bits_of_one_machine() {
    let files = Files::with_scores(2000, 3, 4);
    let folder = files.path("").canonicalize().expect("a folder");
    let folder = folder.to_str().expect("a name").trim_end_matches('/');
    let root = ["--data-root", folder];
    let cluster = Cluster::with(2, &["--flight-sql", "--data-root", folder], &root);
    let mut client = FlightSqlServiceClient::new(channel(&cluster).await);
    let table = format!("{folder}/runs");
    for call in [
        "average_drop(base, masked)",
        "exact_avg(base)",
        "groundtruth_auroc(base, masked > 0.5)",
    ] {
        let query = grouped(call, &table);
        let info = client.execute(query.clone(), None).await.expect(call);
        assert_eq!(
            rows(&mut client, info).await,
            files.json(&query, &[]),
            "{call}"
        );
        let mut prepared = client.prepare(query.clone(), None).await.expect(call);
        let info = prepared.execute().await.expect(call);
        assert_eq!(
            rows(&mut client, info).await,
            files.json(&query, &[]),
            "{call}"
        );
    }
    // Results come whole, and by hand a pattern.
    let query = format!("SELECT count(*) AS n FROM '{table}/*.parquet'");
    let info = client.execute(query, None).await.expect("a count");
    assert_eq!(rows(&mut client, info).await, "[{\"n\":2000}]\n");
    let terms = format!("SELECT {} AS n", vec!["1"; 1000].join(" + "));
    let info = client.execute(terms, None).await.expect("a sum");
    assert_eq!(rows(&mut client, info).await, "[{\"n\":1000}]\n");
    let tables = client.get_tables(arrow_flight::sql::CommandGetTables {
        include_schema: true,
        ..Default::default()
    });
    let info = tables.await.expect("tables");
    let mut n_tables = 0;
    for endpoint in info.endpoint {
        let rows = client.do_get(endpoint.ticket.expect("a ticket")).await;
        let rows: Vec<RecordBatch> = rows.expect("rows").try_collect().await.expect("rows");
        n_tables += rows.iter().map(RecordBatch::num_rows).sum::<usize>();
    }
    assert_eq!(n_tables, 1, "the folder `runs`");

    let outside = tempfile::tempdir().expect("a folder");
    let secret = outside.path().join("x.csv");
    std::fs::write(&secret, "a\n1\n").expect("written");
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), files.path("link")).expect("linked");
    let mut cases = vec![
        (
            format!("SELECT * FROM '{}'", secret.display()),
            "not below a --data-root",
        ),
        (
            format!("SELECT * FROM '{folder}/../x.csv'"),
            "not below a --data-root",
        ),
        (
            format!("COPY '{table}' TO '{folder}/written.csv'"),
            "COPY: expected SELECT",
        ),
        (
            "SET datafusion.execution.batch_size = 1".to_owned(),
            "SET: expected SELECT",
        ),
        (
            format!(
                "CREATE EXTERNAL TABLE x STORED AS CSV LOCATION '{}'",
                secret.display()
            ),
            "CREATE: expected SELECT",
        ),
        (
            format!("SELECT {}", vec!["1"; 5000].join(" + ")),
            "terms inside each other",
        ),
        (format!("SELECT nothing FROM '{table}'"), "nothing"),
        (
            "SELECT predict('/etc/hostname', [1.0])".to_owned(),
            "not below a --data-root",
        ),
    ];
    if cfg!(unix) {
        cases.push((
            format!("SELECT * FROM '{folder}/link'"),
            "not below a --data-root",
        ));
        cases.push((
            format!("SELECT * FROM '{folder}/link/x.csv'"),
            "not below a --data-root",
        ));
    }
    for (query, expected) in cases {
        let executed = client.execute(query.clone(), None).await;
        let said = format!("{:?}", executed.expect_err(&query));
        assert!(said.contains(expected), "{query}: {said}");
        let prepared = match client.prepare(query.clone(), None).await {
            Ok(mut prepared) => prepared.execute().await.map(drop),
            Err(error) => Err(error),
        };
        let said = format!("{:?}", prepared.expect_err(&query));
        assert!(said.contains(expected), "{query}: {said}");
        assert!(!files.path("written.csv").exists());
    }
    let update = client
        .execute_update("CREATE VIEW v AS SELECT 1".to_owned(), None)
        .await;
    assert!(update.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_by_flight_sql_ends_with_its_client() {
    let files = Files::with_scores(1_000_000, 5, 2);
    let cluster = Cluster::with(1, &["--flight-sql"], &[]);
    let mut client = FlightSqlServiceClient::new(channel(&cluster).await);
    let table = files.path("runs");
    let slow = format!(
        "SELECT max(md5(repeat(CAST(base AS VARCHAR), 1000))) AS x FROM '{}'",
        table.display()
    );
    let asked = tokio::spawn(async move { client.execute(slow, None).await.map(drop) });
    cluster.wait_for_work(0);
    asked.abort();
    let deadline = Instant::now() + LONGEST;
    while !cluster.log(0).contains("is over") || !cluster.results(0).is_empty() {
        assert!(Instant::now() < deadline, "still at work");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
