//! Stores of objects in which tables may be: S3 and what talks like it, Google Cloud Storage, Azure, and files by HTTP.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use datafusion::common::{Result, plan_datafusion_err};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::error::DataFusionError;
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use datafusion::object_store::path::Path as Location;
use datafusion::object_store::{Error, ObjectMeta, ObjectStore, ObjectStoreExt, RetryConfig};
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;
use object_store::ClientOptions;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use url::{Position, Url};
use xai_files::Failure;

/// How long a store may take to answer, with all attempts.
const PATIENCE: Duration = Duration::from_secs(20);

/// The address of a table in a store; `None` of a path of the file system.
pub(crate) fn address(table: &Path) -> Result<Option<Url>, Failure> {
    let text = table.to_str().unwrap_or_default();
    let Some((scheme, _)) = text.split_once("://") else {
        return Ok(None);
    };
    let wrong = |what: &str| {
        let failure = Failure::usage(format_args!("{text}: {what}"));
        failure.help("expected s3://BUCKET/NAME, gs://BUCKET/NAME, az://CONTAINER/NAME, https://HOST/NAME, or a path")
    };
    if store_of(scheme).is_none() {
        return Err(wrong("there are no tables at such an address"));
    }
    let address = Url::parse(text).map_err(|error| wrong(&error.to_string()))?;
    if address.host_str().is_none_or(str::is_empty) {
        return Err(wrong("the name of a bucket or of a host is missing"));
    }
    if address.query().is_some() || address.fragment().is_some() {
        return Err(wrong("an address ends with the name of a file"));
    }
    let is_azure = scheme.starts_with("abfs");
    if !is_azure && (!address.username().is_empty() || address.password().is_some()) {
        return Err(wrong("credentials are read from the environment"));
    }
    Ok(Some(address))
}

#[derive(Clone, Copy)]
enum Store {
    S3,
    Google,
    Azure,
    Http,
}

fn store_of(scheme: &str) -> Option<Store> {
    match scheme {
        "s3" | "s3a" => Some(Store::S3),
        "gs" => Some(Store::Google),
        "az" | "azure" | "abfs" | "abfss" => Some(Store::Azure),
        "http" | "https" => Some(Store::Http),
        _ => None,
    }
}

/// The stores that this process has opened, and the file system.
static STORES: LazyLock<Arc<Stores>> = LazyLock::new(Arc::default);

/// The stores of this process, for a session.
pub(crate) fn all() -> Arc<dyn ObjectStoreRegistry> {
    Arc::clone(&*STORES) as _
}

/// Stores that are opened when a table names them.
#[derive(Debug, Default)]
struct Stores(DefaultObjectStoreRegistry);

impl ObjectStoreRegistry for Stores {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        self.0.register_store(url, store)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        if let Ok(known) = self.0.get_store(url) {
            return Ok(known);
        }
        let store = open(url)?;
        self.0.register_store(url, Arc::clone(&store));
        Ok(store)
    }
}

/// Opens a store with the credentials that its programs use: variables of the environment, a profile of AWS, the service of the
/// machine.
fn open(url: &Url) -> Result<Arc<dyn ObjectStore>> {
    let store = store_of(url.scheme());
    let store = store.ok_or_else(|| plan_datafusion_err!("{url}: no store of tables"))?;
    let retry = RetryConfig {
        max_retries: 5,
        retry_timeout: PATIENCE,
        ..RetryConfig::default()
    };
    let opened: Result<Arc<dyn ObjectStore>, Error> = match store {
        Store::S3 => s3(url)
            .with_retry(retry)
            .build()
            .map(|it| Arc::new(it) as _),
        Store::Google => {
            let builder = GoogleCloudStorageBuilder::from_env().with_url(url.as_str());
            builder
                .with_retry(retry)
                .build()
                .map(|it| Arc::new(it) as _)
        }
        Store::Azure => azure(url)
            .with_retry(retry)
            .build()
            .map(|it| Arc::new(it) as _),
        Store::Http => {
            let builder = HttpBuilder::new().with_url(&url[..Position::BeforePath]);
            let options = ClientOptions::new().with_allow_http(true);
            let builder = builder.with_client_options(options);
            builder
                .with_retry(retry)
                .build()
                .map(|it| Arc::new(it) as _)
        }
    };
    opened.map_err(|error| DataFusionError::ObjectStore(Box::new(error)))
}

