//! `xai-sql generate`.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use datafusion::arrow::array::{
    DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray,
};
use datafusion::arrow::datatypes::{DataType, Field, Int32Type, Schema, SchemaRef};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::file::properties::WriterProperties;
use xai_files::Failure;

/// Rows that are made at a time.
const BATCH: u64 = 65_536;

/// Writes Parquet files of made-up scores, to measure with: explainer (text), base and masked (numbers from 0 to 1, base
/// above 0).
///
/// Row i is the same for any number of files.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  xai-sql generate --rows 1000000 --groups 1000 --files 4 --out runs")]
pub(crate) struct Arguments {
    /// Rows of all files together.
    #[arg(long, value_name = "N")]
    rows: u64,
    /// Different explainers.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    groups: u32,
    /// Files.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    files: u32,
    /// Number that the rows are drawn from.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Folder of the files; it must not exist.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

/// Writes the files.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let folder = &arguments.out;
    std::fs::create_dir(folder).map_err(|error| Failure::new(error).in_file(folder))?;
    let per_file = arguments.rows.div_ceil(u64::from(arguments.files)).max(1);
    let names: Vec<String> = (0..arguments.groups)
        .map(|g| format!("explainer-{g:04}"))
        .collect();
    let names = Arc::new(StringArray::from(names));
    let key = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let schema = Arc::new(Schema::new(vec![
        Field::new("explainer", key, false),
        Field::new("base", DataType::Float64, false),
        Field::new("masked", DataType::Float64, false),
    ]));
    for file in 0..arguments.files {
        let start = per_file * u64::from(file);
        let end = arguments.rows.min(start + per_file);
        let path = folder.join(format!("part-{file:05}.parquet"));
        let rows = (start..end.max(start)).step_by(BATCH as usize);
        let written = write(
            &path,
            &schema,
            rows.map(|first| batch(&schema, &names, arguments, first, end.min(first + BATCH))),
        );
        written.map_err(|reason| Failure::new(reason).in_file(&path))?;
    }
    Ok(())
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn write(
    path: &std::path::Path,
    schema: &SchemaRef,
    batches: impl Iterator<Item = Outcome<RecordBatch>>,
) -> Outcome<()> {
    // Random numbers do not compress.
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_column_dictionary_enabled("base".into(), false)
        .set_column_dictionary_enabled("masked".into(), false)
        .build();
    let file = File::create_new(path)?;
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties))?;
    for batch in batches {
        writer.write(&batch?)?;
    }
    writer.close()?;
    Ok(())
}

fn batch(
    schema: &SchemaRef,
    names: &Arc<StringArray>,
    arguments: &Arguments,
    start: u64,
    end: u64,
) -> Outcome<RecordBatch> {
    let draw = |row: u64, column: u64| mixed(arguments.seed ^ mixed(row * 3 + column));
    let group = |row| (draw(row, 0) % u64::from(arguments.groups)) as i32;
    let keys = Int32Array::from_iter_values((start..end).map(group));
    let keys = DictionaryArray::<Int32Type>::try_new(keys, names.clone())?;
    // Never 0: a drop is a share of it.
    let base = Float64Array::from_iter_values((start..end).map(|row| 1.0 - unit(draw(row, 1))));
    let masked = Float64Array::from_iter_values((start..end).map(|row| unit(draw(row, 2))));
    let columns = vec![
        Arc::new(keys) as _,
        Arc::new(base) as _,
        Arc::new(masked) as _,
    ];
    Ok(RecordBatch::try_new(schema.clone(), columns)?)
}

/// The finalizer of SplitMix64: every bit of the result depends on every bit of the number.
fn mixed(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A number in [0, 1) with 53 random bits.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}
