"""The page's part on GPUs: its counts and its text are the program's, its tables are the plan's bits, and what is
pasted from it into a program moves the bytes (pasted.py, on PoCL)."""
import json
import pathlib
import random
import re
import subprocess

from browser import link
from gf2 import inverse_of, matrix, random_matrix, rank, times

here = pathlib.Path(__file__).resolve().parent
rnd = random.Random(23)
rows = ["any", "a100", "h100", "rtx4090", "mi300"]


def spans(vectors, others):
    return rank(others) == rank(vectors) == rank(vectors + others)


def answers(page, program, count):
    """Requests of every kind beside `faro gpu explain` and `faro emit`, those that are refused too."""
    asked = [("i:20 -> rev(i)", 4, False), ("i:30 -> rev(i)", 1, True), ("i:12 -> gray(i)", 8, False), ("i:12 -> gray(i)", 8, True),
             ("i:56 -> ~i", 4, False), ("a:60 -> ungray(a)", 4, False), ("i:42 -> rev(i)", 4, False), ("i:20 -> rev(i)", 65, False), ("i:20 -> rev(i)", 0, False),
             ("i:0 -> i", 4, False), ("r=100 c=64 -> c r", 4, False), ("r=100 c=64 -> c r", 12, True), ("r=101 c=64 -> c roll(r, 50)", 4, False)]
    for _ in range(60):
        n = rnd.randint(1, 40)
        columns = rnd.choice([random_matrix(n, rnd), rnd.sample([1 << i for i in range(n)], n)])
        asked.append((matrix(columns, rnd.choice([0, rnd.getrandbits(n)])), rnd.choice([1, 2, 4, 8, 16, 64, 3, 24]), rnd.random() < 0.3))
    refused = 0
    for i, (text, size, in_place) in enumerate(asked):
        row, language = rows[i % len(rows)], ["cuda", "hip", "opencl"][i % 3]
        more = ["--element", str(size), "--on", row, *(["--in-place"] if in_place else [])]
        done = program.run("gpu", "explain", text, *more, "--json")
        answer = page.ask(do="gpu", map=text, gpu=row, element=size, language=language, in_place=in_place)
        name = f"{text} of {size} on {row}"
        if done.returncode != 0:
            refused += 1
            count.equal(answer.get("message"), program.complaint(done), "on a GPU", name)
            continue
        count.equal(json.dumps(answer.get("plan")), json.dumps(json.loads(done.stdout)), "on a GPU", name)
        count.equal(answer.get("text"), program.run("emit", language, text, *more).stdout, "the kernel of", name)
    count.check(5 < refused < 40, "some are refused", refused)
    for wrong, words in (({"gpu": "k20"}, "no GPU named 'k20'"), ({"language": "metal"}, "no language 'metal'"), ({"in_place": "1"}, "true or false"),
                         ({"element": -4}, "whole number"), ({"element": "4"}, "whole number"), ({"gpu": 5}, "says no gpu")):
        answer = page.ask(do="gpu", map="i:20 -> rev(i)", **wrong)
        count.check(not answer["ok"] and words in answer["message"], "refused", wrong, answer)


def bits(page, number):
    """The words of one table: a row a vector, the highest bit first."""
    rows = page.page.locator("#gpu-tables table").nth(number).locator("td.code").all_text_contents()
    return [int(row.replace(".", "0"), 2) for row in rows]


