//! Files as a listing table of the engine.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use futures::{StreamExt, TryStreamExt};

use crate::stores::url_of;
use crate::tables::files::Files;
use crate::tables::format::{Format, ROWS_FOR_TYPES};

/// Number of files whose columns are read at the same time, because a store takes a moment for each.
pub(super) const AT_A_TIME: usize = 16;

/// A table whose columns are not known yet.
#[derive(Debug)]
pub(super) struct Listed {
    urls: Vec<ListingTableUrl>,
    options: ListingOptions,
}

impl Listed {
    pub(super) async fn new(session: &SessionContext, files: &Files) -> Result<Self> {
        let urls = files.urls.clone();
        let mut options = options(&files.format, ROWS_FOR_TYPES);
        if let [url] = &urls[..] {
            // Folders named `column=value` are columns.
            let columns = options
                .infer_partitions(&session.state(), url)
                .await?
                .into_iter()
                .map(|name| (name, DataType::Utf8));
            options = options.with_table_partition_cols(columns.collect());
        }
        Ok(Self { urls, options })
    }

    /// All columns of all files, without those of folder names.
    pub(super) async fn schema(&self, session: &SessionContext) -> Result<SchemaRef> {
        let state = session.state();
        let of_url = |url| self.options.infer_schema(&state, url);
        // Collected, because the compiler cannot prove that the iterator is `Send`.
        let schemas: Vec<_> = self.urls.iter().map(of_url).collect();
        let schemas: Vec<SchemaRef> = futures::stream::iter(schemas)
            .buffered(AT_A_TIME)
            .try_collect()
            .await?;
        let schemas = schemas.iter().map(|schema| schema.as_ref().clone());
        Ok(Arc::new(Schema::try_merge(schemas)?))
    }

    /// Creates the table.
    pub(super) fn table(self, schema: SchemaRef) -> Result<ListingTable> {
        let config = ListingTableConfig::new_with_multi_paths(self.urls)
            .with_listing_options(self.options)
            .with_schema(schema);
        ListingTable::try_new(config)
    }
}

/// The columns of one file, inferred from this number of rows if it is CSV or JSON.
pub(super) async fn columns(
    session: &SessionContext,
    file: &Path,
    format: &Format,
    rows: usize,
) -> Result<SchemaRef> {
    let options = options(format, rows);
    options.infer_schema(&session.state(), &url_of(file)?).await
}

fn options(format: &Format, rows: usize) -> ListingOptions {
    ListingOptions::new(format.reader(rows)).with_file_extension(format.extension.as_str())
}
