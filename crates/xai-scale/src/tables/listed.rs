//! Files as a table of the engine.

use std::path::{Path, PathBuf};

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;
use url::Url;

use crate::tables::files::Files;
use crate::tables::format::{Format, ROWS_FOR_TYPES};

/// Files as a table whose columns are not yet known.
#[derive(Debug)]
pub(super) struct Listed {
    url: ListingTableUrl,
    options: ListingOptions,
}

impl Listed {
    pub(super) async fn new(session: &SessionContext, files: &Files) -> Result<Self> {
        let url = url(&files.path)?;
        let options = options(&files.format, ROWS_FOR_TYPES);
        // Folders named `column=value` are columns.
        let columns = options.infer_partitions(&session.state(), &url).await?;
        let columns = columns.into_iter().map(|name| (name, DataType::Utf8));
        let options = options.with_table_partition_cols(columns.collect());
        Ok(Self { url, options })
    }

    /// The columns that all files together have, those of the folders' names left out.
    pub(super) async fn schema(&self, session: &SessionContext) -> Result<SchemaRef> {
        self.options.infer_schema(&session.state(), &self.url).await
    }

    /// The table.
    pub(super) fn table(self, schema: SchemaRef) -> Result<ListingTable> {
        let config = ListingTableConfig::new(self.url)
            .with_listing_options(self.options)
            .with_schema(schema);
        ListingTable::try_new(config)
    }
}

/// The columns of one file, by some of its rows where it is text.
pub(super) async fn columns(
    session: &SessionContext,
    file: &Path,
    format: &Format,
    rows: usize,
) -> Result<SchemaRef> {
    let options = options(format, rows);
    options.infer_schema(&session.state(), &url(file)?).await
}

fn options(format: &Format, rows: usize) -> ListingOptions {
    ListingOptions::new(format.reader(rows)).with_file_extension(format.extension.as_str())
}

/// Where the files are, so that other processes on the same file system find them, too.
fn url(path: &Path) -> Result<ListingTableUrl> {
    let whole: PathBuf = path.canonicalize()?;
    // Not read from a text: a name may have characters that mean something in an address or in a pattern of names.
    let address = match whole.is_dir() {
        true => Url::from_directory_path(&whole),
        false => Url::from_file_path(&whole),
    };
    let address = address.map_err(|()| DataFusionError::Execution("not a path".to_owned()))?;
    ListingTableUrl::try_new(address, None)
}
