"""The engine thread's loop, run here on the model of bytes: commands in, events out, in the order things happened."""

import queue
import threading
from pathlib import Path

import pytest

import engine.worker
from engine.config import EngineConfig
from engine.errors import CheckpointError
from engine.jobs.library_orders import LibraryOrders
from engine.jobs.runner import JobRunner
from engine.jobs.transfers import PrefixTransfers
from engine.messages import (
    AskStorage,
    BlockSnapshot,
    Cancel,
    DeleteModel,
    EmptyTrash,
    EngineDied,
    EngineStarted,
    EngineStats,
    JobFinished,
    LibraryFailed,
    LoadModel,
    ModelDeleted,
    ModelLoaded,
    ModelLoadFailed,
    ModelLoadProgress,
    ModelRenamed,
    ModelUnloaded,
    MoveJob,
    PrefixRefused,
    PrefixRestored,
    PrefixSaved,
    RenameModel,
    RequestFailed,
    RequestFinished,
    RestorePrefix,
    SamplingParams,
    SavePrefix,
    SpaceFreed,
    StartJob,
    StorageReport,
    Submit,
    TextDelta,
    UnloadModel,
    WatchBlocks,
)
from engine.rope_spec import RopeSpec
from engine.serving import ServedModel
from engine.spec import ModelSpec
from engine.store.library import ModelEntry
from tests.engine.fakes import FakeEngine
from tests.engine.store.checkpoints import make_checkpoint
from tests.engine.test_core import expected_text

SPEC = ModelSpec("llama", 1, 32, 1, 1, 32, 32, 257, 1000, 1e-5, RopeSpec(1e4), False, True)


class Library:
    """Two models; `broken` cannot be loaded."""

    def find(self, name):
        return ModelEntry(name, name, Path(name), SPEC, 1, None, "")


class Harness:
    """Runs a worker on this thread. `react(event)` may answer each event with further commands."""

    def __init__(self, tmp_path, monkeypatch, react=lambda event: ()):
        self._react = react
        self.commands = queue.SimpleQueue()
        self.events = []
        self.snapshots = []
        self.models = {}
        config = EngineConfig(home=tmp_path, backend="reference", num_threads=1)
        jobs = JobRunner(config, self._sink)
        self.transfers = PrefixTransfers(self._sink, self.commands.put)
        self.orders = LibraryOrders(tmp_path, self._sink)
        self.orders.start()
        self.worker = engine.worker.Worker(
            config,
            self.commands,
            threading.Event(),
            self._sink,
            self.snapshots.append,
            jobs,
            self.transfers,
            self.orders,
        )
        self.worker._library = Library()
        monkeypatch.setattr(engine.worker, "serve", self._serve)

    def _serve(self, entry, backend, config, on_progress):
        if entry.model_id == "broken":
            raise CheckpointError("it is damaged: convert it again")
        on_progress(ModelLoadProgress(entry.model_id, 1, 1))
        model = self.models[entry.model_id] = FakeEngine(num_blocks=200, model_name=entry.name)
        facts = ModelLoaded(entry.model_id, entry.name, "fake", 1000, 1, 200, 4, 1)
        return ServedModel(model.core, facts)

    def _sink(self, events):
        for event in events:
            self.events.append(event)
            for command in self._react(event):
                self.commands.put(command)

    def run(self, *commands):
        for command in commands:
            self.commands.put(command)
        self.worker.run()
        assert self.transfers.close(60)
        assert self.orders.close(60)

    def kinds(self, *kinds):
        return [event for event in self.events if isinstance(event, kinds)]


def submit(request_id, max_tokens=5, prompt="a prompt", **params):
    return Submit(request_id, SamplingParams(temperature=0, max_tokens=max_tokens, **params), prompt=prompt, owner="o")


def quit_after(kind):
    return lambda event: (None,) if isinstance(event, kind) else ()


