"""The child process: what it finds out, and that nothing of it is left behind."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from doomed import aborts, hangs

from tflint.fixtures.builder import Graph
from tflint.linter.confirm import device, precision, runner
from tflint.linter.confirm.runner import Exit, Options, Run, Worker

pytestmark = [pytest.mark.delegate, pytest.mark.xdist_group("runtime")]

PYTHON = Path(sys.executable)
OUTPUTS = Options(outputs=True)


@pytest.fixture(scope="module")
def software() -> device.Device:
    return device.find("software")


@pytest.fixture(scope="module")
def worker(software: device.Device) -> Iterator[Worker]:
    with Worker(PYTHON, device=software) as made:
        yield made


def partial() -> bytes:
    g = Graph()
    x = g.input([1, 4], name="x")
    g.output(g.op("LOG_SOFTMAX", g.op("ABS", x), name="y"))
    return g.build()


def clean() -> bytes:
    g = Graph()
    x = g.input([1, 4], name="x")
    y = g.op("EXP", x, name="y")
    g.output(y)
    g.signature("serve", {"in": x}, {"out": y})
    return g.build()


@pytest.fixture
def left_over(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[int]]:
    """Tells which children that the test started still live; by a mark in their environment, as others may run too."""
    if not os.path.isdir("/proc/self"):
        pytest.skip("processes are found in /proc")
    mark = uuid.uuid4().hex
    monkeypatch.setenv("TFLINT_TEST_MARK", mark)

    def find() -> list[int]:
        found = []
        for name in filter(str.isdecimal, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                environment = Path(f"/proc/{name}/environ").read_bytes()
                command = Path(f"/proc/{name}/cmdline").read_bytes()
                if mark.encode() in environment and b"child.py" in command:
                    found.append(int(name))
        return found

    return find


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


def test_report_adapter_and_exit(worker: Worker) -> None:
    found = worker.run(partial())
    assert found.exit == Exit("ok", "done")
    assert found.adapter is not None
    assert found.adapter.backend == "Vulkan"
    (report,) = found.reports
    assert (report.gpu, report.cpu) == (1, 1)
    assert [(line.op, line.message) for line in report.rejected] == [("LOG_SOFTMAX", "Operation is not supported.")]
    assert found.kernels == 1
    assert not found.outputs


def test_outputs_by_both_routes(worker: Worker) -> None:
    found = worker.run(clean(), OUTPUTS)
    (output,) = found.outputs
    assert (output.signature, output.name) == ("serve", "out")
    assert output.compiled is not None
    assert output.reference is not None
    expected = np.exp(found.inputs["serve", "in"])
    np.testing.assert_allclose(output.compiled, expected, rtol=1e-2)
    np.testing.assert_allclose(output.reference, expected, rtol=1e-6)


def test_one_process_a_model_and_a_fork_say_the_same(worker: Worker, software: device.Device) -> None:
    alone = runner.run(partial(), PYTHON, OUTPUTS, device=software)
    forked = worker.run(partial(), OUTPUTS)
    assert alone.release == forked.release == importlib.metadata.version("ai-edge-litert")
    assert alone.exit == forked.exit
    assert alone.reports == forked.reports
    assert alone.adapter == forked.adapter
    for one, other in zip(alone.outputs, forked.outputs, strict=True):
        assert one.compiled is not None
        assert other.compiled is not None
        assert one.compiled.tobytes() == other.compiled.tobytes()


def test_seed_decides_the_inputs(worker: Worker) -> None:
    def drawn(seed: int) -> bytes:
        found = worker.run(clean(), Options(outputs=True, reference=False, seed=seed))
        return found.inputs["serve", "in"].tobytes()

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


@pytest.mark.parametrize("name", ["in", "serve/in"])
def test_ranges(name: str, worker: Worker) -> None:
    found = worker.run(clean(), Options(outputs=True, reference=False, ranges={name: (3.0, 4.0)}))
    values = found.inputs["serve", "in"]
    assert values.min() >= 3
    assert values.max() <= 4


@pytest.mark.parametrize("name", ["in", "serve/in"])
def test_inputs_from_a_file(name: str, worker: Worker, tmp_path: Path) -> None:
    path = tmp_path / "inputs.npz"
    np.savez(path, **{name: np.full((1, 4), 2.0, np.float32)})  # type: ignore[arg-type]
    found = worker.run(clean(), Options(outputs=True, inputs=path))
    assert found.outputs[0].reference is not None
    np.testing.assert_allclose(found.outputs[0].reference, np.exp(2.0), rtol=1e-6)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        pytest.param({"other": np.zeros((1, 4), np.float32)}, "input in: not in the file of inputs", id="name"),
        pytest.param({"in": np.zeros((4,), np.float32)}, "shape (4,) given, (1, 4) expected", id="shape"),
        pytest.param({"in": np.zeros((1, 4), np.complex64)}, "type complex64 given, float32 expected", id="type"),
    ],
)
def test_unfit_inputs(members: dict[str, object], message: str, worker: Worker, tmp_path: Path) -> None:
    path = tmp_path / "inputs.npz"
    np.savez(path, **members)  # type: ignore[arg-type]
    found = worker.run(clean(), Options(outputs=True, inputs=path))
    assert found.exit.kind == "refused"
    assert message in found.exit.text


@pytest.mark.parametrize("type_name", ["BOOL", "INT8", "UINT8", "INT16", "INT32", "INT64", "FLOAT32"])
def test_every_element_type_goes_in_and_out(type_name: str, worker: Worker) -> None:
    g = Graph()
    x = g.input([2, 3], type_name, name="x")
    g.output(g.op("RESHAPE", x, [3, 2], name="y"))
    found = worker.run(g.build(), OUTPUTS)
    assert found.exit == Exit("ok", "done")
    (output,) = found.outputs
    assert output.compiled is not None
    assert output.reference is not None
    assert output.compiled.dtype == output.reference.dtype
    np.testing.assert_allclose(
        output.compiled.astype(float).ravel(),
        found.inputs[found.signatures[0].key, "x"].astype(float).ravel(),
        rtol=2e-3,
    )


def test_every_signature_is_run(worker: Worker) -> None:
    g = Graph()
    x = g.input([1, 4])
    y = g.op("ABS", x)
    g.output(y)
    g.signature("one", {"x": x}, {"y": y})
    second = g.subgraph("second")
    x = second.input([1, 2])
    y = second.op("NEG", x)
    second.output(y)
    g.signature("two", {"x": x}, {"y": y}, subgraph=second)
    found = worker.run(g.build(), OUTPUTS)
    assert [output.signature for output in found.outputs] == ["one", "two"]
    only = worker.run(g.build(), Options(outputs=True, signature="two"))
    assert [output.signature for output in only.outputs] == ["two"]


@pytest.mark.parametrize("forked", [False, True])
def test_abort(forked: bool, worker: Worker, software: device.Device) -> None:
    found = worker.run(aborts()) if forked else runner.run(aborts(), PYTHON, device=software)
    assert (found.exit.kind, found.exit.stage, found.exit.text) == ("signal", "create", "SIGABRT")
    assert not found.created
    assert worker.run(partial()).exit.kind == "ok"


def test_time_limit_leaves_no_process(software: device.Device, left_over: Callable[[], list[int]]) -> None:
    found = runner.run(hangs(), PYTHON, Options(outputs=True, timeout=10.0), device=software)
    assert found.exit == Exit("timeout", "run")
    assert left_over() == []


def test_time_limit_of_a_forked_child(software: device.Device, left_over: Callable[[], list[int]]) -> None:
    with Worker(PYTHON, device=software) as worker:
        worker.run(partial())
        before = left_over()
        found = worker.run(hangs(), Options(outputs=True, timeout=10.0))
        assert found.exit == Exit("timeout", "run")
        assert left_over() == before
        assert worker.run(partial()).exit.kind == "ok"
    assert left_over() == []


@pytest.mark.skipif(sys.platform != "linux", reason="relies on Linux's parent-death signal")
def test_nothing_outlives_a_killed_caller(
    software: device.Device, left_over: Callable[[], list[int]], tmp_path: Path
) -> None:
    """Whoever runs the command may kill it at any time: its children must not go on."""
    model = tmp_path / "hangs.tflite"
    model.write_bytes(hangs())
    script = (
        "import sys; from pathlib import Path; from tflint.linter.confirm.runner import *\n"
        "worker = Worker(Path(sys.executable))\n"
        "worker.run(Path(sys.argv[1]), Options(outputs=True, timeout=300))\n"
    )
    command = [sys.executable, "-c", script, str(model)]
    with subprocess.Popen(command, env={**os.environ, **software.variables}) as caller:
        try:
            assert wait_for(lambda: len(left_over()) == 2, 60)
        finally:
            caller.kill()
    assert wait_for(lambda: not left_over(), 10)


def test_no_adapter_is_told_from_a_failing_model(software: device.Device) -> None:
    nowhere = device.Device("none", "cpu", "", None, dict.fromkeys(device.DRIVER_VARIABLES, "/nonexistent.json"))
    found = runner.run(clean(), PYTHON, device=nowhere)
    assert found.no_adapter
    assert not runner.run(aborts(), PYTHON, device=software).no_adapter


def test_interpreter_without_the_runtime_is_broken(tmp_path: Path, software: device.Device) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path)], check=True)
    python = tmp_path / "bin" / "python"
    for found in (_in_worker(python, software), runner.run(clean(), python, device=software)):
        assert found.exit.kind == "broken"
        assert "No module named" in found.exit.text


def _in_worker(python: Path, software: device.Device) -> Run:
    with Worker(python, device=software) as worker:
        return worker.run(clean())


def test_precision(worker: Worker, software: device.Device) -> None:
    assert precision.used(worker, "fp32") == "fp32"
    asked = device.Device(software.name, software.type, software.driver, None, software.variables)
    with Worker(PYTHON, device=asked) as unsure:
        assert precision.used(unsure, "default") == ("fp16" if software.fp16 else "fp32")


def test_precision_model_is_the_builders() -> None:
    g = Graph("add")
    x, y = g.input([1, 1, 1, 4], name="x"), g.input([1, 1, 1, 4], name="y")
    g.output(g.op("ADD", x, y, name="z"))
    assert g.build() == precision._ADD
