//! Python environments in the target folder, and the checks of the package for Python.

use crate::command::{Command, Result, WITH_SQL, cargo, command, root, target, together};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Versions of libraries that tests use, so that a new release does not fail the tests of an unchanged package. The
/// path is relative, because pip splits paths at spaces.
pub(crate) const CONSTRAINTS: &str = "crates/xai-python/tests/constraints.txt";

/// Returns the Python with which environments are created: that of the variable `PYTHON`, or `python3`.
pub(crate) fn base() -> OsString {
    std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into())
}

/// `cargo xtask ci architecture`: checks the rules of `docs/architecture.md` for which there is no lint.
pub(crate) fn architecture() -> Result {
    if command(base()).words("--version").output().is_err() {
        eprintln!("left out: Python was not found");
        return Ok(());
    }
    command(base()).words("-B xtask/architecture.py").run()
}

/// Creates an environment if necessary, installs each group of requirements, and returns the path of its Python.
/// Installing requirements again takes about a second.
pub(crate) fn environment(name: &str, requirements: &[&str]) -> Result<PathBuf> {
    let folder = target().join("python").join(name);
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    if !python.is_file() {
        command(base()).words("-m venv").args([&folder]).run()?;
    }
    for group in requirements {
        pip(&python).words(group).run()?;
    }
    Ok(python)
}

pub(crate) fn pip(python: &Path) -> Command {
    command(python).words("-m pip install --quiet")
}

/// `cargo xtask ci python`: tests the package and checks its types. The package is built with other crates if tests of
/// these are built anyway.
pub(crate) fn run(selection: &str) -> Result {
    let fail_if_old = "import sys; sys.exit(sys.version_info < (3, 10))";
    if let Err(error) = command(base()).args(["-c", fail_if_old]).run() {
        return Err(format!(
            "{error}\nPython 3.10 or newer is needed: name one in the variable PYTHON"
        )
        .into());
    }
    let python = environment("package", &[])?;
    install_built(&python, selection)?;
    test_installed(&python)?;
    differential(&python, &["--rounds", "100", "--seed", "1"])?;
    soak(&python, &["--calls", "7000"])?;
    let types = "-m mypy --config-file crates/xai-python/pyproject.toml";
    command(&python).words(types).run()
}

/// `cargo xtask stubs`: writes the types of what the package creates from the registry. A test compares the files.
pub(crate) fn stubs() -> Result {
    let python = environment("package", &[])?;
    install_built(&python, ALONE)?;
    command(&python)
        .words("-B crates/xai-python/stubs.py crates/xai-python/python/xai_metrics")
        .run()
}

/// Compares the installed package with other packages on random data.
pub(crate) fn differential(python: &Path, arguments: &[&str]) -> Result {
    let script = command(python).words("-B benches/peers/differential.py");
    script.args(arguments).run()
}

/// Calls the installed package many times and fails if memory or the number of threads grows.
fn soak(python: &Path, arguments: &[&str]) -> Result {
    let script = command(python).words("-B benches/soak.py");
    script.args(arguments).run()
}

/// `cargo xtask ci soak`: calls the release build of the package a million times.
pub(crate) fn long_soak() -> Result {
    let python = environment("package", &[])?;
    install(&python, "dist", "test")?;
    soak(&python, &[])
}

/// `cargo xtask ci python-heavy`: runs the tests with torch, Quantus, SHAP, boosters and others installed, including
/// the tests that need them.
pub(crate) fn heavy() -> Result {
    let python = environment("heavy", &[])?;
    install(&python, "release", "test,heavy")?;
    let folders = "crates/xai-python/tests crates/xai-python/tests/heavy";
    pytest(&python).words(folders).run()
}

/// Builds the package with a profile, installs and tests it.
pub(crate) fn install_and_test(python: &Path, profile: &str) -> Result {
    install(python, profile, "test")?;
    test_installed(python)
}

