//! Who is let in by a secret or by certificates.

use std::path::PathBuf;

use arrow_flight::Ticket;
use arrow_flight::flight_service_client::FlightServiceClient;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{ExecutorStoppedParams, GetJobStatusParams};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

use crate::functions::grouped;
use crate::harness::{Cluster, Files, Said, scheduler, server};

const DROP: &str = "average_drop(base, masked)";

/// Writes a secret, made of one character, and gives the name of its file.
fn secret(files: &Files, of: char) -> String {
    let file = files.path(format!("secret-{of}"));
    std::fs::write(&file, of.to_string().repeat(32) + "\n").expect("written");
    file.display().to_string()
}

#[test]
fn a_shared_secret_lets_in_and_gives_the_same_bits() {
    let files = Files::with_scores(2000, 3, 4);
    let token = secret(&files, 'a');
    let with = ["--token-file", token.as_str()];
    let cluster = Cluster::with(2, &with, &with);
    let query = grouped(DROP, "runs");
    let to = ["--scheduler", cluster.address.as_str()];
    let here = files.json(&query, &[]);
    let options = [&to[..], &with, &["--partitions", "4"]].concat();
    assert_eq!(files.json(&query, &options), here);
    // Both took part, so each has fetched what the other has computed.
    (0..2).for_each(|executor| cluster.wait_for_work(executor));

    let ask = |options: &[&str]| files.run(&[&["sql", &query][..], &to, options].concat());
    let said = ask(&[]);
    let (error, help) = said.badly(1);
    assert!(
        error.contains("without TLS") && help.contains("--token-file"),
        "{said:?}"
    );
    let other = secret(&files, 'b');
    let said = ask(&["--token-file", &other]);
    let (error, help) = said.badly(1);
    assert!(
        error.contains("certificate") && help.contains("same --token-file"),
        "{said:?}"
    );
    // An executor that has another secret is let in no more, and does not wait for it.
    for wrong in [&["--token-file", other.as_str()][..], &[]] {
        let said = files.run(&[&["executor"][..], &to, wrong].concat());
        let (error, _) = said.badly(1);
        assert!(error.contains(&cluster.address), "{said:?}");
    }
}

#[test]
fn a_scheduler_without_tls_is_told_from_one_that_is_not_there() {
    let files = Files::new();
    let token = secret(&files, 'a');
    let (running, address) = scheduler(&[], &files.path("log"));
    let query = ["sql", "SELECT 1", "--token-file", &token, "--scheduler"];
    let said = files.run(&[&query[..], &[&address]].concat());
    let (error, help) = said.badly(1);
    assert!(
        error.contains("certificate") && help.contains("same --token-file"),
        "{said:?}"
    );
    drop(running);
    let said = files.run(&[&query[..], &[&address]].concat());
    let (error, _) = said.badly(1);
    assert!(error.contains("cannot be reached"), "{said:?}");
}

#[test]
fn others_are_let_in_by_a_secret_certificates_or_an_express_word_alone() {
    let files = Files::new();
    let token = secret(&files, 'a');
    let data = files.path("").display().to_string();
    for command in [
        &["scheduler", "--port", "0"][..],
        &["executor", "--scheduler", "127.0.0.1:1"],
    ] {
        let with = |rest: &[&str]| {
            let bound = ["--bind", "0.0.0.0", "--data-root", &data];
            files.run(&[command, &bound, rest].concat())
        };
        let said = with(&[]);
        let (error, help) = said.badly(2);
        assert!(
            error.starts_with("--token-file") && help.contains("--insecure"),
            "{said:?}"
        );
        assert_eq!(
            with(&["--insecure", "--token-file", &token]).code,
            Some(2),
            "both"
        );
    }
    // A client has nobody to show them to.
    let said = files.run(&["sql", "SELECT 1", "--token-file", &token]);
    assert!(
        said.code == Some(2) && said.err.contains("--scheduler"),
        "{said:?}"
    );
}

#[test]
fn what_is_no_secret_and_no_certificate_is_named() {
    let files = Files::new();
    std::fs::write(files.path("short"), "x".repeat(31) + " \n").expect("written");
    let names = ["short", "secret", "absent"];
    std::fs::write(files.path("secret"), "x".repeat(64)).expect("written");
    let say = |options: &[&str]| -> Said {
        files.run(&[&["scheduler", "--port", "0"][..], options].concat())
    };
    let said = say(&["--token-file", names[0]]);
    let (error, help) = said.badly(1);
    assert!(
        error.contains("short: ") && help.contains("openssl rand"),
        "{said:?}"
    );
    let said = say(&["--token-file", names[2]]);
    assert!(said.badly(1).0.contains("absent: "), "{said:?}");
    let wrong = ["--tls-cert", "secret", "--tls-key", "secret", "--tls-ca"];
    let said = say(&[&wrong[..], &["secret"]].concat());
    assert!(said.badly(1).0.contains("secret: "), "{said:?}");
    for part in [&wrong[..2], &wrong[..4], &wrong[2..4]] {
        assert_eq!(say(part).code, Some(2), "{part:?}");
    }
}

