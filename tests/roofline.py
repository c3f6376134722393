#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the output of bench_roofline for a small network is consistent: roofline.py BENCH_ROOFLINE MAKE_CLASSIFIER SLIPWAY

Rates must agree with times, fractions with the roof, sums with the table, and the page with the text. Times are not judged.
"""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

BENCH, MAKE, SLIPWAY = sys.argv[1:4]
COLUMNS = ["lost", "us", "number", "MB", "MOP", "intensity", "GB/s", "GOP/s", "fraction"]
STEPS = {"lost": 0.05, "us": 0.05, "MB": 0.0005, "MOP": 0.005, "GB/s": 0.05, "GOP/s": 0.05, "intensity": 0.005, "fraction": 0.5}  # maximum rounding errors
VOID = {"meta"}


def expect(what, good):
    if not good:
        sys.exit(f"roofline: {what}")


def run(*command, status=0):
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    expect(f"{command} ended with {ran.returncode}: {ran.stderr}", ran.returncode == status)
    return ran.stdout + ran.stderr


def is_ratio(row, result, above, below, scale=1):
    """Whether a printed number is the quotient of two other printed numbers, within rounding."""
    low = (row[above] - STEPS[above]) / (row[below] + STEPS[below]) * scale
    least = row[below] - STEPS[below]
    high = (row[above] + STEPS[above]) / least * scale if least > 0 else float("inf")
    return low - STEPS[result] <= row[result] <= high + STEPS[result]


def read_text(text):
    roof = {"memory": float(re.search(r"copy: ([\d.]+) GB/s of memory", text)[1]), "cache": 0, "cache_size": 0}
    if found := re.search(r", ([\d.]+) GB/s of up to ([\d.]+) MB in the cache", text):
        roof["cache"], roof["cache_size"] = float(found[1]), float(found[2])
    roof["rates"] = [float(rate) for rate in re.findall(r" \w+ ([\d.]+) GOP/s", text)]
    roof["launch"] = float(re.search(r"empty kernel: ([\d.]+) us", text)[1])
    sums = re.search(r"net: ([\d.]+) us; (\d+) kernels one by one ([\d.]+) us, at the roof ([\d.]+) us \((\d+) %\), with a launch each ([\d.]+) us", text)
    rows = []
    for line in text.splitlines():
        words = line.split(maxsplit=10)
        if len(words) == 11 and re.fullmatch(r"-?[\d.]+", words[0]):
            rows.append(dict(zip(COLUMNS, map(float, words[:9]))) | {"bound": words[10].split()[0], "kernel": " ".join(words[10].split()[1:])})
    return roof, [float(part) for part in sums.groups()], rows


def check_text(text):
    roof, (whole, count, in_kernels, at_roof, _, with_launches), rows = read_text(text)
    expect("there is a rate for the network's type", roof["rates"] and min(roof["rates"]) > 0)
    expect("every kernel has a row", len(rows) == count > 1 and {row["number"] for row in rows} == set(range(len(rows))))
    expect("kernels are sorted by lost time", all(a["lost"] >= b["lost"] for a, b in zip(rows, rows[1:])))
    rounding = 0.05 * (len(rows) + 1)
    expect("times add up", abs(sum(row["us"] for row in rows) - in_kernels) <= rounding and whole > 0)
    expect("losses add up", abs(sum(row["lost"] for row in rows) - (in_kernels - at_roof)) <= rounding)
    least = [max(row["us"] - row["lost"], roof["launch"]) for row in rows]
    expect("launches add up", abs(sum(least) - with_launches) <= 2 * rounding)
    for row in rows:
        expect(f"rates of {row}", is_ratio(row, "GB/s", "MB", "us", 1e3) and is_ratio(row, "GOP/s", "MOP", "us", 1e3) and is_ratio(row, "intensity", "MOP", "MB"))
        bandwidth = roof["cache"] if roof["cache"] and row["MB"] <= roof["cache_size"] else roof["memory"]
        to_move, to_compute = row["MB"] * 1e3 / bandwidth, max(row["MOP"] * 1e3 / rate for rate in roof["rates"])
        rounded = 0.2 + 0.5 / bandwidth + 5 / min(roof["rates"]) + 0.02 * (to_move + to_compute)
        expect(f"the roof of {row}", any(abs(row["us"] - row["lost"] - one) < rounded for one in (to_move, max(to_move, to_compute))))
        expect(f"the bound of {row}", (row["bound"] == "launch") == (row["us"] - row["lost"] < roof["launch"]) or
               abs(row["us"] - row["lost"] - roof["launch"]) < 0.2)
    for line in re.findall(r"of the time, .*:(.*)", text):
        shares = [int(share) for share in re.findall(r"(?:^|,) (?:[a-z]+ )?(\d+) %", line)]
        expect(f"shares of `{line}`", abs(sum(shares) - 100) <= len(shares))
    return rows


class Page(html.parser.HTMLParser):
    """Collects ids, links and table rows, and checks that tags are closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.rows, self.loads = [], set(), set(), {}, []
        self.feed(text)
        expect(f"unclosed {self.open}", not self.open)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in attributes:
            expect(f"id {attributes['id']} once", attributes["id"] not in self.ids)
            self.ids.add(attributes["id"])
        if "href" in attributes:
            self.links.add(attributes["href"])
        self.loads += [attributes[name] for name in ("src", "data") if name in attributes]
        if tag == "tr":
            self.row = self.rows.setdefault(attributes.get("id", ""), [])
        elif tag == "td":
            self.row.append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        expect(f"</{tag}> closes {self.open[-1:]}", self.open and self.open.pop() == tag)

    def handle_data(self, data):
        if self.open[-1:] == ["td"]:
            self.row[-1] += data


