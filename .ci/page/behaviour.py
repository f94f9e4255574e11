"""How the page behaves: typing, links, keys, what a screen reader finds, sizes, themes, work."""
import json
import pathlib

from axe_playwright_python.sync_playwright import Axe

folder = pathlib.Path(__file__).resolve().parent


def typing(page, count):
    tab = page.page
    page.settled(lambda: tab.fill("#map", "a:4 -> ungrayy(a)"))
    count.check("ungray(i)?" in page.text("#fault") and page.text("#fault").count("\n") == 2, "a caret while typing")
    count.equal(tab.get_attribute("#map", "aria-invalid"), "true", "the field is marked")
    page.settled(lambda: tab.fill("#map", "a:4 -> gray(a)"))
    count.equal(tab.is_hidden("#fault"), True, "the fault goes")
    count.check("7" in page.text("#numbers") or page.text("#numbers"), "numbers")
    # What is wrong with a field is said once, at the fields.
    page.settled(lambda: tab.fill("#on", "cub:4"))
    count.check("cub:4" in page.text("#fault") and "cub:4" not in page.text("#plan-words"), "a fault stands once", page.text("#plan-words"))
    page.settled(lambda: tab.fill("#on", "cube:4"))
    # Back is undo; what is typed in another field is a change of its own, however fast.
    page.settled(lambda: tab.fill("#elements", "20"))
    page.settled(lambda: tab.go_back())
    count.equal(tab.input_value("#elements"), "10", "back is undo")
    page.settled(lambda: tab.go_forward())
    count.equal(tab.input_value("#elements"), "20", "forward is redo")
    # Other systems' words, as the program takes them.
    tab.fill("#on", "ranks:4")
    tab.fill("#elements", "")
    page.settled(lambda: tab.fill("#map", "xla:{devices=[4,1]<=[4]} => xla:{devices=[1,4]<=[4]} --shape 4x4"))
    count.check(page.shows("#verified", "right") and "ranks" in page.text("#plan-words"), "XLA's words are planned", page.text("#fault"))
    count.check(page.shows("#words", "p:2 | m:2 -> m | p"), "and said in the notation")
    page.settled(lambda: tab.fill("#map", "xla:{devices=[4,1]<=[4]} --shape 4x5"))
    count.check(page.shows("#fault", "xla"), "and their faults are told", page.text("#fault"))
    # A slow question is dropped by the next one.
    tab.fill("#on", "")
    tab.fill("#map", "i:4 -> ~i")
    count.check(page.shows("#summary", "complement"), "the last one typed is shown")


def links(chromium, file, count):
    for row in json.loads((folder / "links.json").read_text()):
        page = chromium.page(file, row["link"])
        for selector, words in row["shows"].items():
            found = page.page.input_value(selector) if selector in ("#map", "#on", "#elements", "#step") else page.text(selector)
            good = found == words if selector in ("#map", "#on", "#elements", "#step") else words in found
            count.check(good, "an old link:", row["link"], selector, repr(found), "for", repr(words))
        count.equal(page.faults, [], "faults of an old link")
        page.close()


def keys(page, count):
    """A tour without a mouse."""
    tab = page.page
    page.show("#v1:map=a%20-%3E%20ungray(a)&on=cube%3A4&elements=10")
    press = tab.keyboard.press
    tab.evaluate("document.activeElement.blur()")
    press("/")
    count.equal(tab.evaluate("document.activeElement.id"), "map", "/ goes to the map")
    page.settled(lambda: tab.keyboard.type("a -> gray(a)"))
    count.equal(tab.input_value("#map"), "a -> gray(a)", "and what is typed replaces it")
    press("Escape")
    press("ArrowRight")
    press("ArrowRight")
    count.equal(tab.input_value("#step"), "2", "right steps on")
    said = page.text("#said")
    press("ArrowLeft")
    count.equal(tab.input_value("#step"), "1", "left steps back")
    count.check(page.text("#said") != said and page.text("#said").startswith("Step 1"), "the live sentence changes")
    count.check(page.text("#where").startswith("step 1, the last is "), "where the player stands", page.text("#where"))
    press("End")
    count.equal(tab.input_value("#step"), tab.get_attribute("#step", "max"), "end")
    press("Home")
    count.equal(tab.input_value("#step"), "0", "home")
    press("Space")
    count.equal(tab.get_attribute("#play", "aria-pressed"), "true", "space plays")
    tab.wait_for_function("() => Number(document.getElementById('step').value) >= 2", timeout=20000)
    press("Space")
    count.equal(tab.get_attribute("#play", "aria-pressed"), "false", "space stops")
    planner = tab.text_content("#considered tr.taken button")
    page.settled(lambda: press("]"))
    count.check(tab.text_content("#considered tr.taken button") != planner, "] asks another planner")
    press("f")
    tab.keyboard.type("5")
    press("Enter")
    count.check(tab.locator("#path li").count() > 0, "f follows an element")
    press("Escape")
    press("?")
    count.equal(tab.locator("#help-dialog[open]").count(), 1, "? opens the keys")
    press("Escape")
    theme = tab.get_attribute("html", "data-theme")
    press("d")
    count.check(tab.get_attribute("html", "data-theme") != theme, "d changes the theme")
    press("s")
    count.equal(tab.locator("#save-dialog[open]").count(), 1, "s opens what can be saved")
    press("Escape")
    tab.focus("#canvas")
    press("ArrowRight")
    first = page.text("#tip")
    press("ArrowDown")
    press("ArrowRight")
    count.check(first.startswith("processor") and page.text("#tip") != first, "arrows walk over the machine")
    # Tab alone reaches everything that can be pressed, and nothing holds it.
    tab.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    reached = set()
    for _ in range(150):  # from the machine on, over the end, and once around
        press("Tab")
        reached.add(tab.evaluate("document.activeElement.id"))
    for wanted in ("map", "on", "elements", "examples", "open", "link", "save", "theme", "play", "step", "canvas", "gpu", "element", "language", "in_place"):
        count.check(wanted in reached, "tab reaches", wanted)


