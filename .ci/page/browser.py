"""The page in Chromium, watched: every message on the console and every request is a fault."""
import pathlib
import shutil
import urllib.parse

from playwright.sync_api import TimeoutError, sync_playwright


def link(**parts):
    return "#v1:" + "&".join(f"{k}={urllib.parse.quote(str(v), safe='')}" for k, v in parts.items())


class Page:
    """One page, opened from disk. faults: what it said on the console, and what it asked of the network."""

    def __init__(self, browser, file, link="", **context):
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.faults = []
        self.page.on("console", lambda message: self.faults.append("console: " + message.text))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("request", self._asked)
        self.address = pathlib.Path(file).resolve().as_uri()
        self.open(link)

    def _asked(self, request):
        scheme = request.url.split(":")[0]
        if request.url.split("#")[0] != self.address and scheme not in ("blob", "data"):
            self.faults.append("request: " + request.url)

    def open(self, link=""):
        self.page.goto("about:blank")
        self.page.goto(self.address + link)
        self.page.wait_for_selector("html[data-ready=true]", timeout=180000)

    def ask(self, **request):
        return self.page.evaluate("request => window.faro.ask(request)", request)

    def judge(self, text):
        return self.page.evaluate(
            """text => window.faro.ask({do: "verify"}, {hold: new TextEncoder().encode(text)})""", text
        )

    def settled(self, act, timeout=180000):
        """Does something and waits until the page has shown its answer."""
        before = self.page.get_attribute("html", "data-shown")
        act()
        self.page.wait_for_function(
            """before => document.documentElement.dataset.shown !== before &&
                         !document.getElementById("main").classList.contains("waiting")""",
            arg=before,
            timeout=timeout,
        )

    def shows(self, selector, words, timeout=60000):
        """Whether these words come to stand there, and nothing is under way then."""
        try:
            self.page.wait_for_function(
                """([selector, words]) => document.querySelector(selector).textContent.includes(words) &&
                             !document.getElementById("main").classList.contains("waiting")""",
                arg=[selector, words],
                timeout=timeout,
            )
        except TimeoutError:
            return False
        return True

    def show(self, link, timeout=180000):
        if self.page.evaluate("location.hash") != link:
            self.settled(lambda: self.page.evaluate("link => { location.hash = link }", link), timeout)

    def text(self, selector):
        return self.page.text_content(selector)

    def close(self):
        self.context.close()


class Chromium:
    def __enter__(self):
        self.driver = sync_playwright().start()
        path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        self.browser = self.driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        return self

    def __exit__(self, *_):
        self.browser.close()
        self.driver.stop()

    def page(self, file, link="", **context):
        return Page(self.browser, file, link, **context)


class Count:
    """passed and failed; a failure says what was wanted and what was found."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, good, *words):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print("failed:", *words, flush=True)
        return good

    def equal(self, found, wanted, *words):
        if found == wanted:
            return self.check(True)
        one, other = str(found), str(wanted)
        end = min(len(one), len(other))
        at = next((i for i in range(end) if one[i] != other[i]), end)
        part = slice(max(0, at - 300), at + 300)
        return self.check(False, *words, f"at character {at}\n  found  {one[part]}\n  wanted {other[part]}")
