//! Object stores with tables: S3 and compatible servers, Google Cloud Storage, Azure, and HTTP servers.
//!
//! Credentials come from the environment variables that `object_store` reads (`from_env` of its builders); HTTP
//! servers get none.

use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use datafusion::common::{Result, plan_datafusion_err};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::error::DataFusionError;
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use datafusion::object_store::{Error, ObjectStore, RetryConfig};
use object_store::ClientOptions;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use url::{Position, Url};
use xai_files::Failure;

/// Time after a first request to a store from which on failed requests are not retried any more.
const PATIENCE: Duration = Duration::from_secs(20);

/// Parses the address of a table in a store. Returns `None` for a path of the file system.
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

/// The URL by which the engine opens a file or folder.
pub(crate) fn url_of(path: &Path) -> Result<ListingTableUrl> {
    if let Ok(Some(url)) = address(path) {
        return address_of(url, false);
    }
    let whole = path.canonicalize()?;
    // Not parsed from a text, because a name may have characters with a meaning in addresses or patterns.
    let address = if whole.is_dir() {
        Url::from_directory_path(&whole)
    } else {
        Url::from_file_path(&whole)
    };
    let address = address.map_err(|()| DataFusionError::Execution("not a path".to_owned()))?;
    ListingTableUrl::try_new(address, None)
}

/// The URL of an object, or of all objects below an address.
pub(crate) fn address_of(mut address: Url, is_folder: bool) -> Result<ListingTableUrl> {
    if is_folder && !address.path().ends_with('/') {
        address.set_path(&format!("{}/", address.path()));
    }
    ListingTableUrl::try_new(address, None)
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

/// The file system, and the stores that this process has opened.
static STORES: LazyLock<Arc<Stores>> = LazyLock::new(Arc::default);

/// The stores of this process, as the registry of a session.
pub(crate) fn all() -> Arc<dyn ObjectStoreRegistry> {
    Arc::clone(&*STORES) as _
}

/// Registry that opens a store when a table in it is first named.
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

/// Opens a store with the credentials that the environment gives.
fn open(url: &Url) -> Result<Arc<dyn ObjectStore>> {
    let store = store_of(url.scheme());
    let store = store.ok_or_else(|| plan_datafusion_err!("{url}: no store of tables"))?;
    let retry = RetryConfig {
        max_retries: 5,
        retry_timeout: PATIENCE,
        ..RetryConfig::default()
    };
    let opened: Result<Arc<dyn ObjectStore>, Error> = match store {
        Store::S3 => AmazonS3Builder::from_env()
            .with_url(url.as_str())
            .with_retry(retry)
            .build()
            .map(|it| Arc::new(it) as _),
        Store::Google => GoogleCloudStorageBuilder::from_env()
            .with_url(url.as_str())
            .with_retry(retry)
            .build()
            .map(|it| Arc::new(it) as _),
        Store::Azure => MicrosoftAzureBuilder::from_env()
            .with_url(url.as_str())
            .with_retry(retry)
            .build()
            .map(|it| Arc::new(it) as _),
        Store::Http => HttpBuilder::new()
            .with_url(&url[..Position::BeforePath])
            .with_client_options(ClientOptions::new().with_allow_http(true))
            .with_retry(retry)
            .build()
            .map(|it| Arc::new(it) as _),
    };
    opened.map_err(|error| DataFusionError::ObjectStore(Box::new(error)))
}

/// Converts an error of a store, with a hint how to give credentials.
pub(crate) fn cannot_be_read(error: &DataFusionError, url: &ListingTableUrl) -> Failure {
    let reason = error.strip_backtrace();
    let reason = reason
        .strip_prefix("Object Store error: ")
        .unwrap_or(&reason);
    let failure = Failure::cannot_be_read(sentence(reason)).in_file(url.as_str());
    failure.help(match store_of(url.scheme()) {
        Some(Store::S3) => {
            "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION; for a public bucket AWS_SKIP_SIGNATURE=true; for another server AWS_ENDPOINT_URL, and AWS_ALLOW_HTTP=true if it has no TLS"
        }
        Some(Store::Google) => "set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`",
        Some(Store::Azure) => "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or run `az login` and set AZURE_USE_AZURE_CLI=true; for another server AZURE_STORAGE_ENDPOINT",
        _ => "check whether `curl` can fetch it",
    })
}

/// Removes the XML page that a store sends with an error and keeps its message.
fn sentence(reason: &str) -> String {
    let Some((before, page)) = reason.split_once(": <") else {
        return reason.to_owned();
    };
    let message = page
        .split_once("<Message>")
        .and_then(|(_, rest)| rest.split_once("</Message>"));
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
}
