"""run.py FARO PAGE SITE [PART...]: the page beside the program, and the site it is in. See .ci/page.sh."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
sys.path += [str(here), str(here.parent), str(here.parent / "judges")]

import asked  # noqa: E402
import behaviour  # noqa: E402
import broken  # noqa: E402
import on_gpu  # noqa: E402
import oracle  # noqa: E402
import site_folder  # noqa: E402
from browser import Chromium, Count, link  # noqa: E402

data = here.parent.parent / "tests" / "data"
shown_schedules = [
    ("a:4 -> ungray(a)", "cube:4", 10), ("a:3 | m:2 -> a[1] m[0] a[0] | a[2] m[1]", "cube:3", None),
    ("i -> rev(i)", "torus:4x4,all-links", 2), ("i -> rev(i)", "mesh:4x8,all-links", 1),
    ("i -> rev(i)", "mesh:4x4", 1), ("i -> ~rot(i, 1)", "torus:4x4", 1), ("i -> rev(i)", "pops:4,4", 2),
    ("i -> ~i", "pops:8,2", 1), ("i -> rev(i)", "ranks:16", 3), ("i -> swap(i, 2, 0)", "cube:4,one-port", 3),
]


class Program:
    def __init__(self, path):
        self.path = path
        self.folder = tempfile.TemporaryDirectory(prefix="faro-page.")

    def run(self, *arguments, text=None):
        return subprocess.run([self.path, *arguments], capture_output=True, encoding="utf-8", errors="replace", input=text)

    def file(self, name):
        return str(pathlib.Path(self.folder.name) / name)

    def complaint(self, done, file=""):
        """What is wrong, without the file's path, which a page does not know."""
        return done.stderr.removeprefix("faro: ").removeprefix(f"{file}: ").removesuffix("\n")


def answers(page, program, count):
    for text in asked.good_maps(data):
        done = program.run("explain", text, "--json")
        answer = page.ask(do="explain", map=text)
        if done.returncode == 0:
            wanted = json.dumps(json.loads(done.stdout))
            count.equal(json.dumps(answer.get("map")), wanted, "explain", text)
            if json.loads(wanted)["width"] in (5, 33):  # pictures, too
                figure = program.run("explain", text, "--export", "-", "--to", "svg", "--figure", "strands").stdout
                count.equal(page.ask(do="figure", map=text, what="strands")["text"], figure, "the strands of", text)
        else:
            count.equal(answer.get("message"), program.complaint(done), "explain", text)
    for text in asked.bad_maps(data):
        done = program.run("explain", text, "--json")
        # What the program takes for an option, and sizes that only the data knows.
        if text.startswith("-") or "no system" in done.stderr or "needs a " in done.stderr:
            continue
        answer = page.ask(do="explain", map=text)
        if answer["ok"]:  # a width that only the data knows
            count.equal(0, done.returncode, "explain", text)
        else:
            count.equal(answer["message"], program.complaint(done), "explain", text)


def schedules(page, program, count):
    for text, machine, elements in asked.requests:
        more = [] if elements is None else ["--elements", str(elements)]
        file = program.file("s.json")
        pathlib.Path(file).unlink(missing_ok=True)
        done = program.run("plan", text, "--on", machine, *more, "--json", "--schedule", file)
        answer = page.ask(do="plan", map=text, on=machine, elements=elements)
        name = f"{text} on {machine}, {elements}"
        if done.returncode != 0:
            count.equal(answer.get("message"), program.complaint(done), "plan", name)
            continue
        count.equal(json.dumps(answer.get("plan")), json.dumps(json.loads(done.stdout)), "plan", name)
        written = pathlib.Path(file).read_text()
        count.equal(page.ask(do="schedule").get("text") == written, True, "the schedule's bytes", name)