/// Runs the tests of the installed package and the examples of its documentation, with a fixed seed.
pub(crate) fn test_installed(python: &Path) -> Result {
    for arguments in [
        // A file stays on one process, because fixtures of a module are made once per process.
        "--numprocesses auto --dist loadfile crates/xai-python/tests",
        "--doctest-modules --pyargs xai_metrics",
    ] {
        pytest(python).words(arguments).run()?;
    }
    Ok(())
}

/// Installs the package and the requirements of some extras.
pub(crate) fn install(python: &Path, profile: &str, extras: &str) -> Result {
    // pip keeps an installed package of the same version.
    let uninstall = "-m pip uninstall --quiet --yes xai-metrics-py";
    command(python).words(uninstall).run()?;
    let mut install = building(python, profile);
    if extras == "test" {
        install = install.env("PIP_CONSTRAINT", CONSTRAINTS);
    }
    let package = format!("./crates/xai-python[{extras}]");
    install.words(&package).run()
}

/// The selection of the package for Python without other crates.
pub(crate) const ALONE: &str = "--package xai-python";

/// Installs what the tests need, and the package with the library that cargo builds for a selection of packages.
///
/// pip builds it alone, for which cargo selects other features, so that all dependencies are built again.
pub(crate) fn install_built(python: &Path, selection: &str) -> Result {
    const REQUIREMENTS: &str = "
try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib
with open('crates/xai-python/pyproject.toml', 'rb') as file:
    project = tomllib.load(file)['project']
print(*project['dependencies'], *project['optional-dependencies']['test'])";
    let requirements = command(python).args(["-c", REQUIREMENTS]).output()?;
    let constraints = format!("--constraint {CONSTRAINTS}");
    pip(python).words(&constraints).words(&requirements).run()?;
    place(python, selection, "xai-python", "xai_metrics", "_native")
}

/// Copies a package to an environment, with the library that cargo builds for a selection of packages.
fn place(python: &Path, selection: &str, folder: &str, package: &str, library: &str) -> Result {
    // The features and variables of the tests, so that nothing is built twice.
    cargo(&format!("build {selection} --lib --bins --tests")).run()?;
    let print_platlib = "import sysconfig; print(sysconfig.get_path('platlib'))";
    let site_packages = command(python).args(["-c", print_platlib]).output()?;
    let installed = Path::new(&site_packages).join(package);
    if installed.exists() {
        std::fs::remove_dir_all(&installed)?;
    }
    let source = root().join("crates").join(folder).join("python");
    copy_folder(&source.join(package), &installed)?;
    let module = if cfg!(windows) {
        "_native.pyd"
    } else {
        "_native.abi3.so"
    };
    let library = format!("{DLL_PREFIX}{library}{DLL_SUFFIX}");
    std::fs::copy(target().join("debug").join(library), installed.join(module))?;
    Ok(())
}

/// Installs the package without its dependencies.
pub(crate) fn install_alone(python: &Path, profile: &str) -> Result {
    let package = "--force-reinstall --no-deps ./crates/xai-python";
    let install = building(python, profile).env("PIP_CONSTRAINT", CONSTRAINTS);
    install.words(package).run()
}

/// Returns a call of pip that builds the package with a profile.
fn building(python: &Path, profile: &str) -> Command {
    pip(python).env("MATURIN_PEP517_ARGS", format!("--profile={profile}"))
}

fn pytest(python: &Path) -> Command {
    // If the Rust tests have built `xai`, its lists of metrics are compared with those of Python.
    let xai = target().join("debug").join(format!("xai{EXE_SUFFIX}"));
    command(python)
        .words("-m pytest --quiet --hypothesis-seed=0")
        .words("-c crates/xai-python/pyproject.toml --rootdir crates/xai-python")
        .env("XAI", xai)
}

