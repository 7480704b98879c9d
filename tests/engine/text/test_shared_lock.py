"""Many threads hold the lock together; whoever wants it alone has it alone, and is not passed over for ever."""

from threading import Event, Thread

from engine.text.shared_lock import SharedLock


def test_a_second_thread_does_not_wait_for_the_first() -> None:
    lock, is_in, may_leave = SharedLock(), Event(), Event()

    def hold() -> None:
        with lock.together():
            is_in.set()
            may_leave.wait(30)

    thread = Thread(target=hold)
    thread.start()
    assert is_in.wait(30)
    with lock.together():
        assert thread.is_alive()
    may_leave.set()
    thread.join(30)
    assert not thread.is_alive()


def test_one_that_wants_it_alone_waits_and_then_keeps_later_ones_out() -> None:
    lock, order = SharedLock(), []
    wants, is_alone, may_leave = Event(), Event(), Event()

    def change() -> None:
        wants.set()
        with lock.alone():
            order.append("alone")
            is_alone.set()
            may_leave.wait(30)
            order.append("left")

    def read() -> None:
        with lock.together():
            order.append("read")

    changer, reader = Thread(target=change), Thread(target=read)
    with lock.together():
        changer.start()
        assert wants.wait(30)
        assert not is_alone.is_set()
        order.append("first")
    assert is_alone.wait(30)
    reader.start()
    may_leave.set()
    changer.join(30)
    reader.join(30)
    assert order == ["first", "alone", "left", "read"]


def test_it_is_free_again_after_a_failure() -> None:
    lock = SharedLock()
    for hold in (lock.alone, lock.together, lock.alone):
        try:
            with hold():
                raise ValueError
        except ValueError:
            pass
    with lock.together():
        pass
