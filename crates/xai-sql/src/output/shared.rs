//! Parts that several outputs share: reasons why writing failed, and columns without dictionaries.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use datafusion::error::DataFusionError;
use xai_files::Failure;

/// The reason why rows, or some of them, were not written.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// The query failed.
    Query(DataFusionError),
    /// The output failed.
    Output(Failure),
}

impl From<DataFusionError> for Stopped {
    fn from(error: DataFusionError) -> Self {
        Self::Query(error)
    }
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Output(failure)
    }
}

/// The same columns with dictionary types replaced by the types of their values. Dictionaries within lists and structs
/// are kept, and the metadata of the schema is dropped.
pub(crate) fn without_dictionaries(schema: &Schema) -> SchemaRef {
    let plain = |field: &FieldRef| match field.data_type() {
        DataType::Dictionary(_, values) => Arc::new(
            field
                .as_ref()
                .clone()
                .with_data_type(values.as_ref().clone()),
        ),
        _ => field.clone(),
    };
    let fields: Vec<FieldRef> = schema.fields().iter().map(plain).collect();
    Arc::new(Schema::new(fields))
}
