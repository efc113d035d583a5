import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from regard.attention import processor
from regard.attention.processor import slows_mkl


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: True)
    slows_mkl.cache_clear()
    yield
    slows_mkl.cache_clear()


@pytest.mark.parametrize(("maker", "slow"), [("GenuineIntel", False), ("AuthenticAMD", True)])
def test_linux_tells_the_maker_in_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, maker: str, slow: bool
) -> None:
    told = tmp_path / "cpuinfo"
    told.write_text(f"processor\t: 0\nvendor_id\t: {maker}\nflags\t: fpu avx2\n")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(processor, "CPUINFO", told)
    assert slows_mkl() is slow


def test_where_nothing_is_told_mkl_is_not_suspected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "absent")
    assert not slows_mkl()


@pytest.mark.parametrize(
    ("name", "slow"),
    [("Intel64 Family 6 Model 158, GenuineIntel", False), ("AMD64 Family 25 Model 33, AuthenticAMD", True)],
)
def test_windows_tells_it_in_a_name(monkeypatch: pytest.MonkeyPatch, name: str, slow: bool) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(processor.platform, "processor", lambda: name)
    assert slows_mkl() is slow


def test_without_mkl_and_on_a_mac_there_is_nothing_to_be_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "CPUINFO", Path(__file__))
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not slows_mkl()
    slows_mkl.cache_clear()
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: False)
    assert not slows_mkl()
