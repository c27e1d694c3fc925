//! Who takes part in a cluster: every connection is mutual TLS, by certificates that people have or by a secret that they share.

use std::error::Error;
use std::fmt;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ballista_core::extension::{EndpointOverrideFn, SessionConfigExt};
use ballista_core::serde::protobuf::GetJobStatusParams;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::utils::{GrpcClientConfig, create_grpc_client_endpoint};
use clap::Args;
use datafusion::prelude::SessionConfig;
use rcgen::{CertificateParams, KeyPair, PKCS_ED25519};
use ring::hkdf;
use tonic::transport::{
    Certificate, ClientTlsConfig, Endpoint, Error as TransportError, Identity, Server,
    ServerTlsConfig,
};
use xai_files::{Failure, InFile};

use super::address::Address;

/// The fewest characters of a secret: 128 bits as they are written in hexadecimal digits.
const SHORTEST_TOKEN: usize = 32;

/// What a key is derived for, so that the same secret gives another key elsewhere.
const PURPOSE: &[u8] = b"xai-scale: key of a cluster, version 1";

/// The name in the certificates of those that share a secret: whoever has it may be reached at any address.
pub(super) const MEMBER: &str = "member.xai-scale.internal";

/// How a process of a cluster, or a client, shows who it is and knows the others.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TlsOptions {
    /// File with a secret of at least 32 characters (openssl rand -hex 32) that scheduler, executors and clients share: every
    /// connection is encrypted, and refused to those who do not have it.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Certificate to show, in PEM, with those between it and its authority: of a server by the name that others reach it by.
    #[arg(long, value_name = "FILE", requires_all = ["tls_key", "tls_ca"], conflicts_with = "token_file")]
    tls_cert: Option<PathBuf>,
    /// Key of that certificate, in PEM.
    #[arg(long, value_name = "FILE", requires_all = ["tls_cert", "tls_ca"])]
    tls_key: Option<PathBuf>,
    /// Certificate of the authority, in PEM, which has signed those of all who take part.
    #[arg(long, value_name = "FILE", requires_all = ["tls_cert", "tls_key"])]
    tls_ca: Option<PathBuf>,
}

/// The same of a process that others connect to.
#[derive(Debug, Clone, Args)]
pub(super) struct ServerTlsOptions {
    #[command(flatten)]
    tls: TlsOptions,
    /// Listen on a network without TLS, for it is protected by other means (WireGuard, a proxy).
    #[arg(long, conflicts_with_all = ["token_file", "tls_cert"])]
    insecure: bool,
}

impl TlsOptions {
    /// Reads secret or certificates.
    pub(crate) fn read(&self) -> Result<Tls, Failure> {
        let read = |file: &Path| {
            let text = std::fs::read_to_string(file);
            text.map_err(Failure::cannot_be_opened).in_file(file)
        };
        if let Some(file) = &self.token_file {
            let member = of_token_file(file).map(Member::of_secret);
            return member.and_then(|member| Tls::new(member).in_file(file));
        }
        let (Some(certificate), Some(key), Some(authority)) =
            (&self.tls_cert, &self.tls_key, &self.tls_ca)
        else {
            return Ok(Tls::default());
        };
        let member = Member {
            identity: Identity::from_pem(read(certificate)?, read(key)?),
            authority: Certificate::from_pem(read(authority)?),
            name: None,
        };
        Tls::new(member).in_file(certificate)
    }
}

impl ServerTlsOptions {
    /// Reads them for a process that listens on an address.
    pub(super) fn read(&self, bind: IpAddr) -> Result<Tls, Failure> {
        let tls = self.tls.read()?;
        if !tls.is_on() && !self.insecure && !bind.is_loopback() {
            let what = "needed where others can connect";
            return Err(Failure::of_option("--token-file", what).help(
                "share a secret by --token-file, or give --tls-cert, --tls-key and --tls-ca; --insecure where the network is protected by other means",
            ));
        }
        Ok(tls)
    }
}

/// One who takes part.
struct Member {
    identity: Identity,
    authority: Certificate,
    /// The name that servers have, whatever their address is.
    name: Option<&'static str>,
}

impl Member {
    /// Everyone with the secret has the same key, and a certificate that it has signed itself: a connection is made
    /// where both ends have the key.
    fn of_secret((certificate, key): (String, String)) -> Self {
        Self {
            identity: Identity::from_pem(&certificate, key),
            authority: Certificate::from_pem(certificate),
            name: Some(MEMBER),
        }
    }
}