/// An authority of certificates, whose files are in the folder of a test.
struct Authority(Issuer<'static, KeyPair>, String);

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut named = CertificateParams::default();
        named.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = named.self_signed(&key).expect("signed").pem();
        Self(Issuer::new(named, key), certificate)
    }

    /// Certificate and key of one who has these names.
    fn signed(&self, names: &[&str]) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let named = CertificateParams::new(names).expect("names");
        let certificate = named.signed_by(&key, &self.0).expect("signed");
        (certificate.pem(), key.serialize_pem())
    }

    /// Writes them, and gives the options that name them.
    fn options(&self, files: &Files, of: &str, names: &[&str]) -> Vec<String> {
        let (certificate, key) = self.signed(names);
        let write = |end: &str, text: &str| {
            let file: PathBuf = files.path(format!("{of}.{end}"));
            std::fs::write(&file, text).expect("written");
            file.display().to_string()
        };
        let certificate = write("cert", &certificate);
        let (key, authority) = (write("key", &key), write("ca", &self.1));
        [
            "--tls-cert",
            &certificate,
            "--tls-key",
            &key,
            "--tls-ca",
            &authority,
        ]
        .map(str::to_owned)
        .into()
    }
}

fn words(options: &[String]) -> Vec<&str> {
    options.iter().map(String::as_str).collect()
}

#[test]
fn certificates_of_one_authority_let_in() {
    let files = Files::with_scores(2000, 3, 4);
    let authority = Authority::new();
    let of_server = authority.options(&files, "server", &["127.0.0.1"]);
    let of_client = authority.options(&files, "client", &["analyst.example"]);
    let cluster = Cluster::with(2, &words(&of_server), &words(&of_server));
    let query = grouped(DROP, "runs");
    let to = ["--scheduler", cluster.address.as_str()];
    let options = [&to[..], &["--partitions", "4"], &words(&of_client)].concat();
    assert_eq!(files.json(&query, &options), files.json(&query, &[]));
    let other = Authority::new().options(&files, "other", &["127.0.0.1"]);
    let said = files.run(&[&["sql", &query][..], &to, &words(&other)].concat());
    assert!(said.badly(1).0.contains("certificate"), "{said:?}");
    // A server is known by its name, too.
    let misnamed = authority.options(&files, "misnamed", &["elsewhere.example"]);
    let (_scheduler, address) = scheduler(&words(&misnamed), &files.path("log"));
    let to = ["sql", "SELECT 1", "--scheduler", &address];
    let said = files.run(&[&to[..], &words(&of_client)].concat());
    assert!(said.badly(1).0.contains("not valid for name"), "{said:?}");
}

/// Connects as one who believes in an authority, and shows a certificate or none.
async fn connected(
    address: &str,
    trusted: &str,
    shown: Option<&(String, String)>,
) -> Result<Channel, tonic::transport::Error> {
    let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(trusted));
    let tls = match shown {
        Some((certificate, key)) => tls.identity(Identity::from_pem(certificate, key)),
        None => tls,
    };
    let endpoint = Endpoint::from_shared(format!("https://{address}")).expect("an address");
    endpoint
        .tls_config(tls)
        .expect("certificates")
        .connect()
        .await
}

/// The checks of the servers: our own client would not come as far.
#[tokio::test(flavor = "multi_thread")]
async fn scheduler_and_executor_answer_nobody_without_a_certificate_of_their_authority() {
    let files = Files::new();
    let (authority, other) = (Authority::new(), Authority::new());
    let of_server = authority.options(&files, "server", &["127.0.0.1"]);
    let (_scheduler, scheduler) = scheduler(&words(&of_server), &files.path("log"));
    let arguments = ["executor", "--scheduler", &scheduler];
    let arguments = [&arguments[..], &words(&of_server)].concat();
    let (_executor, line) = server(&arguments, &files.path("log-of-executor"));
    let executor = line.strip_prefix("executor at ").expect("an address");
    let (executor, _) = executor.split_once(',').expect("its scheduler");
    // The executor is there once the scheduler has heard of it.
    let known = authority.signed(&["client"]);
    let ask_scheduler = async |shown: Option<&(String, String)>| {
        let channel = connected(&scheduler, &authority.1, shown).await;
        let mut calls = SchedulerGrpcClient::new(channel.ok()?);
        let asked = calls.get_job_status(GetJobStatusParams::default()).await;
        let answers = is_answer(asked);
        let stopped = calls.executor_stopped(ExecutorStoppedParams::default());
        assert_eq!(is_answer(stopped.await), answers);
        answers.then_some(())
    };
    let ask_executor = async |shown: Option<&(String, String)>| {
        let channel = connected(executor, &authority.1, shown).await;
        let mut calls = FlightServiceClient::new(channel.ok()?);
        is_answer(calls.do_get(Ticket::new("x")).await).then_some(())
    };
    let deadline = std::time::Instant::now() + crate::harness::LONGEST;
    while ask_executor(Some(&known)).await.is_none() {
        assert!(std::time::Instant::now() < deadline, "no executor");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(ask_scheduler(Some(&known)).await, Some(()));
    let stranger = other.signed(&["client"]);
    for shown in [None, Some(&stranger)] {
        assert_eq!(ask_scheduler(shown).await, None);
        assert_eq!(ask_executor(shown).await, None);
    }
}

/// Whether a server has said anything, be it that it refuses: its own words have no source.
fn is_answer<T>(answer: Result<T, tonic::Status>) -> bool {
    use std::error::Error;
    answer.map_or_else(|status| status.source().is_none(), |_| true)
}
