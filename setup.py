"""Compiles the native CPU kernels while the project is installed; everything else stands in pyproject.toml.

If no compiler works, the installation goes on without them: the program then runs on torch's kernels and says so.
"""

from __future__ import annotations

import runpy
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent


class BuildWithKernels(build_py):
    """In an editable installation the library goes beside its sources, else into the wheel's tree."""

    def run(self) -> None:
        super().run()
        script = runpy.run_path(str(HERE / "kernels" / "cpu" / "build.py"))
        root = HERE if self.editable_mode else Path(self.build_lib)
        try:
            target = script["host_target"]()
            script["build"](target, root / "kernels" / "cpu" / target.library_name)
        except script["BuildError"] as error:
            self.warn(f"the native CPU kernels were not built, torch's will be used:\n{error}")


class PlatformDistribution(Distribution):
    """Not pure Python: the wheel holds a library for one platform."""

    def has_ext_modules(self) -> bool:
        return True


class PlatformWheel(bdist_wheel):
    """The library is called through ctypes, so any Python 3 will do."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


setup(distclass=PlatformDistribution, cmdclass={"build_py": BuildWithKernels, "bdist_wheel": PlatformWheel})
