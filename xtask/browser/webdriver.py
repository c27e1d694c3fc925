"""A browser by the WebDriver protocol: chromedriver is started, asked over HTTP, and stopped whatever happens."""

import json
import os
import re
import subprocess
import tempfile
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ENTER = "\ue007"
# Seconds that one answer may take: a page for print on a busy machine.
PATIENCE = 180


class Refused(Exception):
    """The browser did not do what it was asked for."""


class Browser:
    """One window of a headless Chromium."""

    def __init__(self, chromium, chromedriver):
        self.chromium = chromium
        self.chromedriver = chromedriver

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="xai-browser-", ignore_cleanup_errors=True)
        # Port 0 is any free port of the loopback interface; the driver says which.
        self.driver = subprocess.Popen(
            [self.chromedriver, "--port=0", "--log-level=SEVERE"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.session = None
        try:
            self.address = f"http://127.0.0.1:{self._port()}"
            answer = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": self._wanted()}})
            self.session = answer["sessionId"]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self._ask("DELETE", f"/session/{self.session}")
        except (Refused, OSError):
            pass
        finally:
            self.driver.terminate()
            try:
                self.driver.wait(10)
            except subprocess.TimeoutExpired:
                self.driver.kill()
                self.driver.wait()
            self.driver.stdout.close()
            self.profile.cleanup()

    def _port(self):
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found[1])
        raise Refused("chromedriver did not start")

    def _wanted(self):
        switches = ["--headless=new", "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage",
                    "--hide-scrollbars", f"--user-data-dir={self.profile.name}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            switches.append("--no-sandbox")  # Chromium's sandbox refuses to start as root
        return {
            "browserName": "chrome",
            # An alert that a page opens stays open, so that it is seen.
            "unhandledPromptBehavior": "ignore",
            "goog:chromeOptions": {"binary": self.chromium, "args": switches},
            "timeouts": {"script": 1000 * PATIENCE},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }

    def _ask(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        # No proxy is asked: the driver is on this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as refusal:
            value = json.load(refusal)["value"]
            raise Refused(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def ask(self, path, body=None, method="POST"):
        """A command of the session."""
        return self._ask(method, f"/session/{self.session}{path}", body)

    def tools(self, command, **parameters):
        """A command of the browser's developer tools."""
        return self.ask("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, address):
        """Opens a page, with empty logs."""
        self.ask("/url", {"url": "about:blank"})
        self.log("browser")
        self.log("performance")
        self.ask("/url", {"url": address})

    def log(self, kind):
        """What was logged since it was asked the last time."""
        return self.ask("/se/log", {"type": kind})

    def run(self, script, *arguments):
        """What a function body gives on the page; a promise is waited for."""
        return self.ask("/execute/sync", {"script": script, "args": list(arguments)})

    def has_alert(self):
        """Whether a dialog is open."""
        try:
            self.ask("/alert/text", method="GET")
            return True
        except Refused as refusal:
            if "no such alert" in str(refusal):
                return False
            raise

    def press_enter(self, element):
        """Focuses an element and presses Enter."""
        self.ask(f"/element/{element[ELEMENT]}/value", {"text": ENTER})

    def label(self, element):
        """The name that a screen reader says of an element."""
        return self.ask(f"/element/{element[ELEMENT]}/computedlabel", method="GET")

    def point_at(self, x, y):
        """Moves the mouse to a place of the window."""
        move = {"type": "pointerMove", "duration": 0, "x": x, "y": y, "origin": "viewport"}
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move]}
        self.ask("/actions", {"actions": [mouse]})

    def look(self, width, scheme):
        """A window of a width, for a person who wants a light or a dark page."""
        self.tools("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        # Movements would make what is seen depend on the moment.
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.tools("Emulation.setEmulatedMedia", features=[feature, still])