def test_answer_comes_after_its_model(tmp_path, monkeypatch):
    harness = Harness(tmp_path, monkeypatch, quit_after(RequestFinished))
    harness.run(LoadModel("one"), submit("a"))
    order = [type(event) for event in harness.kinds(EngineStarted, ModelLoadProgress, ModelLoaded, RequestFinished)]
    assert order == [EngineStarted, ModelLoadProgress, ModelLoaded, RequestFinished]
    assert harness.kinds(RequestFinished)[0].num_completion_tokens == 5


def test_end_of_a_request_is_told_before_its_model_goes(tmp_path, monkeypatch):
    def react(event):
        return (Cancel("a"), UnloadModel()) if isinstance(event, TextDelta) else quit_after(ModelUnloaded)(event)

    harness = Harness(tmp_path, monkeypatch, react)
    harness.run(LoadModel("one"), submit("a", max_tokens=500))
    order = [type(event) for event in harness.kinds(RequestFinished, ModelUnloaded)]
    assert order == [RequestFinished, ModelUnloaded]


def test_old_model_is_gone_before_the_new_one_loads(tmp_path, monkeypatch):
    def react(event):
        if event == ModelLoadProgress("one", 1, 1):
            return (LoadModel("two"),)
        return (None,) if isinstance(event, ModelLoaded) and event.model_id == "two" else ()

    harness = Harness(tmp_path, monkeypatch, react)
    harness.run(LoadModel("one"))
    told = [(type(e), e.model_id) for e in harness.kinds(ModelUnloaded, ModelLoadProgress, ModelLoaded)]
    assert told[2:] == [(ModelUnloaded, "one"), (ModelLoadProgress, "two"), (ModelLoaded, "two")]


def test_loading_the_loaded_model_keeps_it(tmp_path, monkeypatch):
    harness = Harness(tmp_path, monkeypatch, quit_after(RequestFinished))
    harness.run(LoadModel("one"), LoadModel("one"), submit("a"))
    assert len(harness.kinds(ModelLoaded)) == 2
    assert not harness.kinds(ModelUnloaded)


def test_model_is_not_changed_under_a_running_answer(tmp_path, monkeypatch):
    def react(event):
        if isinstance(event, TextDelta) and not asked:
            asked.append(event)
            return LoadModel("two"), UnloadModel()
        return quit_after(RequestFinished)(event)

    asked = []
    harness = Harness(tmp_path, monkeypatch, react)
    harness.run(LoadModel("one"), submit("a", max_tokens=20))
    assert [failure.code for failure in harness.kinds(ModelLoadFailed)] == ["model_busy", "model_busy"]
    assert "1 answer" in harness.kinds(ModelLoadFailed)[0].message
    assert harness.kinds(RequestFinished)[0].num_completion_tokens == 20


def test_model_that_cannot_be_loaded_leaves_the_engine_running(tmp_path, monkeypatch):
    harness = Harness(tmp_path, monkeypatch, quit_after(RequestFinished))
    harness.run(LoadModel("broken"), LoadModel("one"), submit("a"))
    assert [failure.code for failure in harness.kinds(ModelLoadFailed)] == ["checkpoint"]
    assert not harness.kinds(EngineDied)


def test_request_without_a_model_is_refused(tmp_path, monkeypatch):
    harness = Harness(tmp_path, monkeypatch, quit_after(RequestFailed))
    harness.run(submit("a"))
    assert harness.kinds(RequestFailed)[0].code == "no_model"


@pytest.mark.parametrize("fault", [TypeError("no such thing"), AssertionError("recount")])
def test_fault_of_the_engine_is_told_and_ends_every_request(tmp_path, monkeypatch, fault):
    def react(event):
        if isinstance(event, TextDelta):
            monkeypatch.setattr(harness.models["one"].runner, "run", fail)
        return ()

    def fail(chunks):
        raise fault

    harness = Harness(tmp_path, monkeypatch, react)
    harness.run(LoadModel("one"), submit("a", max_tokens=50), submit("b", max_tokens=50))
    assert [event.request_id for event in harness.kinds(RequestFailed)] == ["a", "b"]
    (death,) = harness.kinds(EngineDied)
    assert harness.events[-1] is death
    assert str(fault) in death.message


