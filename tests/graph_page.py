#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `--graph FILE.html` in a browser: graph_page.py SLIPWAY TOP [--screenshots DIRECTORY]

Drives a headless Chromium with real mouse and key events, in a light and a dark form and on a narrow screen: search, folding, the
panel, the map, the keyboard. Needs chromium on the PATH, or SLIPWAY_BROWSER, a command that starts one; otherwise the status is 77.
"""
import argparse
import base64
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("slipway")
parser.add_argument("top", type=pathlib.Path)
parser.add_argument("--screenshots", type=pathlib.Path)
arguments = parser.parse_args()
slipway = shutil.which(arguments.slipway)
problems = []


def expect(condition, text):
    if not condition:
        problems.append(text)


class Browser:
    """A browser that is driven through the DevTools protocol over two pipes."""

    TIMEOUT = 60

    def __init__(self, command, profile):
        (take, self.send_end), (self.receive_end, give) = os.pipe(), os.pipe()

        def use_pipes():  # the browser reads from descriptor 3 and writes to 4
            os.dup2(os.dup(take), 3)
            os.dup2(os.dup(give), 4)

        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe"]
        self.log = (pathlib.Path(profile) / "log").open("w+")
        self.process = subprocess.Popen([command, *options, f"--user-data-dir={profile}/data", "about:blank"], preexec_fn=use_pipes,
                                        close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)
        os.close(take)
        os.close(give)
        self.received, self.number, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def message(self):
        end = time.monotonic() + self.TIMEOUT
        while b"\0" not in self.received:
            if not select.select([self.receive_end], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.receive_end, 1 << 16)
            if not data:
                self.log.seek(0)
                raise EOFError("the browser ended: " + self.log.read()[-2000:])
            self.received += data
        text, self.received = self.received.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.send_end, json.dumps(request).encode() + b"\0")
        while True:
            reply = self.message()
            if reply.get("id") == self.number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']['message']}")
                return reply["result"]
            self.events.append(reply)

    def open(self, path, width=1280, height=800, dark=False, touch=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())
        self.settle()

    def settle(self):
        """Until the page has drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def faults(self):
        """What the page printed or threw."""
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(event["params"])[:500] for event in self.events if event.get("method") in kinds]

    def mouse(self, x, y, clicks=1, up=True):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for count in range(1, clicks + 1):
            for kind in ("mousePressed", "mouseReleased") if up else ("mousePressed",):
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=count)
        self.settle()

    def center(self, selector):
        return self.run(f"(e => [e.left + e.width / 2, e.top + Math.min(e.height / 2, 12)])(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")

    def click(self, selector, clicks=1):
        self.mouse(*self.center(selector), clicks)

    def keys(self, *names):
        codes = {"Enter": 13, "Escape": 27, "Tab": 9}
        for name in names:
            text = {"Enter": "\r"}.get(name, name if len(name) == 1 else "")
            code = codes.get(name) or ord(name.upper())
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=code, **({"text": text} if text and kind == "keyDown" else {}))
        self.settle()

    def picture(self, name):
        if arguments.screenshots:
            arguments.screenshots.mkdir(parents=True, exist_ok=True)
            data = self.call("Page.captureScreenshot", format="png")["data"]
            (arguments.screenshots / f"{name}.png").write_bytes(base64.b64decode(data))

    def close(self):
        self.call("Browser.close")
        self.process.wait(self.TIMEOUT)


# What the page shows, as JavaScript.
HITS = "document.querySelectorAll('#scroll .hit').length"
CHOSEN = "(document.querySelector('#scroll .on') || {}).id || ''"
SHOWN = "document.querySelectorAll('#scroll g[class^=k]').length"
FOLDED = "[...document.querySelectorAll('#scroll .t')].filter(t => t.textContent.startsWith('\\u25b8')).length"
HEADING = "(document.querySelector('#panel h2') || {}).textContent || ''"
HEIGHT = "+document.querySelector('#scroll svg').getAttribute('height')"
IS_VISIBLE = "(e => { const a = e.getBoundingClientRect(), b = document.querySelector('#scroll').getBoundingClientRect(); return a.top < b.bottom && a.bottom > b.top && a.left < b.right && a.right > b.left; })(document.querySelector('#scroll .on'))"


def page_data(path):
    return json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(), re.S).group(1))


def check_search(browser, data):
    nodes = [node for node in data["nodes"] if "depthwise" in (node["t"] + "".join(node["l"] + node["r"])).lower()]
    browser.click("#search")
    browser.call("Input.insertText", text="DepthWise")
    browser.settle()
    count = browser.run("hits.length")
    expect(count >= len(nodes) > 5, f"search: {count} matches for {len(nodes)} operators")
    expect(browser.run(HEADING) == f"{count} matches", f"search: the panel says {browser.run(HEADING)}")
    expect(0 < browser.run(HITS) <= count, f"search: {browser.run(HITS)} boxes of {count} matches are marked")
    browser.keys("Enter")
    first = browser.run(CHOSEN)
    expect(first and browser.run(IS_VISIBLE), f"search: Enter does not show the first match `{first}`")
    browser.keys("Enter")
    second = browser.run(CHOSEN)
    expect(second not in ("", first) and browser.run(IS_VISIBLE), f"search: Enter goes from `{first}` to `{second}`")
    browser.picture("search")
    browser.keys("Escape")
    expect(browser.run("document.querySelector('#search').value") == "" and browser.run(HITS) == 0 and browser.run(CHOSEN) == "", "search: Escape does not clear it")


