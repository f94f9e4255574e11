"""Writes the man page from what the program says of itself.

man.py PROGRAM > faro.1
"""
import re
import subprocess
import sys


def said(*arguments):
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, check=True).stdout


def roff(text):
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped


def rows(block):
    """Label and text of "  label    text" lines, continued where the label is empty."""
    found = []
    for line in block.splitlines():
        match = re.match(r"  (\S.*?)(?:  +(.*))?$", line)
        if match and not line.startswith("   "):
            found.append([match[1], match[2] or ""])
        elif found:
            found[-1][1] = " ".join((found[-1][1] + " " + line).split())
    return found


def options(block):
    page = []
    for label, text in rows(block):
        name, _, value = label.partition(" ")
        page += [".TP", f'.BI "{roff(name)}" " {roff(value)}"' if value else f".B {roff(name)}", roff(text)]
    return page


def command(name):
    text = said(name, "--help")
    title, usage, *paragraphs = text.split("\n\n", 2)
    usage = usage.removeprefix("Usage: ").removesuffix(" [OPTIONS]")
    page = [f'.SS "{roff(usage)}"', roff(title.split(": ", 1)[1][:1].upper() + title.split(": ", 1)[1][1:]) + "."]
    for block in paragraphs[0].strip("\n").split("\n\n"):
        if block.startswith("Options:\n"):
            page += options(block.split("\n", 1)[1])
        elif block.startswith("Examples:\n"):
            page += [".PP", ".nf", ".RS", *map(roff, (line.strip() for line in block.split("\n")[1:])), ".RE", ".fi"]
        elif block.startswith("  "):
            page += options(block)
        else:
            page += [".PP", *map(roff, block.split("\n"))]
    return page


def main():
    version = said("--version").split()[1]
    names = [label for label, _ in rows(said("--help").split("Commands:\n")[1].split("\n\n")[0])]
    page = [
        ".\\\" Made by packaging/man.py from what the program says of itself.",
        f'.TH FARO 1 "" "faro {version}" "User Commands"',
        ".SH NAME",
        "faro \\- move data between layouts: plan the movement, prove the plan, perform it",
        ".SH SYNOPSIS",
        ".B faro",
        ".I COMMAND",
        ".RI [ ARGUMENTS ]",
        ".br",
        ".B faro",
        ".RB [ \\-\\-help | \\-\\-version ]",
        ".SH DESCRIPTION",
        "A map sends the element at index",
        ".I i",
        "to index",
        ".IR map(i) .",
        "It says where each bit of the index goes, in a notation such as",
        ".BR \"r:10 c:12 \\-> c r\" .",
        ".B faro",
        "performs it on an array file, and plans and proves it on model machines: Boolean cubes,",
        "meshes and tori, optical networks.",
        ".SH COMMANDS",
    ]
    for name in names:
        page += command(name)
    page += [".SH EXIT STATUS"]
    for code, meaning in (
            ("0", "done"), ("1", "the proof or comparison says no"), ("2", "usage or notation"),
            ("3", "environment: file, disk, memory"), ("4", "impossible, or beyond a limit"),
            ("5", "internal error"), ("130", "interrupted")):
        page += [".TP", f".B {code}", meaning]
    page += [
        ".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "no colour, if set to anything but the empty string",
        ".SH FILES",
        "An output file is made beside its place without a name, or as",
        ".I .NAME.faro\\-XXXXXX",
        "where the file system cannot do that, synced to disk, and renamed: it is there when it is complete.",
    ]
    print("\n".join(page))


main()
