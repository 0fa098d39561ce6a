"""The HTML page: what it says, that nothing from a model is executed, and that it works in a browser.

The browser tests open the page from a file in headless Chromium, with a script of ours at its end that uses the page as a person would and leaves
what it saw in the document.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import axe_core_python
import pytest
from click.testing import CliRunner

from tflint.commands import tflint
from tflint.fixtures.builder import Graph

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=document.title='owned'>"


def page(folder: Path, *models: bytes, options: tuple[str, ...] = ("--litert", "all")) -> str:
    paths = []
    for number, data in enumerate(models):
        path = folder / f"model{number}.tflite"
        path.write_bytes(data)
        paths.append(str(path))
    written = folder / "report.html"
    CliRunner().invoke(tflint, [*paths, *options, "--report", str(written)], catch_exceptions=False)
    return written.read_text(encoding="utf-8")


def partly(operators: int = 12, name: str = "x") -> bytes:
    """A chain with a refused operator in its middle and one that an upgrade breaks."""
    g = Graph()
    x = g.input([1, 4, 4, 8], name=name)
    for number in range(operators):
        x = g.op("LOG_SOFTMAX" if number == operators // 2 else "RELU_0_TO_1" if number == 1 else "ABS", x)
    g.output(x)
    return g.build()


def clean() -> bytes:
    g = Graph()
    g.output(g.op("ABS", g.input([1, 4, 4, 8], name="x")))
    return g.build()


def test_the_first_sentence_answers_whether_to_ship(tmp_path: Path) -> None:
    text = page(tmp_path, partly())
    sentence = re.search(r'class="sentence">([^<]*)<', text)
    assert sentence is not None
    assert sentence[1] == "Do not ship on LiteRT 2.1.2 to 2.3.0: the GPU refuses 1 of 12 operators."
    assert "Ships on LiteRT 2.1.2 to 2.3.0: all 1 operators run on the GPU" in page(tmp_path, clean())


def test_what_an_upgrade_changes_is_named(tmp_path: Path) -> None:
    text = page(tmp_path, partly())
    assert "What an upgrade changes" in text
    assert "refused: Not supported op RELU_0_TO_1" in text


def test_it_asks_for_nothing_from_outside(tmp_path: Path) -> None:
    text = page(tmp_path, partly())
    assert not re.search(r"""(?:src|href)=["'](?!#|data:)""", text)
    assert "@import" not in text
    assert not re.search(r"url\((?!data:)", text)


def test_names_from_a_model_are_only_text(tmp_path: Path) -> None:
    text = page(tmp_path, partly(name=HOSTILE))
    assert "<script>document.title" not in text
    assert "<img src=x" not in text


def test_it_stays_small(tmp_path: Path) -> None:
    for operators in (10, 2000):
        text = page(tmp_path, partly(operators))
        assert len(text.encode()) < 300_000 + 100 * operators


def test_the_same_bytes_from_run_to_run(tmp_path: Path) -> None:
    assert page(tmp_path, partly()) == page(tmp_path, partly())


def test_several_models_have_an_index_sorted_by_verdict(tmp_path: Path) -> None:
    text = page(tmp_path, clean(), partly(), b"nonsense")
    assert "3 models" in text
    order = re.findall(r'<article class="model" id="model-(\d)"', text)
    assert order == ["1", "2", "0"]


def browse(
    browser: Path, folder: Path, text: str, script: str, width: int = 1280, dark: bool = False
) -> dict[str, Any]:
    """Run a script at the end of the page; what it returns, with errors and warnings of the console."""
    ending = (
        "<script>const problems=[];addEventListener('error',e=>problems.push(String(e.message)));"
        "for(const level of ['error','warn']){const own=console[level];console[level]=(...a)=>{problems.push(a.join(' '));own(...a)}}</script>"
    )
    run = (
        "<script>addEventListener('load',async()=>{let got;try{got=await(async()=>{"
        + script.replace("</", "<\\/")
        + "})()}catch(e){problems.push(String(e))}"
        "const out=document.createElement('pre');out.id='outcome';"
        "out.textContent=JSON.stringify({got,problems,resources:performance.getEntriesByType('resource').map(e=>e.name)});"
        "document.body.append(out)})</script>"
    )
    path = folder / "driven.html"
    path.write_text(
        text.replace("<style>", ending + "<style>", 1).replace("</body>", run + "</body>"), encoding="utf-8"
    )
    command = [
        str(browser), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", f"--user-data-dir={folder / 'profile'}", f"--window-size={width},900",
        "--virtual-time-budget=20000", "--dump-dom", path.as_uri(),
    ]  # fmt: skip
    if dark:
        command.insert(1, "--force-dark-mode")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r'<pre id="outcome">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stderr[-2000:]
    import html

    outcome: dict[str, Any] = json.loads(html.unescape(found[1]))
    return outcome