fn s3(url: &Url) -> AmazonS3Builder {
    use AmazonS3ConfigKey as Key;
    let mut builder = AmazonS3Builder::from_env().with_url(url.as_str());
    let is_known = |builder: &AmazonS3Builder, key| builder.get_config_value(&key).is_some();
    if !is_known(&builder, Key::AccessKeyId) {
        for (key, value) in profile() {
            if !is_known(&builder, key) {
                builder = builder.with_config(key, value);
            }
        }
    }
    let endpoint = builder.get_config_value(&Key::Endpoint);
    let endpoint = endpoint.or_else(|| builder.get_config_value(&Key::S3Endpoint));
    match is_without_encryption(endpoint) {
        true => builder.with_allow_http(true),
        false => builder,
    }
}

fn azure(url: &Url) -> MicrosoftAzureBuilder {
    use AzureConfigKey as Key;
    let mut builder = MicrosoftAzureBuilder::from_env().with_url(url.as_str());
    if let Ok(text) = std::env::var("AZURE_STORAGE_CONNECTION_STRING") {
        for (key, value) in connection_to(&text, url) {
            let known = builder.get_config_value(&key);
            // A flag always has a value.
            if known.is_none_or(|known| known == "false") {
                builder = builder.with_config(key, value);
            }
        }
    }
    match is_without_encryption(builder.get_config_value(&Key::Endpoint)) {
        true => builder.with_allow_http(true),
        false => builder,
    }
}

/// A server of one's own is given by an address: that it is without encryption need not be said twice.
fn is_without_encryption(endpoint: Option<String>) -> bool {
    endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"))
}

/// The settings of a connection string, but of one to another account than the address names: `abfss://CONTAINER@ACCOUNT.…`.
fn connection_to(text: &str, url: &Url) -> Vec<(AzureConfigKey, String)> {
    let found = connection(text);
    let host = url.host_str().filter(|_| !url.username().is_empty());
    let named = host.and_then(|host| host.split('.').next());
    let account = found
        .iter()
        .find(|(key, _)| *key == AzureConfigKey::AccountName);
    match (named, account) {
        (Some(named), Some((_, account))) if named != account => Vec::new(),
        _ => found,
    }
}

/// The account that an endpoint is of: `https://ACCOUNT.blob.…`, or that of an emulator, `http://HOST/ACCOUNT`.
fn account_of(endpoint: &str) -> Option<String> {
    let url = Url::parse(endpoint).ok()?;
    let account = match url.path().trim_matches('/') {
        "" => url.host_str()?.split('.').next()?,
        account => account,
    };
    Some(account.to_owned())
}