def saved(page, chromium, count):
    tab = page.page
    page.show("#v1:map=a%3A3%20-%3E%20ungray(a)&on=cube%3A3&elements=3&step=1")
    tab.keyboard.press("s")
    wanted = [("SVG", "<svg"), ("PNG", "PNG"), ("TikZ", "\\begin{tikzpicture}"), ("faro-schedule/1", "faro-schedule/1"),
              ("csv", "step,from"), ("goal", "num_ranks")]
    for name, begins in wanted:
        with tab.expect_download() as download:
            tab.locator("#save-list button", has_text=name).first.click()
        content = pathlib.Path(download.value.path()).read_bytes()
        count.check(begins.encode() in content[:400], "saved", name)
    with tab.expect_download() as download:
        tab.locator("#save-list button", has_text="offline copy").click()
    copy = pathlib.Path(download.value.path()).with_suffix(".copy.html")
    copy.write_bytes(pathlib.Path(download.value.path()).read_bytes())
    tab.keyboard.press("Escape")
    other = chromium.page(copy)
    count.equal(other.page.input_value("#map"), "a:3 -> ungray(a)", "the offline copy opens with what it shows")
    count.equal(other.page.input_value("#step"), "1", "and at its step")
    count.equal(other.faults, [], "faults of the offline copy")
    other.close()


def baked(chromium, program, count):
    out = program.file("page.html")
    schedule = program.file("baked.json")
    program.run("plan", "i -> rev(i)", "--on", "torus:4x4,all-links", "--schedule", schedule)
    for arguments, shows in (
        (["a:4 -> ungray(a)", "--on", "cube:4", "--elements", "10"], "conversion-table"),
        (["--schedule", schedule], "baked.json"),
    ):
        done = program.run("explorer", *arguments, "-o", out)
        if not count.equal((done.returncode, done.stderr), (0, ""), "faro explorer"):
            continue
        page = chromium.page(out)
        count.check(shows in page.text("#plan-words"), "faro explorer's page shows", shows, page.text("#plan-words"))
        count.check("right" in page.text("#verified"), "and it is right")
        count.equal(page.faults, [], "faults of faro explorer's page")
        page.close()


def verdict_page(chromium, program, count):
    """faro verify --html: the verdict, the step, the wrong move, another goal."""
    out, schedule = program.file("verdict.html"), pathlib.Path(program.file("wrong.json"))
    text = json.loads(program.run("plan", "i -> rev(i)", "--on", "torus:4x4,all-links", "--schedule", "-").stdout)
    text["steps"][1]["moves"][3][2] ^= 5
    schedule.write_text(json.dumps(text))
    verdict = json.loads(program.run("verify", str(schedule), "--json").stdout)
    count.equal(program.run("verify", str(schedule), "--html", out).returncode, 1, "faro verify --html of a wrong schedule")
    page = chromium.page(out)
    first = verdict["violations"][0]
    count.check("wrong" in page.text("#verified") and first["message"] in page.text("#violations"), "the page shows the verdict")
    count.check(f"moves[{first['at']['move']}]" in page.text("#violations"), "and its place", page.text("#violations"))
    count.equal(page.page.input_value("#step"), str(first["step"]), "and stands at its step")
    red = page.page.evaluate(
        """() => { const c = document.getElementById("canvas"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
                   let n = 0; for (let i = 0; i < d.length; i += 4) if (d[i] === 179 && d[i + 1] === 32 && d[i + 2] === 26) ++n; return n; }""")
    count.check(red > 300, "the wrong move and its ends are red", red)
    count.equal(page.faults, [], "faults of the verdict's page")
    page.close()
    right = program.file("right.json")
    program.run("plan", "i -> rev(i)", "--on", "ranks:8", "--schedule", right)
    program.run("verify", right, "--map", "i -> ~i", "--html", out)
    page = chromium.page(out)
    count.check("wrong" in page.text("#verified"), "another goal is held to", page.text("#verified"))
    page.close()


