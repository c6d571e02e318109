"""What a replay computes, against torch: the counts come from runs whose results are right."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from grader import kernel_lab  # noqa: E402
from grader.correctness.cases import contiguous  # noqa: E402
from grader.ledger.program import TensorRef  # noqa: E402

KERNELS = Path(__file__).parent / "kernels"
Array = npt.NDArray[np.generic]


def replayed(file: str, function: str, *inputs: Array, out: tuple[int, ...], dtype: str) -> Array:
    """Return what the replay of ``function(*inputs)`` returns."""
    refs = [
        TensorRef(storage=i, dtype=str(x.dtype), shape=x.shape, stride=contiguous(x.shape))
        for i, x in enumerate(inputs)
    ]
    source = {file: (KERNELS / file).read_bytes()}
    program = kernel_lab.record(source, file, [function], [refs])
    assert program.fault is None and program.calls[0].fault is None, program.calls
    wanted = int(np.prod(out)) * np.dtype(dtype).itemsize
    done = kernel_lab.replay(program, [[x.tobytes() for x in inputs]], [wanted], measured=0)
    assert done.calls[0]["problem"] == ""
    assert done.calls[0]["unsound"] == []
    assert done.outputs[0] is not None
    return np.frombuffer(done.outputs[0], dtype).reshape(out)


def language() -> ModuleType:
    spec = importlib.util.spec_from_file_location("language", KERNELS / "language.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["math", "shapes", "order", "integer", "narrow", "branch"])
def test_the_language_computes_what_torch_computes(name: str) -> None:
    """Functions, shapes, orders, integers, narrow floats and branches."""
    size = 1000 if name in ("math", "integer", "narrow", "branch") else 1024
    x = np.random.default_rng(7).standard_normal((4, size // 4)).astype(np.float32)
    expected = getattr(language(), f"{name}_by_torch")(torch.from_numpy(x)).numpy()
    got = replayed("language.py", name, x, out=x.shape, dtype="float32")
    np.testing.assert_allclose(got, expected, rtol=2e-6, atol=2e-6)


def test_softmax() -> None:
    """Rows add up to one."""
    x = np.random.default_rng(1).standard_normal((37, 100)).astype(np.float16)
    got = replayed("tutorials.py", "softmax", x, out=x.shape, dtype="float16")
    expected = torch.softmax(torch.from_numpy(x).double(), 1).numpy()
    np.testing.assert_allclose(got, expected, rtol=2e-3)


def test_layer_norm() -> None:
    """Three passes and two statistics."""
    generator = np.random.default_rng(2)
    x, w, b = (
        generator.standard_normal(shape).astype(np.float16) for shape in ((9, 300), 300, 300)
    )
    got = replayed("tutorials.py", "layer_norm", x, w, b, out=x.shape, dtype="float16")
    wide = [torch.from_numpy(a).double() for a in (x, w, b)]
    expected = torch.nn.functional.layer_norm(wide[0], (300,), wide[1], wide[2]).numpy()
    np.testing.assert_allclose(got, expected, rtol=4e-3, atol=4e-3)


def test_matmul() -> None:
    """Tiles in grouped order, with tails in all three axes."""
    generator = np.random.default_rng(3)
    a = generator.standard_normal((70, 40)).astype(np.float16)
    b = generator.standard_normal((40, 50)).astype(np.float16)
    got = replayed("tutorials.py", "matmul", a, b, out=(70, 50), dtype="float16")
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(got, expected, rtol=4e-3, atol=4e-3)


def test_descriptors() -> None:
    """A descriptor stores only inside its tensor."""
    x = np.random.default_rng(4).standard_normal((50, 40)).astype(np.float16)
    got = replayed("tutorials.py", "double_by_descriptor", x, out=x.shape, dtype="float16")
    np.testing.assert_array_equal(got, x * 2)