/// Certificate and key of those who have the secret of a file, in PEM.
pub(super) fn of_token_file(file: &Path) -> Result<(String, String), Failure> {
    let token = std::fs::read_to_string(file);
    let token = token.map_err(Failure::cannot_be_opened);
    token.and_then(|token| of_token(token.trim())).in_file(file)
}

fn of_token(token: &str) -> Result<(String, String), Failure> {
    if token.chars().count() < SHORTEST_TOKEN {
        let what = format!("a secret has at least {SHORTEST_TOKEN} characters");
        // Whoever connects sees what can be compared with guesses: what a person makes up is found.
        let failure = Failure::new(what);
        return Err(failure.help("make one by `openssl rand -hex 32`"));
    }
    // The name of Ed25519 and its 32 bytes, as RFC 8410 writes a key.
    let mut key = *b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20\
            00000000000000000000000000000000";
    let derived = hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(token.as_bytes());
    let derived = derived.expand(&[PURPOSE], hkdf::HKDF_SHA256);
    let filled = derived.and_then(|derived| derived.fill(&mut key[16..]));
    filled.map_err(|_| Failure::new("no key can be derived"))?;
    let key = KeyPair::from_pkcs8_der_and_sign_algo(&key[..].into(), &PKCS_ED25519);
    let certificate = key.and_then(|key| {
        let named = CertificateParams::new([MEMBER.to_owned()])?;
        Ok((named.self_signed(&key)?.pem(), key.serialize_pem()))
    });
    certificate.map_err(Failure::new)
}

/// How the processes of a cluster and its clients connect.
#[derive(Clone, Default)]
pub(crate) struct Tls(Option<Arc<Member>>);

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tls").field(&self.is_on()).finish()
    }
}

impl Tls {
    /// Refuses certificates and keys that cannot be used.
    fn new(member: Member) -> Result<Self, Failure> {
        let tls = Self(Some(Arc::new(member)));
        let served = tls.serving(Server::builder()).map(drop);
        let connected = Endpoint::from_static("https://localhost").tls_config(tls.client());
        let usable = served.and(connected.map(drop));
        usable.map_err(|error| Failure::new(causes(&error)))?;
        Ok(tls)
    }

    pub(super) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// A server that connects to those alone who take part.
    pub(super) fn serving(&self, server: Server) -> Result<Server, TransportError> {
        let Some(member) = &self.0 else {
            return Ok(server);
        };
        let config = ServerTlsConfig::new().identity(member.identity.clone());
        server.tls_config(config.client_ca_root(member.authority.clone()))
    }

    fn client(&self) -> ClientTlsConfig {
        let Some(member) = &self.0 else {
            return ClientTlsConfig::new();
        };
        let config = ClientTlsConfig::new()
            .identity(member.identity.clone())
            .ca_certificate(member.authority.clone());
        match member.name {
            Some(name) => config.domain_name(name),
            None => config,
        }
    }

    /// Where a scheduler is.
    pub(super) fn url(&self, scheduler: &Address) -> String {
        let scheme = if self.is_on() { "https" } else { "http" };
        format!("{scheme}://{scheduler}")
    }

    /// The connection to a scheduler.
    pub(super) fn endpoint(&self, scheduler: &Address) -> Result<Endpoint, TransportError> {
        let config = GrpcClientConfig::default();
        let endpoint = create_grpc_client_endpoint(self.url(scheduler), Some(&config))?;
        match self.is_on() {
            true => endpoint.tls_config(self.client()),
            false => Ok(endpoint),
        }
    }

    /// What the engine does with each connection before it is made.
    ///
    /// It has no limit of its own for those by which executors send each other rows: of an executor that stands still (a machine that
    /// swaps, a container that is paused) they would wait for ever, and so would the query. All connections are asked whether the
    /// other side lives; one that is silent is an error, after which the engine computes again elsewhere.
    pub(super) fn endpoint_override(&self) -> EndpointOverrideFn {
        let tls = self.clone();
        Arc::new(move |endpoint| {
            // An executor of the engine connects to its scheduler by http:// whatever it is told.
            let endpoint = match endpoint.uri().to_string().strip_prefix("http://") {
                Some(place) if tls.is_on() => {
                    let config = GrpcClientConfig::default();
                    create_grpc_client_endpoint(format!("https://{place}"), Some(&config))?
                }
                _ => endpoint,
            };
            let endpoint = endpoint
                .http2_keep_alive_interval(ASKED_EVERY)
                .keep_alive_timeout(SILENT_FOR)
                .keep_alive_while_idle(true);
            Ok(match tls.is_on() {
                true => endpoint.tls_config(tls.client())?,
                false => endpoint,
            })
        })
    }