@pytest.mark.browser
class TestInABrowser:
    def test_no_error_no_request(self, browser: Path, tmp_path: Path) -> None:
        seen = browse(browser, tmp_path, page(tmp_path, partly(name=HOSTILE)), "return document.title")
        assert seen["problems"] == []
        assert seen["resources"] == []
        assert seen["got"] == "tflint: model0.tflite"

    def test_filter_and_sort(self, browser: Path, tmp_path: Path) -> None:
        script = """
        const filter = document.querySelector('.filter');
        const rows = () => [...document.querySelectorAll('table.ops tbody tr')].map(r => r.cells[1].textContent);
        const all = rows().length;
        filter.value = 'softmax'; filter.dispatchEvent(new Event('input'));
        const filtered = rows();
        filter.value = ''; filter.dispatchEvent(new Event('input'));
        const only = document.querySelector('.only'); only.click();
        const offGpu = rows().length; only.click();
        document.querySelectorAll('table.ops thead button')[1].click();
        const up = rows(); document.querySelectorAll('table.ops thead button')[1].click();
        return {all, filtered, offGpu, first: up[0], last: rows()[0], said: document.querySelector('.count').textContent};
        """
        got = browse(browser, tmp_path, page(tmp_path, partly()), script)["got"]
        assert got["all"] == 12
        assert got["filtered"] == ["LOG_SOFTMAX", "ABS"]  # itself, and the operator that reads it
        assert 0 < got["offGpu"] < 12
        assert (got["first"], got["last"]) == ("ABS", "RELU_0_TO_1")
        assert got["said"] == "12 of 12"

    def test_the_strip_by_keyboard(self, browser: Path, tmp_path: Path) -> None:
        script = """
        const bar = document.querySelector('.bar'); bar.focus();
        const press = key => bar.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
        press('End'); const end = bar.getAttribute('aria-valuetext');
        press('Home'); press('n'); const refused = bar.getAttribute('aria-valuetext');
        return {role: bar.getAttribute('role'), end, refused, said: bar.parentElement.querySelector('.inspect').textContent};
        """
        got = browse(browser, tmp_path, page(tmp_path, partly()), script)["got"]
        assert got["role"] == "slider"
        assert got["end"].startswith("0/11 ABS")
        assert "GPU" not in got["refused"].split(",")[0] or "left out" in got["refused"] or "refused" in got["refused"]
        assert got["said"] == got["refused"]

    def test_theme(self, browser: Path, tmp_path: Path) -> None:
        script = """
        const button = document.getElementById('theme');
        const back = () => getComputedStyle(document.body).backgroundColor;
        const before = back(); button.click(); const after = back();
        return {hidden: button.hidden, before, after, pressed: button.getAttribute('aria-pressed')};
        """
        got = browse(browser, tmp_path, page(tmp_path, clean()), script)["got"]
        assert got["hidden"] is False
        assert got["before"] != got["after"]

    def test_the_neighbourhood_is_drawn(self, browser: Path, tmp_path: Path) -> None:
        script = """
        for (const finding of document.querySelectorAll('details.finding')) finding.open = true;
        await new Promise(done => setTimeout(done, 50));
        const texts = [...document.querySelectorAll('.drawing svg text')].map(t => t.textContent);
        return texts.join('|');
        """
        got = browse(browser, tmp_path, page(tmp_path, partly()), script)["got"]
        assert "6 LOG_SOFTMAX" in got
        assert "5 ABS" in got
        assert "7 ABS" in got

    @pytest.mark.parametrize("width", [1280, 390])
    def test_nothing_is_wider_than_the_window(self, browser: Path, tmp_path: Path, width: int) -> None:
        script = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert browse(browser, tmp_path, page(tmp_path, partly()), script, width)["got"] <= 0

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_accessibility(self, browser: Path, tmp_path: Path, theme: str) -> None:
        axe = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
        text = page(tmp_path, partly(), clean()).replace("</body>", f"<script>{axe}</script></body>")
        script = f"""
        document.documentElement.dataset.theme = '{theme}';
        for (const part of document.querySelectorAll('details')) part.open = true;
        await new Promise(done => setTimeout(done, 50));
        const found = await axe.run(document, {{resultTypes: ['violations']}});
        return found.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target.join(' ')).slice(0, 3).join(', '));
        """
        assert browse(browser, tmp_path, text, script)["got"] == []

    def test_five_thousand_operators(self, browser: Path, tmp_path: Path) -> None:
        script = """
        const filter = document.querySelector('.filter');
        const start = performance.now();
        filter.value = 'abs'; filter.dispatchEvent(new Event('input'));
        return {ready: performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart,
                filtering: performance.now() - start, rows: document.querySelectorAll('table.ops tbody tr').length};
        """
        text = page(tmp_path, partly(5000), options=("--litert", "2.3.0"))
        start = time.monotonic()
        got = browse(browser, tmp_path, text, script)["got"]
        assert time.monotonic() - start < 60
        assert got["rows"] == 300
        assert got["filtering"] < 1000
