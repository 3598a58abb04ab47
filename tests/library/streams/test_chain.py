"""Several stream filters as one."""

from __future__ import annotations

from reticent.streams import chain


class Holding:
    """A filter that is always one byte behind, and says so at the end."""

    def __init__(self, mark: bytes) -> None:
        self.mark = mark
        self.last = b""

    def feed(self, chunk: bytes) -> bytes:
        """Give all but the last byte."""
        whole = self.last + chunk
        self.last = whole[-1:]
        return whole[:-1]

    def flush(self) -> bytes:
        """Give the last byte and the mark."""
        return self.last + self.mark


def test_each_filter_takes_what_the_one_before_let_through() -> None:
    """What a filter gives at the end still runs through those behind it."""
    both = chain(Holding(b"1"), Holding(b"2"))

    assert b"a" == both.feed(b"abc")
    assert b"bc12" == both.flush()


def test_one_filter_is_its_own_chain() -> None:
    """Nothing is wrapped around a single filter."""
    only = Holding(b"1")

    assert only is chain(only)


def test_no_filter_changes_nothing() -> None:
    """The empty chain is identity: the very same object comes back."""
    chunk = b"abc"
    none = chain()

    assert none.feed(chunk) is chunk
    assert b"" == none.flush()