/// `cargo xtask ci sql-python`: tests the SQL package for Python with Spark, DuckDB and DataFusion, and the object
/// stores of `xai-sql`, and checks types.
pub(crate) fn sql() -> Result {
    let python = sql_environment()?;
    let program = target().join("debug").join(format!("xai-sql{EXE_SUFFIX}"));
    let path = path_with_azurite()?;
    for tests in [
        "--numprocesses auto --dist loadfile crates/xai-sql-python/tests crates/xai-sql/tests",
        "--doctest-modules --pyargs xai_metrics_sql",
    ] {
        let pytest = pytest(&python).words(tests).env("XAI_SQL", &program);
        pytest.env("PATH", &path).run()?;
    }
    let types = "-m mypy --config-file crates/xai-python/pyproject.toml";
    command(&python)
        .words(types)
        .words("--package xai_metrics_sql")
        .run()
}

/// Tests sixty faults of Spark at random moments of a query, as a part of `cargo xtask ci faults`.
pub(crate) fn spark_faults() -> Result {
    let python = sql_environment()?;
    pytest(&python)
        .words("crates/xai-sql-python/tests/test_spark_faults.py")
        .env("XAI_FAULTS", "60")
        .run()
}

/// Creates an environment with both packages and the query engines.
fn sql_environment() -> Result<PathBuf> {
    // Without Java, the tests of Spark fail one by one, with errors that do not mention Java.
    if command("java").words("-version").output().is_err() {
        return Err("Spark needs a Java runtime (Debian: openjdk-17-jre-headless)".into());
    }
    let python = environment("package", &[])?;
    let selection = together(WITH_SQL);
    install_built(&python, &selection)?;
    let engines = format!(
        "--constraint {CONSTRAINTS} datafusion duckdb pyspark psutil moto[s3] flask flask-cors azure-storage-blob"
    );
    pip(&python).words(&engines).run()?;
    let library = "xai_metrics_sql_native";
    place(
        &python,
        &selection,
        "xai-sql-python",
        "xai_metrics_sql",
        library,
    )?;
    Ok(python)
}

/// Returns the search path with Azurite, Microsoft's emulator of Azure Blob Storage. Its tests are skipped if npm
/// cannot install it.
fn path_with_azurite() -> Result<OsString> {
    let folder = target().join("azurite");
    let npm = command("npm").words("install --silent --no-audit --no-fund --prefix");
    if npm.args([&folder]).words("azurite@3.37.0").run().is_err() {
        eprintln!("npm did not install azurite");
    }
    let programs = folder.join("node_modules").join(".bin");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let all = [programs].into_iter().chain(std::env::split_paths(&others));
    Ok(std::env::join_paths(all)?)
}

/// Copies a folder, without what running its programs left in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        let is_left_over = name == "__pycache__" || path.extension() == Some("so".as_ref());
        if path.is_dir() && !is_left_over {
            copy_folder(&path, &to.join(name))?;
        } else if !is_left_over {
            std::fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

/// `cargo xtask ci onnxruntime`: tests the command line with ONNX Runtime, on models that only it runs. Uses the
/// libraries that the other tests built. The step `clippy` checks its code too.
pub(crate) fn onnxruntime(packages: &str) -> Result {
    let features = format!("{},xai-cli/onnxruntime", together(packages));
    let tests = cargo(&format!("test {features} --test onnxruntime"));
    tests.env("ORT_DYLIB_PATH", onnxruntime_library()?).run()
}

/// Installs ONNX Runtime and returns the path of its library.
pub(crate) fn onnxruntime_library() -> Result<String> {
    const PATH: &str = "import glob, os, onnxruntime
folder = os.path.join(os.path.dirname(onnxruntime.__file__), 'capi')
print(glob.glob(os.path.join(folder, '*onnxruntime.*'))[0])";
    let python = environment("onnxruntime", &["onnxruntime==1.31.1"])?;
    command(python).args(["-c", PATH]).output()
}