def check_folding(browser, data):
    blocks = browser.run("blocks.length")
    for value, folded, shown in (("0", 0, len(data["nodes"])), ("1", None, None), ("2", None, None)):
        browser.run(f"(s => {{ s.value = '{value}'; s.dispatchEvent(new Event('change')); }})(document.querySelector('#fold'))")
        counts = browser.run(FOLDED), browser.run(SHOWN)
        if folded is not None:
            expect(counts == (folded, shown), f"folding: {counts} with everything shown")
        else:
            expect(0 < counts[0] <= blocks and counts[1] < len(data["nodes"]), f"folding: {counts} at level {value}")
    # A double click on a folded box shows what is inside, and another one hides it.
    box = browser.run("(b => { choose(b, true); return '#' + b.id; })(blocks.find(c => c.folded && !hidden(c)))")
    before = browser.run(SHOWN), browser.run(HEIGHT)
    browser.click(f"{box} .t", clicks=2)
    after = browser.run(SHOWN), browser.run(HEIGHT)
    expect(after[0] > before[0] and after[1] > before[1], f"folding: a double click on {box}: {before} to {after}")
    browser.picture("unfolded")
    browser.click(f"{box} .t", clicks=2)
    expect((browser.run(SHOWN), browser.run(HEIGHT)) == before, f"folding: a second double click on {box}")
    # The button of the panel, and the key.
    browser.click(f"{box} .t")
    expect(browser.run("document.querySelector('#panel button').textContent") == "unfold", "folding: the panel has no button")
    browser.click("#panel button")
    expect(browser.run(SHOWN) == after[0] and browser.run("document.querySelector('#panel button').textContent") == "fold", "folding: the button")
    browser.keys("f")
    expect(browser.run(SHOWN) == before[0], "folding: the key f")
    # A match inside a folded box unfolds it.
    inside = browser.run("(n => n.id)(N.find(n => n.above.some(c => C[c].folded)))")
    browser.run(f"choose(N[{inside[1:]}], true)")
    expect(browser.run(f"!!document.querySelector('#{inside}.on')") and browser.run(IS_VISIBLE), f"folding: {inside} is not shown")


def check_panel(browser, data):
    browser.run("foldTo(0); draw(); choose(null); panel(); document.querySelector('#scroll').scrollTop = 0")
    index = next(i for i, node in enumerate(data["nodes"]) if node["a"] and any(edge[0] == i for edge in data["edges"]))
    node = data["nodes"][index]
    browser.run(f"show(N[{index}])")
    browser.settle()
    browser.click(f"#n{index}")
    text = browser.run("document.querySelector('#panel').innerText")
    expect(browser.run(HEADING) == node["t"] and browser.run(CHOSEN) == f"n{index}", f"panel: {browser.run(HEADING)} for {node['t']}")
    for name, value in node["a"]:
        expect(name in text and value in text, f"panel: attribute {name} {value} is missing")
    to = next(edge[1] for edge in data["edges"] if edge[0] == index)
    links = browser.run("[...document.querySelectorAll('#panel a')].map(a => a.textContent.replaceAll('\\u200b', ''))")
    expect(data["nodes"][to]["t"] in links, f"panel: {links} lacks {data['nodes'][to]['t']}")
    browser.run("document.querySelector('#panel a').id = 'first'")
    browser.click("#first")
    expect(browser.run(CHOSEN) not in ("", f"n{index}") and browser.run(IS_VISIBLE), "panel: a link does not lead to its operator")
    # The kinds of operators start a search.
    browser.keys("Escape")
    kinds = browser.run("[...document.querySelectorAll('#panel td a')].map(a => a.textContent)")
    expect(set(kinds) == {node["t"] for node in data["nodes"] if node["k"] > 2}, f"panel: kinds {kinds}")
    # By Tab and Enter only.
    browser.run("document.querySelector('#fold').focus()")
    for _ in range(4):
        browser.keys("Tab")
        if browser.run("document.activeElement.closest('#panel') !== null"):
            break
    kind = browser.run("document.activeElement.textContent")
    browser.keys("Enter")
    expect(kind in kinds and browser.run("document.querySelector('#search').value") == kind, f"panel: Tab and Enter on `{kind}`")
    browser.keys("Escape")