def test_fault_that_comes_again_in_cleaning_up_is_told_all_the_same(tmp_path, monkeypatch):
    def react(event):
        if isinstance(event, TextDelta):
            monkeypatch.setattr(harness.models["one"].cache, "release", fail)
        return ()

    def fail(sequence):
        raise AssertionError("the books are wrong")

    harness = Harness(tmp_path, monkeypatch, react)
    harness.run(LoadModel("one"), submit("a"), submit("b"))
    assert [event.message for event in harness.kinds(EngineDied)] == ["AssertionError: the books are wrong"]


def test_closing_ends_running_answers(tmp_path, monkeypatch):
    harness = Harness(tmp_path, monkeypatch, quit_after(TextDelta))
    harness.run(LoadModel("one"), submit("a", max_tokens=500))
    assert [event.reason for event in harness.kinds(RequestFinished)] == ["cancelled"]


def test_statistics_say_when_the_engine_is_idle_again(tmp_path, monkeypatch):
    def react(event):
        return (None,) if isinstance(event, EngineStats) and event.num_referenced_blocks == 0 and finished else ()

    harness = Harness(tmp_path, monkeypatch, lambda event: react(event))
    finished = harness.events
    harness.run(LoadModel("one"), submit("a"))
    last = harness.kinds(EngineStats)[-1]
    assert (last.num_running, last.num_waiting, last.num_referenced_blocks) == (0, 0, 0)


def test_an_idle_engine_gives_free_memory_back_once_after_answers(tmp_path, monkeypatch):
    harness = Harness(tmp_path, monkeypatch, lambda event: ())
    given_back: list[int] = []

    def give_back() -> None:
        given_back.append(len(harness.kinds(RequestFinished)))
        if len(given_back) == 1:
            harness.commands.put(submit("b"))
        else:
            harness.commands.put(None)

    monkeypatch.setattr(engine.worker, "_QUIET_S", 0.01)
    monkeypatch.setattr(engine.worker, "return_free_memory", give_back)
    harness.run(LoadModel("one"), submit("a"))
    assert given_back == [1, 2]


def test_statistics_of_a_model_that_was_loaded_anew_are_told_though_they_are_as_before(tmp_path, monkeypatch):
    def react(event):
        if isinstance(event, ModelUnloaded):
            return (LoadModel("two"),)
        if isinstance(event, EngineStats):
            return (None,) if "two" in harness.models else (UnloadModel(),)
        return ()

    harness = Harness(tmp_path, monkeypatch, react)
    timer = threading.Timer(20, harness.commands.put, (None,))
    timer.start()
    harness.run(LoadModel("one"))
    timer.cancel()
    first, second = harness.kinds(EngineStats)
    assert first == second


def test_snapshots_come_only_while_they_are_watched(tmp_path, monkeypatch):
    def react(event):
        if isinstance(event, RequestFinished) and event.request_id == "a":
            assert harness.snapshots == []
            return WatchBlocks(is_on=True, interval_ms=0), submit("b")
        return (None,) if isinstance(event, RequestFinished) else ()

    harness = Harness(tmp_path, monkeypatch, react)
    harness.run(LoadModel("one"), submit("a"))
    assert harness.snapshots
    assert all(isinstance(snapshot, BlockSnapshot) for snapshot in harness.snapshots)
    assert any(any(snapshot.ref_counts) for snapshot in harness.snapshots)


LONG = "a prompt of more than a few blocks"


def test_chat_is_reopened_from_its_file_without_prefill(tmp_path, monkeypatch):
    path = str(tmp_path / "chat")

    def react(event):
        match event:
            case RequestFinished("a"):
                return (SavePrefix("o", path),)
            case PrefixSaved():
                return UnloadModel(), LoadModel("one"), RestorePrefix("o", path)
            case PrefixRestored():
                return (submit("b", prompt=LONG),)
        return quit_after(RequestFinished)(event)

    harness = Harness(tmp_path, monkeypatch, react)
    harness.run(LoadModel("one"), submit("a", prompt=LONG))
    assert harness.kinds(PrefixSaved, PrefixRestored)[1] == PrefixRestored("o", path, 36, 36, 9)
    cold, warm = harness.kinds(RequestFinished)
    assert (cold.num_cached_tokens, warm.num_cached_tokens) == (0, 32)
    texts = ["".join(e.text for e in harness.kinds(TextDelta) if e.request_id == name) for name in ("a", "b")]
    assert texts[0] == texts[1] != ""