def tables(page, program, count):
    for row, size in (("any", 4), ("mi300", 8), ("h100", 1)):
        n = rnd.randint(16, 40)
        columns = random_matrix(n, rnd)
        text = matrix(columns, 5)
        page.show(link(map=text, gpu=row, element=size))
        page.page.evaluate("document.getElementById('gpu-bits').open = true")
        done = program.run("gpu", "explain", text, "--on", row, "--element", str(size), "--json")
        plan = json.loads(done.stdout)
        names = ["tile", "lanes_read", "lanes_written", "swizzle_stored", "swizzle_loaded"]
        for number, name in enumerate(names):
            count.equal(bits(page, number), [int(v, 16) for v in plan[name]], "the table of", name, text)
        count.equal(page.page.locator("#gpu-tables table").count(), len(names), "tables")
        # The tile by its definition: the low bits of the source's index, and the sources of the low bits of the destination's.
        reads, writes = (plan["certificate"][side]["run_bytes"] // size for side in ("read", "written"))
        runs = [1 << i for i in range(reads.bit_length() - 1)] + inverse_of(columns)[:writes.bit_length() - 1]
        tile = bits(page, 0)
        count.check(spans(runs, tile), "the tile is what it says", text, tile)
        # Lanes lie within the tile, on both sides, and none twice.
        images = [times(columns, v) for v in tile]
        for number, within in ((1, tile), (2, images)):
            lanes = bits(page, number)
            count.equal((rank(lanes), rank(lanes + within)), (len(lanes), len(tile)), "lanes of the tile", text)


def numbers(page, count):
    page.show(link(map="i:20 -> rev(i)"))
    found = page.page.locator("#gpu-numbers tbody tr").evaluate_all("all => all.map(one => [...one.children].map(cell => cell.textContent))")
    # 2^20 elements of 4 bytes are 2^17 sectors and 2^15 lines; the plain loop writes a sector for each element.
    count.equal(found[:4], [["sectors read", "131072", "131072", "131072"], ["lines read", "32768", "32768", "32768"],
                            ["sectors written", "131072", "131072", "1048576"], ["lines written", "32768", "32768", "1048576"]], "counts")
    count.equal([row[1:] for row in found[4:]], [["1", "1", ""], ["1", "1", ""]], "no bank conflict")


def controls(page, count):
    tab = page.page
    page.show(link(map="i:20 -> rev(i)"))
    page.settled(lambda: tab.select_option("#gpu", "mi300"))
    page.settled(lambda: tab.fill("#element", "8"))
    page.settled(lambda: tab.select_option("#language", "opencl"))
    page.settled(lambda: tab.check("#in_place"))
    count.check(tab.evaluate("location.hash").endswith("&gpu=mi300&element=8&language=opencl&in_place=1"), "the link says it", tab.evaluate("location.hash"))
    count.check("__kernel" in page.text("#gpu-text") and "elements of 8 bytes" in page.text("#gpu-text") and "in place" in page.text("#gpu-text"), "the text follows")
    page.settled(lambda: tab.go_back())
    count.equal(tab.is_checked("#in_place"), False, "back is undo here too")
    count.check("in place" not in page.text("#gpu-text"), "and the text is the former one")
    page.settled(lambda: tab.go_forward())
    page.settled(lambda: tab.fill("#map", "i:20 -> gray(i)"))
    count.check(page.shows("#gpu-words", "must be its own inverse") and tab.is_hidden("#gpu-kernel"), "a refusal in words", page.text("#gpu-words"))
    count.check(page.shows("#summary", "linear"), "and the map is shown all the same")
    page.settled(lambda: tab.uncheck("#in_place"))
    count.check(not tab.is_hidden("#gpu-kernel"), "and the kernel comes back")
    for typed in ("65", "0", "x", "-1", "4.5", "99999999999999999999"):
        page.settled(lambda: tab.fill("#element", typed))
        count.check("1 to 64" in page.text("#gpu-words"), "no size of an element:", typed, page.text("#gpu-words"))
    page.settled(lambda: tab.fill("#map", "i:20 -> grey(i)"))
    page.settled(lambda: tab.fill("#element", "4"))
    count.equal(page.text("#gpu-words"), "The map cannot be read yet.", "a fault of the map stands once")
    page.settled(lambda: tab.fill("#map", "a:60 -> ungray(a)"))
    count.check("at most 56" in page.text("#gpu-words"), "too many bits", page.text("#gpu-words"))
    page.settled(lambda: tab.fill("#map", "butterfly:5"))
    count.check(tab.is_hidden("#p-gpu"), "a computation is no map")
    page.settled(lambda: tab.fill("#map", ""))
    count.check(tab.is_hidden("#p-gpu"), "nothing is no map")
    page.settled(lambda: tab.fill("#map", "i -> rev(i)"))
    page.settled(lambda: tab.fill("#on", "cube:5"))
    count.check("i:5 -> rev(i)" in page.text("#gpu-text"), "a machine gives the width", page.text("#gpu-words"))
    page.show("#v1:map=i%3A20%20-%3E%20rev(i)&gpu=k20")
    count.check("no GPU named 'k20'" in page.text("#gpu-words"), "a link with a GPU that is none")
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.show(link(map="i:20 -> rev(i)"))
    tab.evaluate("document.getElementById('gpu-kernel').open = true")
    tab.click("#copy-kernel")
    page.shows("#toast", "kernel is")
    copied = tab.evaluate("navigator.clipboard.readText()") if "copied" in page.text("#toast") else tab.evaluate("String(getSelection())")
    count.equal(copied.strip(), page.text("#gpu-text").strip(), "the button takes the kernel")
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press("s")
    with tab.expect_download() as download:
        tab.locator("#save-list button", has_text="its text").click()
    tab.keyboard.press("Escape")
    count.equal((download.value.suggested_filename, pathlib.Path(download.value.path()).read_text()), ("faro_permute.cu", page.text("#gpu-text")), "saved")


def pasted(page, program, count):
    reversal = [1 << i for i in range(11, -1, -1)]
    cases = [(reversal, 0, 4, False), (reversal, 0, 8, True)]
    cases += [(random_matrix(n, rnd), rnd.getrandbits(n), size, False) for n, size in ((8, 64), (12, 1), (13, 2), (14, 4), (12, 16), (11, 3))]
    made = []
    for columns, c, size, in_place in cases + [(None, 0, 4, False)]:
        text = matrix(columns, c) if columns else "r=100 c=64 -> c r"
        parts = {"map": text, "element": size, **({"in_place": 1} if in_place else {})}
        page.show(link(**parts, language="opencl"))
        opencl, call = page.text("#gpu-text"), page.text("#gpu-call")
        page.show(link(**parts))
        common = {"bytes": size, "in_place": in_place, **({"columns": columns, "complement": c} if columns else {"shape": [100, 64]})}
        made.append({**common, "text": page.text("#gpu-text"), "call": page.text("#gpu-call"), "opencl": opencl})
        made.append({**common, "text": opencl, "call": call, "opencl": opencl})
    # A kernel that is spoiled must show.
    spoiled = {**made[0], "text": re.sub(r"const u32 yt = ", "const u32 yt = 8u ^ ", made[0]["text"])}
    file = program.file("pasted.json")
    pathlib.Path(file).write_text(json.dumps([*made, spoiled]))
    done = subprocess.run(["/usr/bin/python3", "-W", "ignore", str(here / "pasted.py"), file], capture_output=True, text=True)
    said = done.stdout.split("\n")[:-1]
    count.equal(len(said), len(made) + 1, "all were run", done.stderr[-500:])
    for case, fault in zip(made, said):
        count.equal(fault, "", "pasted:", case["text"].split("\n")[0], case["call"])
    count.equal(said[-1:], ["the bytes are not the map's"], "a spoiled kernel is seen")


def run(page, program, count):
    answers(page, program, count)
    numbers(page, count)
    tables(page, program, count)
    controls(page, count)
    pasted(page, program, count)