/// The settings of a connection string of Azure, as its portal shows it: `AccountName=…;AccountKey=…`.
fn connection(text: &str) -> Vec<(AzureConfigKey, String)> {
    use AzureConfigKey as Key;
    let pairs = text.split(';').filter_map(|pair| pair.split_once('='));
    let pairs: Vec<(&str, &str)> = pairs
        .map(|(key, value)| (key.trim(), value.trim()))
        .collect();
    let of = |name: &str| {
        let pair = pairs.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        pair.map(|(_, value)| (*value).to_owned())
    };
    let endpoint = of("BlobEndpoint");
    // One with a signature of shared access has no name of the account.
    let by_endpoint = || account_of(endpoint.as_deref()?);
    let account = of("AccountName").or_else(by_endpoint);
    // Clouds of countries have another suffix.
    let by_suffix = account.as_ref().zip(of("EndpointSuffix"));
    let by_suffix = by_suffix.map(|(account, suffix)| format!("https://{account}.blob.{suffix}"));
    let signature = of("SharedAccessSignature");
    let emulator = of("UseDevelopmentStorage").filter(|value| value == "true");
    [
        (Key::Endpoint, endpoint.or(by_suffix)),
        (Key::AccountName, account),
        (Key::AccessKey, of("AccountKey")),
        (Key::SasKey, signature),
        (Key::UseEmulator, emulator),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
    .collect()
}

/// What the profile `AWS_PROFILE`, or `default`, says in the files of the programs of AWS.
fn profile() -> Vec<(AmazonS3ConfigKey, String)> {
    let variable = |name: &str| std::env::var(name).ok();
    let name = variable("AWS_PROFILE").unwrap_or_else(|| "default".to_owned());
    let home = std::env::home_dir().unwrap_or_default().join(".aws");
    let file = |name: &str, usual: &str| {
        let named = variable(name).map_or_else(|| home.join(usual), PathBuf::from);
        std::fs::read_to_string(named).unwrap_or_default()
    };
    let credentials = file("AWS_SHARED_CREDENTIALS_FILE", "credentials");
    let config = file("AWS_CONFIG_FILE", "config");
    let section = match name.as_str() {
        "default" => name.clone(),
        other => format!("profile {other}"),
    };
    let mut found = settings(&credentials, &name);
    found.extend(settings(&config, &section));
    found
}

/// The settings of a section of a file of AWS.
fn settings(text: &str, section: &str) -> Vec<(AmazonS3ConfigKey, String)> {
    use AmazonS3ConfigKey as Key;
    let mut is_inside = false;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
        {
            is_inside = name.trim() == section;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| is_inside) else {
            continue;
        };
        let key = match key.trim() {
            "aws_access_key_id" => Key::AccessKeyId,
            "aws_secret_access_key" => Key::SecretAccessKey,
            "aws_session_token" => Key::Token,
            "region" => Key::Region,
            "endpoint_url" => Key::Endpoint,
            _ => continue,
        };
        found.push((key, value.trim().to_owned()));
    }
    found
}

/// An object: its name in the store, and how many bytes it has; or a folder that is not looked into.
pub(crate) struct Object {
    pub(crate) location: Location,
    pub(crate) size: u64,
    pub(crate) is_folder: bool,
}

impl From<ObjectMeta> for Object {
    fn from(object: ObjectMeta) -> Self {
        Self {
            // Programs make an empty object where others make a folder.
            is_folder: object.size == 0 && object.location.extension().is_none(),
            location: object.location,
            size: object.size,
        }
    }
}

/// What an address stands for: an object, or what is below it.
pub(crate) enum Found {
    File(Object),
    Folder(Vec<Object>),
}

/// Looks an address up; one that ends with a slash is a folder, in whose folders it is looked where `is_deep`.
pub(crate) async fn find(
    session: &SessionContext,
    url: &ListingTableUrl,
    is_deep: bool,
) -> Result<Found, Failure> {
    let named = url.as_str();
    let store = session.runtime_env().object_store(url);
    let store = store.map_err(|error| cannot_be_read(&error.strip_backtrace(), url))?;
    if !url.is_collection() {
        match store.head(url.prefix()).await {
            Ok(object) => return Ok(Found::File(object.into())),
            // A server of files has no folders, unless it speaks WebDAV.
            Err(Error::NotFound { .. }) if url.scheme().starts_with("http") => {
                return Err(Failure::new("there is no such file").in_file(named));
            }
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(cannot_be_read(&error.to_string(), url)),
        }
    }
    let listed = match is_deep {
        true => {
            store
                .list(Some(url.prefix()))
                .map_ok(Object::from)
                .try_collect()
                .await
        }
        false => {
            let listed = store.list_with_delimiter(Some(url.prefix())).await;
            listed.map(|listed| {
                let folder = |location| Object {
                    location,
                    size: 0,
                    is_folder: true,
                };
                let folders = listed.common_prefixes.into_iter().map(folder);
                listed
                    .objects
                    .into_iter()
                    .map(Object::from)
                    .chain(folders)
                    .collect()
            })
        }
    };
    let below: Vec<Object> = listed.map_err(|error| match error {
        Error::NotFound { .. } => absent(named),
        error => cannot_be_read(&error.to_string(), url),
    })?;
    match below.iter().all(|object| object.is_folder) {
        true if is_deep => Err(absent(named)),
        _ => Ok(Found::Folder(below)),
    }
}

fn absent(named: &str) -> Failure {
    Failure::new("there is no such object, and none below it").in_file(named)
}

