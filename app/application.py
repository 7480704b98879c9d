"""Owns the process of the window: log, exception hook, lock of the data folder, loop, and the exit code.

Does not know what the window shows.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import logging.handlers
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import qasync
from PySide6.QtCore import QLockFile, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from app.bridge.engine_client import EngineClient
from app.desktop.folder_keeper import FolderKeeper
from app.desktop.keep_awake import leave_efficiency_mode
from app.i18n import install_language, translate
from app.main_window import MainWindow
from app.models.host import Host
from app.models.measured_speed import MeasuredSpeeds
from app.models.services import ModelServices
from app.restarting import ProgramRestart, start_again
from app.running_window import RunningWindow, ask_to_show
from app.state import options
from app.state.history import History, HistoryError
from app.state.settings import Settings
from app.theme import apply_theme, apply_zoom
from engine.api import EngineConfig, EngineHandle, list_damaged_models, list_models, name_problem, shorten_time_slice
from engine.messages import BlockSnapshot, Event
from engine.planner import machine

if TYPE_CHECKING:
    from app.bridge.engine_client import EngineFactory
    from app.checks.window_check import WindowCheck

_log = logging.getLogger(__name__)
_MAX_LOG_BYTES = 1_000_000
_SIGNAL_CHECK_MS = 250
_SWITCH_INTERVAL_S = 0.0005
"""How long a thread may keep Python to itself while another one waits for it; usually it is ten times as long."""
_ENDING_WAIT_MS = 12_000
"""A little longer than a window that was closed waits for its engine."""


WindowCheckName = Literal["self-test", "chats", "history", "lag"]


def run(home: Path, backend: str, check: WindowCheckName | None = None) -> int:
    """Opens the window and returns the exit code when it has been closed; a check uses and closes it by itself."""
    if (problem := name_problem(home)) is not None:
        return _refuse(f"{problem}: rename it, or choose another data folder with --home")
    try:
        home.mkdir(parents=True, exist_ok=True)
        _start_log(home)
    except OSError as error:
        return _refuse(
            f"The data folder {home} cannot be written: {error.strerror}. "
            "Allow writing to it, or choose another with --home"
        )
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication), f"the application is {app!r}"
    app.setApplicationName("DeepInfer")
    # The window ends the loop itself, after the engine has been joined.
    app.setQuitOnLastWindowClosed(False)
    lock = QLockFile(str(home / "app.lock"))
    lock.setStaleLockTime(0)
    if not lock.tryLock(0):
        if lock.error() is not QLockFile.LockError.LockFailedError:
            is_forbidden = lock.error() is QLockFile.LockError.PermissionError
            step = "Allow writing to it" if is_forbidden else "Free some space"
            return _refuse(f"The data folder {home} cannot be written. {step}, or choose another with --home")
        if ask_to_show(home):
            message = f"DeepInfer is already running on {home}. Its window was brought to the front"
            return _refuse(message, needs_dialog=False)
        # Its window may have been closed a moment ago.
        if not lock.tryLock(_ENDING_WAIT_MS):
            return _refuse(f"DeepInfer is already running on {home}. Use its window, or give this one another --home")
    try:
        exit_code, starts_again = _run_loop(app, home, backend, check)
    finally:
        lock.unlock()
    if starts_again:
        start_again()
    return exit_code


def _run_loop(app: QApplication, home: Path, backend: str, check: WindowCheckName | None) -> tuple[int, bool]:
    """The exit code, and whether the program is to be started again."""
    loop = qasync.QEventLoop(app)
    loop.set_exception_handler(_on_loop_exception)
    asyncio.set_event_loop(loop)
    settings = Settings(home / "settings.json")
    _let_the_window_through()
    config = EngineConfig(home=home, backend=backend)
    window = make_window(home, loop, engine_factory(lambda: configured(config, settings)), settings)
    window.closed.connect(loop.stop)
    RunningWindow(home, window).show_requested.connect(window.bring_to_front)
    _close_on_signals(window)
    restart = ProgramRestart(window)
    test = None if check is None else _make_check(check, window, home)
    if test is not None:
        test.start()
    window.show()
    # What is here by now stays, most of it code. Looked through with the rest, whoever collects garbage would hold all
    # threads up for some 40 ms now and then, also in the middle of an answer.
    gc.freeze()
    loop.run_forever()
    exit_code = 0 if test is None else test.report()
    loop.close()
    return exit_code, restart.is_wanted


def _let_the_window_through() -> None:
    """The thread that calls it is the window's: it is to get the processor and Python's lock soon, however much the
    engine computes.
    """
    leave_efficiency_mode()
    shorten_time_slice()
    sys.setswitchinterval(_SWITCH_INTERVAL_S)


def _make_check(name: WindowCheckName, window: MainWindow, home: Path) -> WindowCheck:
    # Imported here, because a person's window needs none of them.
    from app.checks.chat_check import ChatCheck
    from app.checks.history_check import HistoryCheck
    from app.checks.lag_check import LagCheck
    from app.checks.self_test import SelfTest

    checks: dict[WindowCheckName, type[WindowCheck]] = {
        "self-test": SelfTest,
        "chats": ChatCheck,
        "history": HistoryCheck,
        "lag": LagCheck,
    }
    return checks[name](window, home)


def make_window(
    home: Path, loop: asyncio.AbstractEventLoop, make_engine: EngineFactory, settings: Settings
) -> MainWindow:
    """The window of a data folder, with its look, not yet shown."""
    app = QApplication.instance()
    assert isinstance(app, QApplication), f"the application is {app!r}"
    install_language(app, settings.get(options.LANGUAGE))
    apply_theme(app, settings.get(options.THEME))
    apply_zoom(app, settings.get(options.ZOOM_PERCENT))
    client = EngineClient(make_engine, loop)
    history, problem = _open_history(home)
    measured = MeasuredSpeeds()
    window = MainWindow(
        client,
        history,
        settings,
        ModelServices(
            home,
            lambda: list_models(home),
            lambda: list_damaged_models(home),
            lambda: replace(read_host(home, settings), speeds=measured.speeds),
            measured,
        ),
    )
    client.setParent(window)
    FolderKeeper(settings, window.change_setting, window)
    if problem is not None:
        window.banner.add_message(problem)
    return window


def configured(config: EngineConfig, settings: Settings) -> EngineConfig:
    """The config with what a person chose on the settings page."""
    return replace(
        config,
        num_threads=settings.get(options.NUM_THREADS) or None,
        kv_budget_bytes=(settings.get(options.KV_BUDGET_MIB) << 20) or None,
        swap_budget_bytes=settings.get(options.SWAP_BUDGET_MIB) << 20,
        max_running_sequences=settings.get(options.MAX_RUNNING),
        kv_dtype=settings.get(options.KV_DTYPE),
        speculation=settings.get(options.SPECULATION),
    )


def read_host(home: Path, settings: Settings) -> Host:
    """This machine as it is now, with the engine as it would be started now."""
    return Host(**asdict(machine(home)), config=configured(EngineConfig(home=home), settings))


def engine_factory(read_config: Callable[[], EngineConfig]) -> EngineFactory:
    """Makes engines of the config as it is when they are made."""

    def make(sink: Callable[[Sequence[Event]], None], snapshot_sink: Callable[[BlockSnapshot], None]) -> EngineHandle:
        return EngineHandle(read_config(), sink, snapshot_sink)

    return make


def _open_history(home: Path) -> tuple[History, str | None]:
    """The chats on disk; where they cannot be used, a history in memory and the reason."""
    try:
        return History(home / "chats.sqlite3"), None
    except HistoryError as error:
        return History(None), f"{error} {translate('app', 'New chats are kept only until the window is closed.')}"


def _start_log(home: Path) -> None:
    to_file = logging.handlers.RotatingFileHandler(
        home / "app.log", maxBytes=_MAX_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True
    )
    handlers: list[logging.Handler] = [to_file]
    if sys.stderr is not None:  # a window without a console has none
        handlers.append(logging.StreamHandler())
    logging.basicConfig(
        level=logging.INFO, handlers=handlers, format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True
    )
    # It tells each address: what was searched for on the hub, and the storage's, which let anybody in for a while.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    sys.excepthook = _on_exception


def _on_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Faults in slots end here: they are logged, and the window goes on."""
    _log.error("A fault in the window", exc_info=(kind, error, trace))


def _on_loop_exception(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    _log.error("%s", context.get("message", "A fault in a task"), exc_info=context.get("exception"))


def _close_on_signals(window: MainWindow) -> None:
    """Ctrl+C in the terminal and a request to end close the window as a click does."""
    loop = asyncio.get_event_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, window.close)
        except NotImplementedError:  # Windows: its loop knows no signals
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(window.close))
    if sys.platform == "win32":
        # A handler runs between two steps of Python, and an idle Qt loop makes none.
        pulse = QTimer(window, interval=_SIGNAL_CHECK_MS)
        pulse.timeout.connect(lambda: None)
        pulse.start()


def _refuse(message: str, needs_dialog: bool = True) -> int:
    """Says why no window opens; returns the exit code."""
    if sys.stderr is not None:
        print(message, file=sys.stderr)
    elif needs_dialog:  # a start without a console
        application = QApplication.instance() or QApplication(sys.argv[:1])
        assert isinstance(application, QApplication), f"the application is {application!r}"
        QMessageBox.critical(None, "DeepInfer", message)
    return 1
