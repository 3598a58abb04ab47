#!/bin/sh
# Print the folder of the OPA named in .opa-version. One that RETICENT_OPA names or the PATH holds is taken if it is
# that version; else it is built with the Go toolchain, once, below RETICENT_CACHE (default ~/.cache/reticent).
# Progress goes to standard error.
set -eu
cd "$(dirname "$0")/.."
version=$(sed 's/^v//' .opa-version)
cache="${RETICENT_CACHE:-$HOME/.cache/reticent}/opa/$version"

is_pinned() {
    [ "$("$1" version 2>/dev/null | sed -n 's/^Version: //p')" = "$version" ]
}

for candidate in "${RETICENT_OPA:-}" "$(command -v opa || true)" "$cache/opa"; do
    if [ -n "$candidate" ] && is_pinned "$candidate"; then
        dirname "$candidate"
        exit 0
    fi
done

if ! command -v go >/dev/null; then
    echo "OPA $version is not here, and there is no Go toolchain to build it with." >&2
    echo "Install Go, or put an OPA of that version on the PATH or name it in RETICENT_OPA." >&2
    exit 1
fi
echo "building OPA $version: some minutes, once" >&2
mkdir -p "$cache"
GOBIN="$cache" go install "github.com/open-policy-agent/opa@v$version" >&2
is_pinned "$cache/opa" || { echo "the OPA built in $cache does not call itself $version" >&2; exit 1; }
echo "$cache"
