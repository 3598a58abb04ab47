"""Source code in log text: it stays, and the ways to hide a carrier that look like it do not open."""

from __future__ import annotations

import pytest

import reticent

SECRET = "CANARY-5b7790d1"
GO = """\
func (w *monoGraph) localNamedVertex(pkg *Package, named *Named) int {
	if x, ok := w.canon[tpar]; ok { return x }
	root, tpar = named, nil
	if tpar == nil { root, tpar = nil, tpar }
	fr, err := f.Open()
	if err != nil { return 0 }
	content, err := io.ReadAll(fr) // thinking about the signature
	return content
}
"""
SCRIPT = """\
class Options {
  apply(last) {
    lastAdded = "value"; spaceAfter = false
    lastAdded = "insensitive"; summary = last.summary; signature = sign(summary)
    const reason = `${summary
"""
TABLE = """\
activity = {'summary': f'request model: {name}', **self.config}
names = {'name': 'Name', ('extensions', 'license'): 'License', 'summary': 'Summary'}
"""
PYTHON = """\
def assert_signatures_in_sync(
    source, check, *,
    exclude: set[str] = set(), """


@pytest.fixture(scope="module")
def logs() -> reticent.Serializer:
    """The serializer of a strip surface."""
    return reticent.load_plan().serializer("logs")


@pytest.mark.parametrize("code", [GO, SCRIPT, TABLE, PYTHON], ids=["go", "script", "table", "python"])
def test_code_comes_out_as_it_was(code: str, logs: reticent.Serializer) -> None:
    """Blocks that write to a name twice, and functions named like a carrier's class, lose nothing."""
    assert code == logs.text(f"build failed near:\n{code}")[len("build failed near:\n") :]


def test_an_object_in_doubt_that_ends_takes_nothing_with_it(logs: reticent.Serializer) -> None:
    """What follows an object with an unreadable member stays, and the next one in doubt goes as well."""
    shown = logs.text(f"a {{'signature': {SECRET}, (1): 2}} between {{'thinking': {SECRET}, (1): 2}} after")

    assert SECRET not in shown
    assert "between" in shown
    assert shown.endswith("after")


@pytest.mark.parametrize(
    "line",
    [
        f"{{type: thinking, thinking: {SECRET}, type: text, text: Hi}}",
        f"{{role: assistant, content: [{{type: thinking, thinking: {SECRET}}}], content: Hi}}",
        f"{{role=assistant, reasoning_content={SECRET}, reasoning_content=none}}",
        f'{{"content": [{{"type": "thinking", "thinking": "{SECRET}"}}], "content": "Hi"}}',
        f"ThinkingBlock(thinking='{SECRET}', type='thinking",
        f"{{signature: c2ln, thinking: {SECRET}",
    ],
)
def test_what_comes_twice_or_ends_early_still_goes(line: str, logs: reticent.Serializer) -> None:
    """A carrier under a key that comes again, or in an object without its end, is found with and without quotes."""
    assert SECRET not in logs.text(f"got {line}")