/// What a store says, with how its credentials are given.
fn cannot_be_read(reason: &str, url: &ListingTableUrl) -> Failure {
    let failure = Failure::cannot_be_read(sentence(reason)).in_file(url.as_str());
    failure.help(match store_of(url.scheme()) {
        Some(Store::S3) => {
            "credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, and AWS_REGION; a public bucket: AWS_SKIP_SIGNATURE=true; another server: AWS_ENDPOINT_URL"
        }
        Some(Store::Google) => "credentials: GOOGLE_APPLICATION_CREDENTIALS, or `gcloud auth application-default login`",
        Some(Store::Azure) => "credentials: AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or `az login` with AZURE_USE_AZURE_CLI=true",
        _ => "can it be fetched with curl?",
    })
}

/// A reason without the page that a store has sent with it, but for its sentence.
fn sentence(reason: &str) -> String {
    let Some((before, page)) = reason.split_once(": <") else {
        return reason.to_owned();
    };
    let message = page.split_once("<Message>");
    let message = message.and_then(|(_, rest)| rest.split_once("</Message>"));
    match message {
        Some((message, _)) => format!("{before}: {message}"),
        None => before.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_that_of_a_store_without_secrets() {
        let is_address = |text: &str| address(Path::new(text)).map(|found| found.is_some());
        for there in [
            "s3://b/x.csv",
            "gs://b/x",
            "az://c/x",
            "https://h:1/x.csv",
            "abfss://c@a.dfs.core.windows.net/x",
        ] {
            assert!(is_address(there).expect(there), "{there}");
        }
        for path in ["x.csv", "/a/b", "runs", "C:\\x.csv"] {
            assert!(!is_address(path).expect(path), "{path}");
        }
        for wrong in [
            "hdfs://h/x",
            "s3://",
            "s3://k:s@b/x",
            "https://u@h/x",
            "https://h/x.csv?a=b",
        ] {
            assert!(is_address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_profile_is_a_section() {
        let text = "[default]\naws_access_key_id = A\n# x\n[profile other]\nregion=eu-1\naws_access_key_id=B\ns3 =\n  x = 1\n";
        let of = |section: &str| -> Vec<String> {
            settings(text, section)
                .into_iter()
                .map(|(_, value)| value)
                .collect()
        };
        assert_eq!(of("default"), ["A"]);
        assert_eq!(of("profile other"), ["eu-1", "B"]);
        assert!(of("absent").is_empty());
    }

    #[test]
    fn a_connection_string_is_an_account_with_its_key() {
        use AzureConfigKey as Key;
        let of = |text: &str, key: Key| {
            let mut found = connection(text).into_iter();
            found.find(|(name, _)| *name == key).map(|(_, value)| value)
        };
        let portal = "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=k+/==;EndpointSuffix=core.windows.net";
        assert_eq!(of(portal, Key::AccountName).as_deref(), Some("a"));
        assert_eq!(of(portal, Key::AccessKey).as_deref(), Some("k+/=="));
        let endpoint = of(portal, Key::Endpoint);
        assert_eq!(endpoint.as_deref(), Some("https://a.blob.core.windows.net"));
        let to = |address: &str| connection_to(portal, &Url::parse(address).unwrap()).len();
        assert_eq!(to("abfss://c@a.dfs.core.windows.net/x"), 3);
        assert_eq!(to("az://c/x"), 3);
        assert_eq!(to("abfss://c@other.dfs.core.windows.net/x"), 0);
        let emulator = account_of("http://127.0.0.1:10000/devstoreaccount1");
        assert_eq!(emulator.as_deref(), Some("devstoreaccount1"));
        let signed = "BlobEndpoint=https://b.example/;SharedAccessSignature=sv=1&sig=x%3D";
        assert_eq!(of(signed, Key::SasKey).as_deref(), Some("sv=1&sig=x%3D"));
        assert_eq!(of(signed, Key::AccountName).as_deref(), Some("b"));
        assert_eq!(
            of(signed, Key::Endpoint).as_deref(),
            Some("https://b.example/")
        );
        let emulator = of("UseDevelopmentStorage=true", Key::UseEmulator);
        assert_eq!(emulator.as_deref(), Some("true"));
        assert!(connection("").is_empty());
    }
}
