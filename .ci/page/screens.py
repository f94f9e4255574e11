"""Screenshots of the page for the docs. usage: screens.py FARO PAGE FOLDER"""
import json
import pathlib
import subprocess
import sys
import tempfile

from browser import Chromium

faro, page_file, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])

# name, link, size, colours, what is done before
shots = [
    ("explorer", "#v1:map=a%20-%3E%20ungray(a)&on=cube%3A4&elements=10&step=3", (1440, 1000), "light"),
    ("explorer-rules", "#v1:map=a%3A60%20-%3E%20ungray(a)&on=cube%3A60&elements=100&step=20", (1440, 1500), "light"),
]


def save(page, name):
    page.page.wait_for_timeout(400)
    page.page.screenshot(path=str(folder / f"{name}.png"))
    if page.faults:
        sys.exit(f"{name}: {page.faults}")
    page.close()


# A schedule with one move to a processor that is no neighbour, as faro verify --html shows it.
def wrong(chromium):
    with tempfile.TemporaryDirectory() as place:
        schedule, html = pathlib.Path(place) / "wrong.json", pathlib.Path(place) / "wrong.html"
        command = [faro, "plan", "i -> rev(i)", "--on", "torus:4x4,all-links", "--schedule", "-"]
        text = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        text["steps"][1]["moves"][3][2] ^= 5
        schedule.write_text(json.dumps(text))
        done = subprocess.run([faro, "verify", schedule, "--html", html], capture_output=True, text=True)
        if done.returncode != 1:
            sys.exit(done.stderr)
        size = {"width": 1440, "height": 1100}
        save(chromium.page(html, viewport=size, color_scheme="light"), "explorer-wrong")


with Chromium() as chromium:
    for name, link, (width, height), scheme in shots:
        save(chromium.page(page_file, link, viewport={"width": width, "height": height}, color_scheme=scheme), name)
    wrong(chromium)
