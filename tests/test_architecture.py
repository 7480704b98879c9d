"""The rules of the house, read from the code: who may import whom, and what must load without torch."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("kernels", "engine", "app")

FORBIDDEN = {
    "kernels": {"engine", "app", "PySide6", "qasync"},
    "engine": {"app", "PySide6", "qasync"},
    "app": {"kernels", "torch", "numpy"},
}
ENGINE_DOORS = {"engine.api", "engine.messages", "engine.catalog", "engine.planner"}
# What a model is and needs must be known without loading the arithmetic.
LIGHT = ("messages", "spec", "rope_spec", "latent_spec", "errors", "config", "environment", "catalog", "planner", "api")
LIGHT_MODULES = {"platformdirs", "psutil"}


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path, inside_functions: bool = True) -> set[str]:
    """Full names of the modules a file imports. Relative imports do not occur in this project."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree)) if inside_functions else _top_level(tree)
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            names.add(node.module)
    return names


def _top_level(tree: ast.Module) -> list[ast.AST]:
    """Statements that run at import; `if TYPE_CHECKING:` does not."""
    found: list[ast.AST] = []
    for node in tree.body:
        if isinstance(node, ast.If):
            if "TYPE_CHECKING" not in ast.unparse(node.test):
                found += ast.walk(node)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found += ast.walk(node)
    return found


def graph_of(package: str, depth: int | None) -> dict[str, set[str]]:
    """Who imports whom inside a package; of names longer than `depth` parts only the folder counts."""
    graph: dict[str, set[str]] = {}
    for path in sources(package):
        if path.name != "__init__.py":
            names = {name for name in imports(path) if name.startswith(f"{package}.")}
            node = module_name(path, depth)
            graph.setdefault(node, set()).update({".".join(name.split(".")[:depth]) for name in names} - {node})
    return graph


def module_name(path: Path, depth: int | None) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts[:depth])


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_imports_upwards(package):
    for path in sources(package):
        roots = {name.split(".")[0] for name in imports(path)}
        assert not roots & FORBIDDEN[package], f"{path.relative_to(ROOT)} imports {roots & FORBIDDEN[package]}"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_import_each_other(package):
    TopologicalSorter(graph_of(package, depth=None)).prepare()  # raises CycleError naming them


@pytest.mark.parametrize("package", ["kernels", "engine"])
def test_no_folders_import_each_other(package):
    TopologicalSorter(graph_of(package, depth=2)).prepare()


def test_app_knows_the_engine_by_its_doors_only():
    for path in sources("app"):
        used = {name for name in imports(path) if name.split(".")[0] == "engine"}
        assert used <= ENGINE_DOORS, f"{path.relative_to(ROOT)} imports {used - ENGINE_DOORS}"


def test_kernels_package_imports_nothing_and_states_a_harmless_version():
    path = ROOT / "kernels" / "__init__.py"
    assert imports(path) == set()
    version = re.search(r'__version__ = "(\d+)\.(\d+)', path.read_text(encoding="utf-8"))
    assert version is not None
    assert (int(version[1]), int(version[2])) < (0, 9)


@pytest.mark.parametrize("module", LIGHT)
def test_light_modules_import_only_the_standard_library(module):
    allowed = set(sys.stdlib_module_names) | LIGHT_MODULES | {"engine"}
    path = ROOT / "engine" / module
    for source in path.rglob("*.py") if path.is_dir() else [path.with_suffix(".py")]:
        roots = {name.split(".")[0] for name in imports(source, inside_functions=False)}
        assert roots <= allowed, roots - allowed


def test_packaging_is_no_package():
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_assets_hold_no_python():
    assert not list((ROOT / "assets").rglob("*.py"))


def test_doors_of_the_engine_load_without_torch():
    code = (
        f"import sys; import {', '.join(sorted(ENGINE_DOORS))}; from pathlib import Path; "
        "engine.api.list_models(Path('nowhere')); print(sorted({'torch', 'numpy', 'PySide6'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_ci_runs_the_test_command_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = [line for line in readme.splitlines() if line.endswith("-m pytest") and line.startswith("python3")]
    assert len(commands) == 1
    assert commands[0] in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_says_what_it_owns(package):
    for path in sources(package):
        text = path.read_text(encoding="utf-8")
        assert not text.strip() or ast.get_docstring(ast.parse(text)), f"{path.relative_to(ROOT)} has no docstring"
