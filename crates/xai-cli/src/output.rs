//! Where results go: a table or JSON on standard output, rows to a file.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use comfy_table::{LineStyle, TableStyle};
use serde::Serialize;

use crate::failure::{Failure, InFile};

/// Files that are being written; an interrupt removes them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Writes a file beside its final name and renames it when it is whole, so that no reader, and no
/// interrupted run, ever sees half of it.
pub(crate) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let name = path.display().to_string();
    let failed = |e: std::io::Error| Failure::new(format!("cannot be written: {e}"));
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    remove_unfinished_on_interrupt();
    let mut file = tempfile::Builder::new()
        .prefix(".xai-")
        .tempfile_in(folder)
        .map_err(failed)
        .in_file(&name)?;
    let unfinished = file.path().to_owned();
    lock_unfinished().push(unfinished.clone());
    let outcome = (|| {
        let mut buffered = std::io::BufWriter::new(&mut file);
        write(&mut buffered)?;
        buffered.flush()
    })();
    let outcome = outcome.and_then(|()| {
        make_readable(file.path())?;
        file.persist(path).map_err(|e| e.error).map(drop)
    });
    lock_unfinished().retain(|path| *path != unfinished);
    outcome.map_err(failed).in_file(&name)
}

/// Temporary files are private; a result should have the permissions of any new file.
fn make_readable(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

fn lock_unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn remove_unfinished_on_interrupt() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        // Without a handler an interrupt still leaves no half-written result, only a stray file.
        let _ = ctrlc::set_handler(|| {
            for path in lock_unfinished().iter() {
                let _ = std::fs::remove_file(path);
            }
            std::process::exit(130);
        });
    });
}

/// Writes per-item rows as CSV.
pub(crate) fn write_csv<R, C>(
    path: &Path,
    header: &[&str],
    rows: impl IntoIterator<Item = R>,
) -> Result<(), Failure>
where
    R: IntoIterator<Item = C>,
    C: AsRef<[u8]>,
{
    write_whole(path, |file| {
        let mut writer = csv::Writer::from_writer(file);
        writer.write_record(header)?;
        for row in rows {
            writer.write_record(row)?;
        }
        writer.flush()
    })
}

/// A CSV or table cell for a value that may be undefined: empty then.
pub(crate) fn cell(value: Option<f64>) -> String {
    value.map(|x| x.to_string()).unwrap_or_default()
}

/// Four decimals for a person, a dash where undefined.
pub(crate) fn decimals(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |x| format!("{x:.4}"))
}

/// Prints one JSON object on standard output.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(Failure::new)?;
    print_text(&text)
}

/// Prints text on standard output; a reader who has seen enough (`| head`) is no error.
pub(crate) fn print_text(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// A table for people: a header row and rows of text.
pub(crate) fn table<R, C>(header: &[&str], rows: impl IntoIterator<Item = R>) -> String
where
    R: IntoIterator<Item = C>,
    C: std::fmt::Display,
{
    let mut table = comfy_table::Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_header(header.iter().copied());
    for row in rows {
        table.add_row(
            row.into_iter()
                .map(|cell| cell.to_string())
                .collect::<Vec<_>>(),
        );
    }
    table.to_string()
}