    /// The settings of a session whose connections are such.
    pub(super) fn apply(&self, config: SessionConfig) -> SessionConfig {
        config
            .with_ballista_use_tls(self.is_on())
            .with_ballista_override_create_grpc_client_endpoint(self.endpoint_override())
    }

    /// Asks a scheduler something, so that one that is not there, or does not let us in, is told as that. One that is not there yet
    /// is waited for so long.
    pub(super) async fn reach(
        &self,
        scheduler: &Address,
        patience: Duration,
    ) -> Result<(), Failure> {
        let deadline = Instant::now() + patience;
        loop {
            let asked = tokio::time::timeout(LONGEST_ANSWER, self.ask(scheduler)).await;
            let reason = match asked {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(NotReached::Refused(reason))) => {
                    return Err(self.refused(scheduler, &reason));
                }
                Ok(Err(NotReached::Absent(reason))) => reason,
                Err(_) => format!("no answer within {} seconds", LONGEST_ANSWER.as_secs()),
            };
            if Instant::now() + PAUSE >= deadline {
                let what = format_args!("the scheduler at {scheduler} cannot be reached: {reason}");
                return Err(Failure::new(what).help("start one with `xai-scale scheduler`"));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn ask(&self, scheduler: &Address) -> Result<(), NotReached> {
        let endpoint = self.endpoint(scheduler);
        let channel = match endpoint {
            Ok(endpoint) => endpoint.connect().await,
            Err(error) => Err(error),
        };
        let channel = channel.map_err(|error| NotReached::of(&error))?;
        let nothing = GetJobStatusParams::default();
        match SchedulerGrpcClient::new(channel)
            .get_job_status(nothing)
            .await
        {
            // Those of a scheduler have no source.
            Err(status) if status.source().is_some() => Err(NotReached::Refused(causes(&status))),
            _ => Ok(()),
        }
    }

    /// Why a process at the address does not talk with us.
    fn refused(&self, scheduler: &Address, reason: &str) -> Failure {
        let (what, help) = match self.is_on() {
            true => (
                "shows no certificate that is trusted here",
                "start it with the same --token-file, or with a certificate of the same authority",
            ),
            false => (
                "does not talk without TLS",
                "give the --token-file of the cluster, or --tls-cert, --tls-key and --tls-ca",
            ),
        };
        let what = format_args!("the scheduler at {scheduler} {what}: {reason}");
        Failure::new(what).help(help)
    }
}

/// How often the other side of a connection is asked whether it lives.
const ASKED_EVERY: Duration = Duration::from_secs(5);
/// How long it may take to answer: what it computes has threads of its own.
const SILENT_FOR: Duration = Duration::from_secs(10);
/// Between two attempts to reach a scheduler.
const PAUSE: Duration = Duration::from_millis(200);
/// How long a scheduler may take to answer at all.
const LONGEST_ANSWER: Duration = Duration::from_secs(10);

enum NotReached {
    /// Nobody is there.
    Absent(String),
    /// Somebody is there who talks otherwise.
    Refused(String),
}

impl NotReached {
    fn of(error: &TransportError) -> Self {
        let wrong_bytes = chain(error).any(|cause| {
            let of_system = cause.downcast_ref::<std::io::Error>();
            let kind = of_system.map(std::io::Error::kind);
            matches!(
                kind,
                Some(ErrorKind::InvalidData | ErrorKind::UnexpectedEof)
            )
        });
        match wrong_bytes {
            true => Self::Refused(causes(error)),
            false => Self::Absent(causes(error)),
        }
    }
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| {
        (*error).source()
    })
}

/// The last cause of an error, which is the one that says something.
fn causes(error: &(dyn Error + 'static)) -> String {
    let last = chain(error).last().map(ToString::to_string);
    last.unwrap_or_default()
}
