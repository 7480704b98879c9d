"""The native library is found, checked against its sources, and refused with a message that says what to do."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path

import pytest

from kernels.cpu import build, library
from kernels.cpu.library import NativeUnavailableError


def test_the_library_of_this_machine_is_built_from_these_sources() -> None:
    native = library.load()
    assert native.di_source_digest().decode() == build.source_digest()


def test_a_missing_library_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(NativeUnavailableError, match=r"nowhere\.so is missing.*python -m kernels\.cpu\.build"):
        library.load(tmp_path / "nowhere.so")


def test_a_library_older_than_its_sources_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "source_digest", lambda: "0" * 16)
    with pytest.raises(NativeUnavailableError, match=r"older than their sources.*python -m kernels\.cpu\.build"):
        library.load()


def test_a_changed_source_changes_the_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = build.source_digest()
    copy = tmp_path / "src"
    shutil.copytree(build.SOURCES, copy)
    monkeypatch.setattr(build, "SOURCES", copy)
    assert build.source_digest() == before
    (copy / "pool.c").write_text((copy / "pool.c").read_text() + "\n")
    assert build.source_digest() != before


def test_a_file_that_is_no_library_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"not a library")
    with pytest.raises(NativeUnavailableError, match="do not load"):
        library.load(broken)


def test_a_processor_without_a_variant_is_told_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    class Library(ctypes.CDLL):
        di_variant = staticmethod(lambda: None)

    monkeypatch.setattr(ctypes, "CDLL", Library)
    with pytest.raises(NativeUnavailableError, match="AVX2"):
        library.load()


def test_a_compiler_that_fails_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(build.BuildError, match="failed with"):
        build.build(build.host_target(), tmp_path / "library", cc="false")
    with pytest.raises(build.BuildError, match="does not start"):
        build.build(build.host_target(), tmp_path / "library", cc="no-such-compiler")
    assert list(tmp_path.iterdir()) == []


def test_other_processors_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build.platform, "machine", lambda: "riscv64")
    with pytest.raises(build.BuildError, match="riscv64"):
        build.host_target()
    with pytest.raises(NativeUnavailableError, match="riscv64"):
        library.default_path()