def verdicts(page, program, count):
    rnd = random.Random(7)
    texts = [path.read_text() for path in sorted((data / "schedules").glob("*.json")) if path.name != "fingerprints.txt"]
    good = [json.loads(text) for text in texts if len(text) < 200000]
    for text, machine, elements in shown_schedules:
        more = [] if elements is None else ["--elements", str(elements)]
        good.append(json.loads(program.run("plan", text, "--on", machine, *more, "--schedule", "-").stdout))
    texts += ["", "{}", "\x89PNG\r\n", "[" * 5000, texts[0][: len(texts[0]) // 2], "{\"format\":\"faro-schedule/2\"}"]
    while len(texts) < 160:
        texts.append(json.dumps(broken.mutate(rnd, rnd.choice(good))))
    for i, text in enumerate(texts):
        file = program.file("m.json")
        pathlib.Path(file).write_text(text)
        done = program.run("verify", file, "--json")
        answer = page.judge(text)
        if done.stdout:
            count.equal(json.dumps(answer.get("verdict")), json.dumps(json.loads(done.stdout)), "verdict", i)
        else:
            count.equal(answer.get("message"), program.complaint(done, file), "verdict", i)
    # Dropped on the page itself: the sentence, the place, the step.
    for i in range(12):
        text = json.dumps(broken.mutate(rnd, rnd.choice(good)))
        file = program.file("d.json")
        pathlib.Path(file).write_text(text)
        done = program.run("verify", file, "--json")
        page.settled(lambda: page.page.set_input_files("#file", file))
        if not done.stdout:
            count.check(page.text("#plan-words").endswith(program.complaint(done, file)), "a dropped file", i)
            continue
        verdict = json.loads(done.stdout)
        rows = page.page.locator(".violation").evaluate_all("all => all.map(one => [one.dataset.step, one.dataset.rule])")
        wanted = [[str(v["step"]), v["rule"]] for v in verdict["violations"]]
        count.equal(rows, wanted, "violations of a dropped file", i)
        if wanted and not page.page.locator("#p-play").is_hidden():
            step = min(int(wanted[0][0]), int(page.page.get_attribute("#step", "max")))
            count.equal(page.page.input_value("#step"), str(step), "the step of a dropped file", i)


def drawn(page, program, count):
    for text, machine, elements in shown_schedules:
        more = [] if elements is None else ["--elements", str(elements)]
        file = json.loads(program.run("plan", text, "--on", machine, *more, "--schedule", "-").stdout)
        parts = {"map": text, "on": machine, "elements": elements or ""}
        page.show(link(**parts))
        page.page.evaluate("document.getElementById('contents').open = true")
        for step, wanted in enumerate(oracle.states(file)):
            page.page.evaluate(
                "step => { const s = document.getElementById('step'); s.value = step; s.dispatchEvent(new Event('input')) }", step)
            found = page.page.evaluate(
                """() => [...document.querySelectorAll("#cell-table td")].map(td =>
                    [Number(td.parentElement.dataset.processor), Number(td.dataset.slot), Number(td.dataset.element)])""")
            cells = {(p, s): e for p, s, e in found}
            if not count.equal(cells, wanted, f"what stands where: {text} on {machine}, step {step}"):
                break


def main():
    program = Program(sys.argv[1])
    file = sys.argv[2]
    parts = {"answers": answers, "schedules": schedules, "verdicts": verdicts, "drawn": drawn, "gpu": on_gpu.run}
    wanted = sys.argv[4:] or [*parts, "behaviour", "site"]
    count = Count()
    with Chromium() as chromium:
        for name in wanted:
            before = count.passed
            if name == "behaviour":
                behaviour.run(chromium, file, program, count)
            elif name == "site":
                site_folder.run(chromium, sys.argv[3], count)
            else:
                page = chromium.page(file)
                parts[name](page, program, count)
                count.equal(page.faults, [], "faults of", name)
                page.close()
            print(f"{name}: {count.passed - before} checks", flush=True)
    print(f"page: {count.passed} passed, {count.failed} failed")
    sys.exit(count.failed != 0)


main()
