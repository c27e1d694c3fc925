//! Files as a table of the engine.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use futures::{StreamExt, TryStreamExt};

use crate::tables::files::{Files, url_of};
use crate::tables::format::{Format, ROWS_FOR_TYPES};

/// Files whose columns are looked up at the same time: a store takes a moment for each.
pub(super) const AT_A_TIME: usize = 16;

/// Files as a table whose columns are not yet known.
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
            let columns = options.infer_partitions(&session.state(), url).await?;
            let columns = columns.into_iter().map(|name| (name, DataType::Utf8));
            options = options.with_table_partition_cols(columns.collect());
        }
        Ok(Self { urls, options })
    }

    /// The columns that all files together have, those of the folders' names left out.
    pub(super) async fn schema(&self, session: &SessionContext) -> Result<SchemaRef> {
        let state = session.state();
        let of_url = |url| self.options.infer_schema(&state, url);
        // A list of them, not an iterator, of which the compiler cannot tell that threads may send it.
        let schemas: Vec<_> = self.urls.iter().map(of_url).collect();
        let schemas = futures::stream::iter(schemas);
        let schemas: Vec<SchemaRef> = schemas.buffered(AT_A_TIME).try_collect().await?;
        let schemas = schemas.iter().map(|schema| schema.as_ref().clone());
        Ok(Arc::new(Schema::try_merge(schemas)?))
    }

    /// The table.
    pub(super) fn table(self, schema: SchemaRef) -> Result<ListingTable> {
        let config = ListingTableConfig::new_with_multi_paths(self.urls)
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
    options.infer_schema(&session.state(), &url_of(file)?).await
}

fn options(format: &Format, rows: usize) -> ListingOptions {
    ListingOptions::new(format.reader(rows)).with_file_extension(format.extension.as_str())
}