def dropped(page, program, count):
    """A drag and a drop, as a hand would."""
    text = program.run("plan", "i -> rev(i)", "--on", "ranks:8", "--schedule", "-").stdout
    script = """text => {
      const data = new DataTransfer();
      data.items.add(new File([text], "dropped.json", {type: "application/json"}));
      for (const type of ["dragover", "drop"])
        document.body.dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}));
    }"""
    page.settled(lambda: page.page.evaluate(script, text))
    count.check("dropped.json" in page.text("#plan-words") and "right" in page.text("#verified"), "a dropped file is judged")
    link = page.page.evaluate("location.href")
    count.check("file=" in link, "a small file is in the link")
    page.open(link[link.index("#"):])
    count.check("right" in page.text("#verified"), "and the link opens with it")
    page.settled(lambda: page.page.evaluate(script, "no schedule"))
    count.check("no schedule" in page.text("#verified"), "what is no schedule is said to be none")
    page.settled(lambda: page.page.fill("#map", "i:3 -> rev(i)"))
    count.check("bit-permutation" in page.text("#summary"), "and the page goes on")


def seen(chromium, file, count):
    """What axe finds, and what does not fit, in both themes and at the sizes of screens."""
    states = ["#v1:map=a%20-%3E%20ungray(a)&on=cube%3A4&elements=10", "#v1:map=a%3A60%20-%3E%20ungray(a)&on=cube%3A60&elements=100",
              "#v1:map=i%20-%3E%20rev(i)&on=pops%3A4%2C4", "#v1:map=r%3A3%20c%3A2%20-%3E%20c%20r",
              "#v1:map=i%3A40%20-%3E%20rev(i)&gpu=h100&element=1&language=opencl"]
    for scheme in ("light", "dark"):
        for width, height in ((1280, 800), (390, 844), (320, 640)):
            for state in states:
                page = chromium.page(file, state, color_scheme=scheme, viewport={"width": width, "height": height})
                wide = page.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                count.equal(wide, 0, f"no scrolling to the side at {width}, {state}")
                wide = page.page.evaluate("(m => m.scrollWidth - m.clientWidth)(document.getElementById('matrix'))")
                count.equal(wide, 0, f"the matrix fits at {width}, {state}")
                if width == 390:
                    high = page.page.evaluate("document.querySelector('header').offsetHeight")
                    count.check(high < height / 4, f"a phone's header is low, {state}", high)
                if width != 320:
                    page.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
                    found = Axe().run(page.page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}).response["violations"]
                    count.equal([(v["id"], v["nodes"][0]["html"][:200]) for v in found], [], f"axe, {scheme}, {width}, {state}")
                count.equal(page.faults, [], "faults")
                page.close()


def work(page, count):
    """Typing never waits for a plan: while one of 2^60 processors is made the page draws frames, and numbers come;
    and a step drawn again leaves as many elements as before."""
    tab = page.page
    page.show("#v1:map=a%3A59%20-%3E%20ungray(a)&on=cube%3A60&elements=100")
    frames = tab.evaluate(
        """() => new Promise(done => {
          let frames = 0; let running = true;
          const frame = () => { ++frames; if (running) requestAnimationFrame(frame); };
          requestAnimationFrame(frame);
          const map = document.getElementById("map");
          map.value = "a:60 -> ungray(a)";
          map.dispatchEvent(new Event("input", {bubbles: true}));
          const look = setInterval(() => {
            if (!/80/.test(document.getElementById("numbers").textContent)) return;
            clearInterval(look); running = false;
            done(frames);
          }, 2);
        })""")
    count.check(frames >= 3, "the page draws while it waits", frames)
    page.show("#v1:map=i%20-%3E%20rev(i)&on=cube%3A12&elements=1", timeout=120000)
    grown = tab.evaluate(
        """() => new Promise(done => {
          const all = () => document.getElementsByTagName("*").length;
          const slider = document.getElementById("step"); const most = Number(slider.max);
          let frames = 0; let before = 0;
          const one = () => {
            slider.value = frames % most; slider.dispatchEvent(new Event("input"));
            if (frames === most) before = all();
            if (++frames <= 4 * most) requestAnimationFrame(one); else done([before, all()]);
          };
          one();
        })""")
    count.equal(grown[1], grown[0], "elements after four times all steps")


def run(chromium, file, program, count):
    size = pathlib.Path(file).stat().st_size
    count.check(size <= 4 << 20, "the page has at most 4 MB", size)
    count.check("connect-src 'none'" in pathlib.Path(file).read_text(), "the policy stands in the page")
    page = chromium.page(file)
    print(f"{size} bytes")
    for part in (typing, keys, work):
        part(page, count)
    saved(page, chromium, count)
    dropped(page, program, count)
    count.equal(page.faults, [], "faults")
    page.close()
    links(chromium, file, count)
    baked(chromium, program, count)
    verdict_page(chromium, program, count)
    seen(chromium, file, count)
