"""What passes between the benchmark and a side."""

import json

from engine.bench.protocol import Ask, Recorder, Task


class Clock:
    """Moves on by one second each time it is read."""

    def __init__(self):
        self.now_s = 99.0

    def __call__(self):
        self.now_s += 1
        return self.now_s


def test_task_comes_back_from_json_as_it_was():
    task = Task((Ask((1, 2), 3), Ask((4,), 5, (0, 2))), reuses_prefixes=True)
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task


def test_ask_arrives_when_the_one_before_has_so_many_tokens():
    recorder = Recorder(Task((Ask((1,), 3), Ask((2,), 1, (0, 2)))), Clock())
    assert recorder.take_due() == [0]
    recorder.add(0, 7)
    assert recorder.take_due() == []
    recorder.add(0, 8)
    assert recorder.take_due() == [1]
    assert recorder.take_due() == []


def test_times_count_from_the_start_and_tokens_of_one_step_share_theirs():
    recorder = Recorder(Task((Ask((1,), 3),)), Clock())
    recorder.take_due()
    recorder.add(0, 7)
    recorder.add(0, 8, 9)
    (answer,) = recorder.answers()
    assert (answer.arrival_s, answer.token_s, answer.token_ids) == (1, [2, 3, 3], [7, 8, 9])


def test_task_is_done_when_every_ask_has_all_its_tokens():
    recorder = Recorder(Task((Ask((1,), 2), Ask((2,), 1, (0, 1)))), Clock())
    recorder.take_due()
    assert not recorder.have_all_begun
    recorder.add(0, 7, 7)
    assert not recorder.is_done
    recorder.take_due()
    recorder.add(1, 7)
    assert recorder.have_all_begun
    assert recorder.is_done
