"""The site that tools/site builds, opened from its folder: nothing is asked of a network, nothing is said on the
console, no page is wider than a phone, and the search finds pages."""
import pathlib
import urllib.parse

from playwright.sync_api import TimeoutError

# What is typed, and a page that must be among those found.
questions = [
    ("morton", "notation.html"),
    ("parse_layout", "api-algebra-notation.html"),
    ("sequency fftshift", "notation.html"),
    ("lower bound of 2^60", "index.html"),
    ("a:4 -> ungray(a) ~", "notation.html"),  # what would be syntax to lunr
]


class Watched:
    """A window on the site; faults: what it said, what it could not load, what it loaded from elsewhere."""

    def __init__(self, chromium, site, width):
        self.site = site
        self.folder = site.as_uri() + "/"
        self.context = chromium.browser.new_context(viewport={"width": width, "height": 844}, offline=True,
                                                   reduced_motion="reduce")
        self.page = self.context.new_page()
        self.faults = []
        self.page.on("console", lambda message: self.faults.append("console: " + message.text))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("request", self._asked)
        self.page.on("requestfailed", lambda request: self.faults.append("failed: " + request.url))

    def _asked(self, request):
        if not request.url.startswith((self.folder, "data:")):
            self.faults.append("request: " + request.url)

    def open(self, name):
        self.page.goto(self.folder + name)

    def menu(self):
        """Opens the menu where it is folded, and waits until it stands."""
        if self.page.is_visible(".navbar-toggler"):
            if not self.page.is_visible("a.nav-link:has-text('Search')"):
                self.page.click(".navbar-toggler")
            self.page.wait_for_selector(".navbar-collapse.collapse.show")

    def search(self, words):
        """Types into the search, and returns the pages found."""
        tab = self.page
        if not tab.is_visible("#mkdocs-search-query"):
            self.menu()
            tab.click("a.nav-link:has-text('Search')")
            tab.wait_for_selector("#mkdocs-search-query", state="visible")
        tab.fill("#mkdocs-search-query", "")
        tab.wait_for_function("!document.querySelector('#mkdocs-search-results').children.length")
        tab.fill("#mkdocs-search-query", words)
        try:
            tab.wait_for_function(
                """() => { const list = document.querySelector('#mkdocs-search-results');
                           return list.children.length && !list.textContent.startsWith('Reading') }""", timeout=20000)
        except TimeoutError:
            return []
        return tab.eval_on_selector_all("#mkdocs-search-results a", "all => all.map(one => one.href)")


def pages(chromium, site, count):
    window = Watched(chromium, site, 390)
    for path in sorted(site.glob("*.html")):
        if path.name == "explorer-page.html":
            continue
        before = len(window.faults)
        window.open(path.name)
        wide = window.page.evaluate("document.documentElement.scrollWidth")
        count.check(wide <= 390, path.name, "is", wide, "wide in a window of 390")
        count.equal(window.faults[before:], [], "faults of", path.name)
    window.context.close()


def search(chromium, site, width, count):
    window = Watched(chromium, site, width)
    window.open("index.html")
    for words, wanted in questions:
        found = window.search(words)
        names = [urllib.parse.urlsplit(link).path.rsplit("/", 1)[-1] for link in found]
        count.check(wanted in names, "searched", repr(words), "at", width, "for", wanted, "and found", names[:10])
    count.equal(window.search("qqzzqq"), [], "what stands nowhere is not found")
    count.check("No page" in window.page.text_content("#mkdocs-search-results"), "and it says so")
    found = window.search("morton")
    count.check(window.page.evaluate("document.documentElement.scrollWidth") <= width, "the search is too wide at", width)
    if found:
        window.page.click("#mkdocs-search-results a")
        window.page.wait_for_load_state()
        count.equal(window.page.url, found[0], "the first page found opens")
    window.open("index.html")
    window.menu()
    window.page.click("text=The papers >> nth=0")
    window.page.wait_for_selector("a[href='paper-row-by-row.html']", state="visible")
    count.check(window.page.evaluate("document.documentElement.scrollWidth") <= width, "the menu is too wide at", width)
    # From a page beside, too.
    window.open("api-algebra-notation.html")
    count.check(window.search("parse_layout"), "searched from a page of the reference")
    count.equal(window.faults, [], "faults of searching at", width)
    window.context.close()


def run(chromium, site, count):
    site = pathlib.Path(site).resolve()
    pages(chromium, site, count)
    for width in (1280, 390):
        search(chromium, site, width, count)
    page = chromium.page(site / "explorer-page.html")
    count.equal(page.faults, [], "faults of the explorer in the site")
    page.close()