def test_saving_and_restoring_beside_a_running_answer_changes_nothing_in_it(tmp_path, monkeypatch):
    path = str(tmp_path / "chat")

    def react(event):
        match event:
            case TextDelta("a") if not harness.kinds(PrefixSaved, PrefixRefused):
                return SavePrefix("o", path), RestorePrefix("other", path)
        return quit_after(RequestFinished)(event)

    harness = Harness(tmp_path, monkeypatch, react)
    harness.run(LoadModel("one"), submit("a", prompt=LONG, max_tokens=400))
    assert "".join(delta.text for delta in harness.kinds(TextDelta)) == expected_text(LONG, 400)
    assert {event.code for event in harness.kinds(PrefixRefused)} <= {"cancelled", "snapshot"}


def test_prefix_of_another_model_is_refused_and_nothing_happens(tmp_path, monkeypatch):
    path = str(tmp_path / "chat")

    def react(event):
        match event:
            case RequestFinished("a"):
                return (SavePrefix("o", path),)
            case PrefixSaved():
                return LoadModel("two"), RestorePrefix("o", path)
            case PrefixRefused():
                return (submit("b", prompt=LONG),)
        return quit_after(RequestFinished)(event)

    harness = Harness(tmp_path, monkeypatch, react)
    harness.run(LoadModel("one"), submit("a", prompt=LONG))
    (refusal,) = harness.kinds(PrefixRefused)
    assert "it was saved from one, loaded is two" in refusal.message
    assert [end.num_cached_tokens for end in harness.kinds(RequestFinished)] == [0, 0]


@pytest.mark.parametrize("command", [SavePrefix("o", "file"), RestorePrefix("o", "file")])
def test_prefix_without_a_model_is_refused(tmp_path, monkeypatch, command):
    harness = Harness(tmp_path, monkeypatch, quit_after(PrefixRefused))
    harness.run(command)
    assert [(event.owner, event.path, event.code) for event in harness.kinds(PrefixRefused)] == [
        ("o", "file", "no_model")
    ]


def test_prefix_that_was_never_computed_is_not_saved(tmp_path, monkeypatch):
    harness = Harness(tmp_path, monkeypatch, quit_after(PrefixRefused))
    harness.run(LoadModel("one"), SavePrefix("nobody", str(tmp_path / "file")))
    assert "Nothing of 'nobody' is cached" in harness.kinds(PrefixRefused)[0].message
    assert not (tmp_path / "file").exists()


def test_loaded_model_is_neither_deleted_nor_moved(tmp_path, monkeypatch):
    harness = Harness(tmp_path, monkeypatch, quit_after(JobFinished))
    delete = DeleteModel("one")
    harness.run(LoadModel("one"), delete, StartJob("j", MoveJob("one", str(tmp_path / "x"))))
    message = "one is loaded: unload it first, or load another model"
    assert harness.kinds(LibraryFailed) == [LibraryFailed(delete, "model_busy", message)]
    assert harness.kinds(JobFinished) == [JobFinished("j", None, "model_busy", message)]


def test_orders_for_the_library_are_answered_in_their_order(tmp_path, monkeypatch):
    make_checkpoint(tmp_path / "models" / "a")
    harness = Harness(tmp_path, monkeypatch, quit_after(StorageReport))
    rename = RenameModel("nope", "x")
    harness.run(RenameModel("a", "New"), DeleteModel("a"), rename, EmptyTrash(), AskStorage())
    kinds = (ModelRenamed, ModelDeleted, LibraryFailed, SpaceFreed, StorageReport)
    assert [type(event) for event in harness.kinds(*kinds)] == list(kinds)
    assert harness.kinds(LibraryFailed)[0].command == rename
    assert harness.kinds(SpaceFreed)[0].num_items == 1
