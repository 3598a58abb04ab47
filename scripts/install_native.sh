#!/bin/sh
# Build the native settle pass of native/ with cargo and install it for the interpreter given as the first argument.
# What cargo makes is kept below RETICENT_CACHE (default ~/.cache/reticent), so that a second build takes seconds.
set -eu
cd "$(dirname "$0")/.."
python=$1

. scripts/cargo_path.sh
if ! command -v cargo >/dev/null; then
    echo "there is no cargo to build the native pass with; reticent does the same work in Python without it" >&2
    exit 1
fi
echo "building reticent-native"
"$python" -m uv pip install --quiet --python "$python" --refresh-package reticent-native \
    --reinstall-package reticent-native ./native ||
    "$python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps ./native
