"""The reports that the tests look at, made by `xai`, and the browser that they look with."""

import json
import os
import pathlib
import subprocess
from importlib.resources import files

import pytest
import studies
from selenium import webdriver

pytest.register_assert_rewrite("checks")
# The driver is on this machine: no proxy is asked for it.
os.environ["NO_PROXY"] = "127.0.0.1,localhost"
# Each study, with the exit code of its report: one section of the hostile one cannot be computed.
STUDIES = {"sample": 0, "hostile": 1, "small": 0}


def pytest_addoption(parser):
    for option in ("xai", "sample", "chromium", "chromedriver"):
        parser.addoption(f"--{option}", type=lambda path: pathlib.Path(path).absolute())


@pytest.fixture(scope="session")
def reports(pytestconfig, tmp_path_factory):
    """The folder with one report per study."""
    out, sample = tmp_path_factory.mktemp("reports"), pytestconfig.getoption("sample")
    studies.write(sample, out)
    for name, code in STUDIES.items():
        study = sample / "study.toml" if name == "sample" else out / f"{name}.toml"
        command = [pytestconfig.getoption("xai"), "report", study, "--out", out / name]
        answer = subprocess.run(command, capture_output=True, text=True)
        assert answer.returncode == code, answer.stderr
    return out


@pytest.fixture(scope="session")
def browser(pytestconfig):
    """A window of a headless Chromium."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(pytestconfig.getoption("chromium"))
    for switch in ("headless=new", "no-first-run", "disable-background-networking", "disable-dev-shm-usage", "hide-scrollbars"):
        options.add_argument(f"--{switch}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium's sandbox refuses to start as root
    # An alert that a page opens stays open, and every later command fails.
    options.unhandled_prompt_behavior = "ignore"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with webdriver.Chrome(options, webdriver.ChromeService(str(pytestconfig.getoption("chromedriver")))) as driver:
        driver.set_script_timeout(180)
        yield driver


class Page:
    """A page that is open in the browser, and the report.json beside it."""

    # From a package that carries this script of the project axe-core.
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")

    def __init__(self, browser, folder):
        self.browser, self.file, self.width = browser, folder / "index.html", None
        self.report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        self.run, self.tools = browser.execute_script, browser.execute_cdp_cmd

    def open(self, width=1280, scheme="light"):
        """Opens it in a window of a width, for a person who wants a light or a dark page, with empty logs."""
        self.width = width
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.tools("Emulation.setDeviceMetricsOverride", size)
        # Movements would make what is seen depend on the moment.
        wishes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        self.tools("Emulation.setEmulatedMedia", {"features": [{"name": n, "value": v} for n, v in wishes.items()]})
        self.browser.get("about:blank")
        for log in ("browser", "performance"):
            self.browser.get_log(log)
        self.browser.get(self.file.as_uri())


@pytest.fixture
def page(browser, reports, study):
    """The page of a study, which is a parameter of each test."""
    return Page(browser, reports / study)