def check_page(text, rows):
    page = Page(text)
    expect("the page loads no other files", not page.loads and "<script" not in text and "url(" not in text and "@import" not in text)
    expect("targets of links exist", page.links and all(link.startswith("#") and link[1:] in page.ids for link in page.links))
    for row in rows:
        shown = page.rows[f"m0k{int(row['number'])}"]
        expect(f"{shown} is {row}", float(shown[0]) == row["lost"] and float(shown[1]) == row["us"] and float(shown[11]) == row["GOP/s"] and
               shown[3] == row["bound"] and f"{shown[5]} {shown[6]}" == row["kernel"])
    chart = xml.fromstring(re.search(r"<svg.*?</svg>", text, re.S)[0])
    points = chart.findall(".//{*}circle")
    moves = re.search(r"as they compute nothing: (\d+)", text)
    expect("a point for each kernel that computes", len(points) + int(moves[1] if moves else 0) == len(rows) and
           len(points) >= sum(row["MOP"] > 0 for row in rows) > 0)
    _, _, width, height = map(float, chart.get("viewBox").split())
    for point in points:
        expect("points are in the chart", 0 < float(point.get("cx")) < width and 0 < float(point.get("cy")) < height and point.find("{*}title").text)


with tempfile.TemporaryDirectory() as name:
    directory = pathlib.Path(name)
    run(MAKE, directory / "net.vgf", "7")
    text = run(BENCH, directory / "net.vgf", "--milliseconds", "2", "--rows", "1000", "--html", directory / "page.html")
    rows = check_text(text)
    check_page((directory / "page.html").read_text(), rows)
    if json.loads(run(SLIPWAY, "devices", "--json")).get("cpu"):
        check_text(run(BENCH, directory / "net.vgf", "--device", "cpu", "--milliseconds", "2", "--rows", "1000"))
    profile = run(SLIPWAY, "run", directory / "net.vgf", "--profile")
    expect("the kernels are those of the model", f"{len(rows)} steps" in profile and all(row["kernel"].split()[0][:40] in profile for row in rows))
    expect("unknown names are reported", "no network" in run(BENCH, "nothing-like-it", status=2))
    (directory / "empty.vgf").write_bytes(b"")
    expect("a file that is not a model is reported", "error" in run(BENCH, directory / "empty.vgf", status=3))
