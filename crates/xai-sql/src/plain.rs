//! Columns without dictionaries.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};

/// The same columns as plain values.
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
