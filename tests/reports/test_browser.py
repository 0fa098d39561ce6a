"""The HTML page in a browser: as a reader uses it, on a screen, on a phone, on paper, with keys and by screen reader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_core_python
import pytest
from browsing import Chromium, Page
from reporting import MARKUP, clean, hostile, page, partly

from tflint.reports import sample

pytestmark = pytest.mark.browser

AXE = Path(axe_core_python.__file__).parent / "axe.min.js"


@pytest.fixture(scope="session")
def chromium(browser: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with Chromium(browser, tmp_path_factory.mktemp("profile")) as started:
        yield started


def shown(chromium: Chromium, folder: Path, *models: bytes, litert: str = "all", **options: Any) -> Page:
    page(folder, *models, options=("--litert", litert))
    return chromium.open((folder / "report.html").as_uri(), **options)


ROWS = "const rows = () => [...document.querySelectorAll('table.ops tbody tr')].map(r => r.cells[1].textContent);"


class TestAtFirstSight:
    """What a reviewer sees without scrolling: ship or not, what breaks, what to change, where operators run."""

    @pytest.mark.parametrize("width", [1280, 390])
    def test_the_verdict_of_every_release(self, chromium: Chromium, width: int) -> None:
        script = """
        const box = document.querySelector('.verdicts').getBoundingClientRect();
        const heads = [...document.querySelectorAll('.verdicts thead button')].map(b => b.getBoundingClientRect().right);
        return {bottom: box.bottom, right: Math.max(...heads), width: innerWidth, heads: heads.length,
                sentence: document.querySelector('h1').getBoundingClientRect().top};
        """
        with chromium.open(sample.SAMPLE.as_uri(), width=width, height=844) as opened:
            seen = opened.run(script)
        assert seen["sentence"] > 0
        assert seen["heads"] == 7
        assert seen["bottom"] < 844 / 2
        assert seen["right"] <= seen["width"]

    def test_the_changes_and_the_strip(self, chromium: Chromium) -> None:
        with chromium.open(sample.SAMPLE.as_uri(), width=1280, height=900) as opened:
            bottom = opened.run(
                "return ['.changes', '.strip'].map(s => document.querySelector(s).getBoundingClientRect().bottom)"
            )
        assert max(bottom) <= 900


class TestInABrowser:
    @pytest.mark.parametrize("data", [hostile(), partly(name=MARKUP)], ids=["aliasing", "partly"])
    def test_no_error_no_request_nothing_executed(self, chromium: Chromium, tmp_path: Path, data: bytes) -> None:
        with shown(chromium, tmp_path, data) as opened:
            opened.run("for (const part of document.querySelectorAll('details')) part.open = true;")
            assert opened.run("return document.title") == "tflint: model0.tflite"
            assert opened.run("return document.querySelectorAll('article img, article script:not(.data)').length") == 0
            assert opened.problems() == []
            assert [url for url in opened.requests() if not url.startswith("data:")] == [
                (tmp_path / "report.html").as_uri()
            ]

    def test_the_driver_sees_problems(self, chromium: Chromium, tmp_path: Path) -> None:
        path = tmp_path / "bad.html"
        path.write_text("<script>console.error('aloud'); missing()</script><img src='none.png'>", encoding="utf-8")
        with chromium.open(path.as_uri()) as opened:
            assert len(opened.problems()) >= 2
            assert len(opened.requests()) == 2

    def test_filter_and_sort(self, chromium: Chromium, tmp_path: Path) -> None:
        script = (
            ROWS
            + """
        const filter = document.querySelector('.filter');
        const all = rows().length;
        filter.value = 'softmax'; filter.dispatchEvent(new Event('input'));
        const filtered = rows();
        filter.value = 'relu-0-to-1'; filter.dispatchEvent(new Event('input'));
        const ruled = rows();
        filter.value = ''; filter.dispatchEvent(new Event('input'));
        const only = document.querySelector('.only'); only.click();
        const offGpu = rows().length; only.click();
        const head = document.querySelectorAll('table.ops thead button')[1]; head.click();
        const up = rows(); const way = head.parentElement.getAttribute('aria-sort'); head.click();
        return {all, filtered, ruled, offGpu, first: up[0], last: rows()[0], way,
                said: document.querySelector('.count').textContent};
        """
        )
        with shown(chromium, tmp_path, partly()) as opened:
            got = opened.run(script)
        assert got["all"] == 12
        assert got["filtered"] == ["LOG_SOFTMAX", "ABS"]  # itself, and the operator that reads it
        assert got["ruled"] == ["RELU_0_TO_1"]
        assert 0 < got["offGpu"] < 12
        assert (got["first"], got["last"], got["way"]) == ("ABS", "RELU_0_TO_1", "ascending")
        assert got["said"] == "12 of 12"

    def test_a_slash_goes_to_the_filter(self, chromium: Chromium, tmp_path: Path) -> None:
        with shown(chromium, tmp_path, partly()) as opened:
            opened.press("/")
            for letter in "log":
                opened.press(letter)
            assert opened.run(ROWS + "return rows()") == ["LOG_SOFTMAX", "ABS"]

    def test_the_strip_by_keyboard(self, chromium: Chromium, tmp_path: Path) -> None:
        said = "return document.querySelector('.inspect').textContent"
        with shown(chromium, tmp_path, partly(), litert="2.3.0") as opened:
            opened.run("document.querySelector('.bar').focus()")
            opened.press("End")
            assert opened.run(said).startswith("0/11 ABS: GPU")
            opened.press("Home")
            opened.press("n")
            assert opened.run(said).startswith("0/1 RELU_0_TO_1: CPU, refused (Not supported op RELU_0_TO_1)")
            opened.press("ArrowRight")
            assert opened.run(said).startswith("0/2 ABS: CPU, left out")
            opened.press("Enter")
            assert "1 RELU_0_TO_1" in opened.run("return document.querySelector('.strip .drawing').textContent")
            bar = opened.run(
                "const bar = document.querySelector('.bar'); return [bar.getAttribute('role'), bar.ariaValueText]"
            )
        assert bar[0] == "slider"
        assert bar[1].startswith("0/2 ABS")

    def test_everything_is_reached_by_tab(self, chromium: Chromium, tmp_path: Path) -> None:
        with shown(chromium, tmp_path, partly()) as opened:
            seen = set()
            for _ in range(40):
                opened.press("Tab")
                seen.add(opened.run("const a = document.activeElement; return a.id || a.className || a.tagName"))
        assert {"skip", "theme", "bar", "filter", "only", "SUMMARY"} <= seen

    def test_one_release(self, chromium: Chromium, tmp_path: Path) -> None:
        """Choosing 2.1.4 leaves what holds there; choosing it again brings all back."""
        script = """
        const shown = () => ({
            cards: [...document.querySelectorAll('.card')].filter(c => c.checkVisibility()).map(c => c.querySelector('code').textContent),
            said: document.querySelector('.picked').textContent, runs: document.querySelectorAll('.ops .where')[1].textContent,
            strips: [...document.querySelectorAll('.strip')].filter(s => s.checkVisibility()).length,
        });
        const button = document.querySelectorAll('.verdicts thead button')[2];
        const before = shown(); button.click(); const chosen = shown(); const pressed = button.ariaPressed;
        button.click();
        return {release: button.textContent, before, chosen, pressed, after: shown()};
        """
        with shown(chromium, tmp_path, partly()) as opened:
            got = opened.run(script)
        assert got["release"] == "2.1.4"
        assert "relu-0-to-1" in got["before"]["cards"]
        assert "relu-0-to-1" not in got["chosen"]["cards"]
        assert got["before"]["runs"] == "CPU, refused"
        assert got["chosen"]["runs"] == "GPU"
        assert got["chosen"]["said"].startswith("Do not ship on LiteRT 2.1.4: the GPU refuses 1 of 12 operators.")
        assert (got["before"]["strips"], got["chosen"]["strips"]) == (2, 1)
        assert got["pressed"] == "true"
        assert got["after"] == got["before"]

    @pytest.mark.parametrize("dark", [False, True])
    def test_theme(self, chromium: Chromium, tmp_path: Path, dark: bool) -> None:
        script = """
        const button = document.getElementById('theme');
        const back = () => getComputedStyle(document.body).backgroundColor;
        const before = [back(), button.ariaPressed]; button.click();
        return {hidden: button.hidden, before, after: [back(), button.ariaPressed]};
        """
        with shown(chromium, tmp_path, clean(), dark=dark) as opened:
            got = opened.run(script)
        light, night = (["rgb(246, 247, 249)", "false"], ["rgb(16, 19, 23)", "true"])
        assert got["hidden"] is False
        assert (got["before"], got["after"]) == ((night, light) if dark else (light, night))

    def test_the_neighbourhood_is_drawn(self, chromium: Chromium, tmp_path: Path) -> None:
        script = """
        for (const finding of document.querySelectorAll('details.card')) finding.open = true;
        await new Promise(done => setTimeout(done, 50));
        return [...document.querySelectorAll('.drawing svg text')].map(t => t.textContent).join('|');
        """
        with shown(chromium, tmp_path, partly()) as opened:
            got = opened.run(script)
        assert "6 LOG_SOFTMAX" in got
        assert "5 ABS" in got
        assert "7 ABS" in got

    def test_another_place_of_a_finding(self, chromium: Chromium, tmp_path: Path) -> None:
        from tflint.fixtures.builder import Graph

        g = Graph()
        x = g.input([1, 4, 4, 8], name="x")
        g.output(*(g.op("LOG_SOFTMAX", g.op("ABS", x), name=f"y{number}") for number in range(3)))
        script = """
        const place = document.querySelector('.place');
        const look = () => [place.querySelector('th').textContent, place.querySelectorAll('code')[1].textContent,
                            place.querySelector('.me + text').textContent];
        const before = look(); document.querySelectorAll('button.spot')[2].click();
        return [before, look()];
        """
        with shown(chromium, tmp_path, g.build(), litert="2.3.0") as opened:
            before, after = opened.run(script)
        assert before == ["0/1 LOG_SOFTMAX", "y0", "1 LOG_SOFTMAX"]
        assert after == ["0/5 LOG_SOFTMAX", "y2", "5 LOG_SOFTMAX"]

    def test_a_link_unfolds_its_finding(self, chromium: Chromium, tmp_path: Path) -> None:
        script = """
        for (const card of document.querySelectorAll('.card')) card.open = false;
        document.querySelector('.changes a').click();
        await new Promise(done => setTimeout(done, 50));
        return [...document.querySelectorAll('.card')].map(card => card.open);
        """
        with shown(chromium, tmp_path, partly()) as opened:
            assert opened.run(script).count(True) == 1


class TestSeveralModels:
    SHOWN = """
    const shown = () => [...document.querySelectorAll('#index, article')].filter(p => p.checkVisibility()).map(p => p.id);
    const moved = () => new Promise(done => setTimeout(done, 100));
    """

    def test_the_index_leads_to_a_model_and_back(self, chromium: Chromium, tmp_path: Path) -> None:
        script = """
        const first = shown();
        document.querySelector('#index a').click(); await moved();
        const model = shown(); const focus = document.activeElement.id;
        const rows = document.querySelectorAll('article:not([hidden]) .ops tbody tr').length;
        history.back(); await moved();
        return {first, model, focus, rows, back: shown()};
        """
        with shown(chromium, tmp_path, clean(), partly(), b"nonsense") as opened:
            got = opened.run(self.SHOWN + script)
        assert got == {"first": ["index"], "model": ["model-1"], "focus": "title-1", "rows": 12, "back": ["index"]}

    def test_an_address_leads_to_a_finding(self, chromium: Chromium, tmp_path: Path) -> None:
        page(tmp_path, clean(), partly())
        with chromium.open((tmp_path / "report.html").as_uri() + "#card-1-1") as opened:
            assert opened.run(self.SHOWN + "return shown()") == ["model-1"]
            assert opened.run("return document.querySelector('#card-1-1').open") is True

    def test_the_index_can_be_filtered(self, chromium: Chromium, tmp_path: Path) -> None:
        script = """
        const find = document.querySelector('.find');
        const rows = () => [...document.querySelectorAll('#index tbody tr')].filter(r => r.checkVisibility()).length;
        const all = rows();
        find.value = 'relu-0-to-1'; find.dispatchEvent(new Event('input', {bubbles: true}));
        return [find.checkVisibility(), all, rows()];
        """
        with shown(chromium, tmp_path, *[clean()] * 5, partly()) as opened:
            assert opened.run(script) == [True, 6, 1]


class TestEveryReader:
    @pytest.mark.parametrize("width", [1280, 390])
    @pytest.mark.parametrize("data", [partly(), hostile()], ids=["partly", "hostile"])
    def test_nothing_is_wider_than_the_window(
        self, chromium: Chromium, tmp_path: Path, width: int, data: bytes
    ) -> None:
        script = """
        for (const part of document.querySelectorAll('details')) part.open = true;
        await new Promise(done => setTimeout(done, 50));
        return document.documentElement.scrollWidth - document.documentElement.clientWidth;
        """
        with shown(chromium, tmp_path, data, width=width) as opened:
            assert opened.run(script) <= 0

    @pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False)])
    @pytest.mark.parametrize("address", ["", "#model-0", "#model-1"])
    def test_accessibility(self, chromium: Chromium, tmp_path: Path, width: int, dark: bool, address: str) -> None:
        page(tmp_path, partly(), hostile())
        script = """
        for (const part of document.querySelectorAll('details')) part.open = true;
        const pick = document.querySelector('article:not([hidden]) .verdicts thead button'); if (pick) pick.click();
        await new Promise(done => setTimeout(done, 50));
        const found = await axe.run(document, {resultTypes: ['violations']});
        return found.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target.join(' ')).slice(0, 3).join(', '));
        """
        address = (tmp_path / "report.html").as_uri() + address
        with chromium.open(address, width=width, dark=dark, before=AXE.read_text(encoding="utf-8")) as opened:
            assert opened.run(script) == []

    def test_on_paper_everything_is_unfolded(self, chromium: Chromium, tmp_path: Path) -> None:
        with shown(chromium, tmp_path, partly(), dark=True) as opened:
            opened.run("for (const part of document.querySelectorAll('details')) part.open = false;")
            assert opened.pdf().startswith(b"%PDF")
            assert opened.run("return [...document.querySelectorAll('.card')].every(card => card.open)")
            assert opened.run("return [...document.querySelectorAll('.card .drawing')].every(d => d.firstChild)")


class TestFiveThousandOperators:
    """Time of the page's main thread, in milliseconds: on a machine of its own that is what a reader waits."""

    def test_it_renders_in_two_seconds_and_stays_responsive(self, chromium: Chromium, tmp_path: Path) -> None:
        acts = {
            "filter": "filter.value = 'abs_12'; filter.dispatchEvent(new Event('input'));",
            "clear": "filter.value = ''; filter.dispatchEvent(new Event('input'));",
            "sort": "document.querySelectorAll('table.ops thead button')[1].click();",
            "release": "document.querySelector('.verdicts thead button').click();",
        }
        painted = "await new Promise(done => requestAnimationFrame(() => setTimeout(done)));"
        spent = {}
        with shown(chromium, tmp_path, partly(5000)) as opened:
            opened.run(painted)
            spent["ready"] = opened.busy()
            for name, act in acts.items():
                before = opened.busy()
                opened.run(f"const filter = document.querySelector('.filter'); {act} {painted}")
                spent[name] = opened.busy() - before
            rows = opened.run("return document.querySelectorAll('table.ops tbody tr').length")
            nodes = opened.run("return document.querySelectorAll('*').length")
        print({name: round(figure) for name, figure in spent.items()}, rows, nodes)
        assert rows == 300
        assert nodes < 10_000
        assert spent.pop("ready") < 2000
        assert max(spent.values()) < 500
