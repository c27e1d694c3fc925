//! `cargo xtask site`: builds the documentation as one site, in `target/site`.
//!
//! `docs/site` collects the texts of the repository and generates the pages of the metrics, of the peers' names and of
//! the package for Python, and runs every command on a page. Its environment (Python 3.11 or newer) has only Sphinx;
//! the package is on its search path.

use crate::command::{Result, cargo, command, root, target, together};
use crate::python::{copy_folder, environment, install_built};
use std::path::PathBuf;
use std::{env, fs};

pub(crate) fn run(packages: &str) -> Result {
    // Built like the other tests: `cargo build` would select fewer features and build the libraries again.
    cargo(&format!("test {} --test cli --no-run", together(packages))).run()?;
    let binary = target().join(format!("debug/xai{}", env::consts::EXE_SUFFIX));
    let package = environment("package", &[])?;
    install_built(&package, &together(packages))?;
    let print_platlib = "import sysconfig; print(sysconfig.get_path('platlib'))";
    let site_packages = command(package).args(["-c", print_platlib]).output()?;
    let python = environment("site", &["--requirement docs/site/requirements.txt"])?;
    let search_path = env::join_paths([sql_functions()?, site_packages.into()])?;
    let pages = target().join("site-pages");
    command(&python)
        .words("-B docs/site/pages.py")
        .args([&binary, &pages])
        .env("PYTHONPATH", &search_path)
        .run()?;
    // Otherwise removed pages would stay.
    let site = target().join("site");
    let _ = fs::remove_dir_all(&site);
    command(&python)
        .words("-B -m sphinx --quiet --fail-on-warning --keep-going --fresh-env -c docs/site -d")
        .args([&target().join("site-state"), &pages, &site])
        .env("PYTHONPATH", &search_path)
        .run()?;
    println!("{}", site.join("index.html").display());
    Ok(())
}

/// Creates a folder with the SQL package, of which the documentation needs only the Python part. The native part has a
/// query engine and takes long to build, so its type stubs replace it.
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
