#!/bin/sh
# The policy's own checks: canonical format, strict compilation against the schema, tests with full coverage.
set -eu
cd "$(dirname "$0")/.."
opa="$(sh scripts/install_opa.sh)/opa"

unformatted=$("$opa" fmt --list rego)
if [ -n "$unformatted" ]; then
    echo "not in canonical format (opa fmt --write rego): $unformatted" >&2
    exit 1
fi
"$opa" check --strict --schema rego/schemas rego

# Coverage prints JSON instead of the test report, so the tests run twice: once to be read, once to be counted.
"$opa" test rego
uncovered=$("$opa" test --coverage rego | "$opa" eval --stdin-input --format raw \
    'concat("\n", sort([sprintf("%s:%d", [file, line.start.row]) | line := input.files[file].not_covered[_]]))')
if [ -n "$uncovered" ]; then
    printf 'the tests of rego/ leave lines uncovered:\n%s\n' "$uncovered" >&2
    exit 1
fi