def check_map(browser):
    map_box = browser.run("(e => [e.left, e.top, e.width, e.height])(document.querySelector('#map').getBoundingClientRect())")
    expect(map_box[2] > 20 and map_box[3] > 50, f"map: {map_box}")
    drawn = browser.run("(m => m.getContext('2d').getImageData(0, 0, m.width, m.height).data.some(x => x))(document.querySelector('#map'))")
    expect(drawn, "map: nothing is drawn")
    for part in (.75, .25):
        browser.mouse(map_box[0] + map_box[2] / 2, map_box[1] + map_box[3] * part)
        middle, whole = browser.run("(s => [s.scrollTop + s.clientHeight / 2, s.scrollHeight])(document.querySelector('#scroll'))")
        expect(abs(middle / whole - part) < .05, f"map: a click at {part} shows {middle / whole:.3f}")


def check_keyboard(browser):
    browser.run("document.activeElement.blur()")
    browser.keys("/")
    expect(browser.run("document.activeElement.id") == "search" and browser.run("document.querySelector('#search').value") == "", "keyboard: `/` does not go to the search")
    browser.keys("x", "+")
    expect(browser.run("document.querySelector('#search').value") == "x+", "keyboard: keys are not typed into the search")
    browser.keys("Escape")
    before = browser.run(HEIGHT)
    browser.keys("+")
    larger = browser.run(HEIGHT)
    browser.keys("-")
    expect(larger > before * 1.2 and abs(browser.run(HEIGHT) - before) < 1, f"keyboard: zoom {before} {larger} {browser.run(HEIGHT)}")
    browser.click("#in")
    expect(abs(browser.run(HEIGHT) - larger) < 1, "the button +")
    browser.click("#fit")


def check_form(browser, name, is_dark, is_narrow):
    luminance = browser.run("(c => .2126 * c[0] + .7152 * c[1] + .0722 * c[2])(getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number))")
    expect((luminance < 80) == is_dark, f"{name}: the background has the luminance {luminance}")
    text = browser.run("(c => .2126 * c[0] + .7152 * c[1] + .0722 * c[2])(getComputedStyle(document.querySelector('#scroll text')).fill.match(/\\d+/g).map(Number))")
    expect(abs(text - luminance) > 120, f"{name}: text of luminance {text} on {luminance}")
    overflow = browser.run("Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('header *')].map(e => e.getBoundingClientRect().right)) - innerWidth")
    expect(overflow <= 0, f"{name}: the page is {overflow} pixels wider than the window")
    overflow = browser.run("(s => s.scrollWidth - s.clientWidth)(document.querySelector('#scroll'))")
    expect(is_narrow or overflow <= 0, f"{name}: the diagram is {overflow} pixels wider than its view")
    panel, view = (browser.run(f"(e => [e.left, e.top, e.right, e.bottom])(document.querySelector('{s}').getBoundingClientRect())") for s in ("#panel", "#view"))
    expect(panel[1] >= view[3] - 1 if is_narrow else panel[0] >= view[2] - 1, f"{name}: the panel is at {panel}, the diagram at {view}")
    size = browser.run("[innerWidth, innerHeight]")
    expect(panel[2] <= size[0] + 1 and panel[3] <= size[1] + 1, f"{name}: the panel ends at {panel[2:]} of {size}")
    smallest = browser.run("Math.min(...[...document.querySelectorAll('header input, header button')].map(e => e.getBoundingClientRect().height))")
    expect(smallest > 20, f"{name}: a control is {smallest} pixels high")


names = ["chromium", "chromium-browser", "google-chrome", "chrome"]
command = os.environ.get("SLIPWAY_BROWSER") or next(filter(None, map(shutil.which, names)), None)
if not command:
    print(f"skipped: none of {', '.join(names)} is on the PATH, and SLIPWAY_BROWSER is not set")
    sys.exit(77)

with tempfile.TemporaryDirectory() as name:
    directory = pathlib.Path(name)
    model = arguments.top.resolve() / "tests/data/models/mobilenet_v2_int8.vgf"
    subprocess.run([slipway, "inspect", model, "--graph", "net.html"], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    net = directory / "net.html"
    data = page_data(net)
    browser = Browser(command, directory)
    try:
        browser.open(net)
        expect(browser.run("document.title").endswith("Slipway"), "title")
        check_form(browser, "light", False, False)
        browser.picture("light")
        check_search(browser, data)
        check_folding(browser, data)
        check_panel(browser, data)
        check_map(browser)
        check_keyboard(browser)
        problems += [f"light: {fault}" for fault in browser.faults()]
        browser.open(net, dark=True)
        check_form(browser, "dark", True, False)
        check_map(browser)
        browser.picture("dark")
        problems += [f"dark: {fault}" for fault in browser.faults()]
        for dark in (False, True):
            form = "narrow and dark" if dark else "narrow"
            browser.open(net, width=390, height=844, dark=dark, touch=True)
            check_form(browser, form, dark, True)
            check_search(browser, data)
            check_map(browser)
            browser.picture(form.replace(" ", "_"))
            problems += [f"{form}: {fault}" for fault in browser.faults()]
        browser.close()
    finally:
        browser.process.kill()
        browser.process.wait()
print("\n".join(problems) or "the page does what it says")
sys.exit(bool(problems))
