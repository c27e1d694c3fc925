//! `cargo xtask site`: the documentation as one site, in `target/site`.
//!
//! `docs/site` gathers the texts of the repository and makes the pages of the metrics, of the peers' names and of the
//! package for Python; every command on a page is run. Its Python, 3.11 or newer, has Sphinx alone, and the package beside it.

use crate::command::{Result, cargo, command, root, target, together};
use crate::python::{copy_folder, environment, install};
use std::path::PathBuf;
use std::{env, fs};

pub(crate) fn run(packages: &str) -> Result {
    // As the other tests built it: `cargo build` leaves out what only tests ask of the libraries, and builds them again.
    cargo(&format!("test {} --test cli --no-run", together(packages))).run()?;
    let binary = target().join(format!("debug/xai{}", env::consts::EXE_SUFFIX));
    let package = environment("package", &[])?;
    install(&package, "dev", "test")?;
    let purelib = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let beside = command(package).args(["-c", purelib]).output()?;
    let python = environment("site", &["--requirement docs/site/requirements.txt"])?;
    let beside = env::join_paths([sql_functions()?, beside.into()])?;
    let pages = target().join("site-pages");
    command(&python)
        .words("-B docs/site/pages.py")
        .args([&binary, &pages])
        .env("PYTHONPATH", &beside)
        .run()?;
    // Pages that are no more would stay.
    let site = target().join("site");
    let _ = fs::remove_dir_all(&site);
    command(&python)
        .words("-B -m sphinx --quiet --fail-on-warning --keep-going --fresh-env -c docs/site -d")
        .args([&target().join("site-state"), &pages, &site])
        .env("PYTHONPATH", &beside)
        .run()?;
    println!("{}", site.join("index.html").display());
    Ok(())
}

/// A folder with the package of the SQL functions, whose texts are in Python: without its native part, which carries a query engine. What the
/// types of that say stands for it.
fn sql_functions() -> Result<PathBuf> {
    let modules = target().join("site-modules");
    let package = modules.join("xai_metrics_sql");
    copy_folder(
        &root().join("crates/xai-sql-python/python/xai_metrics_sql"),
        &package,
    )?;
    let types = fs::read_to_string(package.join("_native.pyi"))?;
    let native = format!("{types}\n__version__ = ''\nDATAFUSION = 0\n");
    fs::write(package.join("_native.py"), native)?;
    Ok(modules)
}
