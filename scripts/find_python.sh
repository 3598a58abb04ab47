#!/bin/sh
# Print the first Python on the PATH that is new enough and can make virtual environments.
# A version manager may put names on the PATH that do not run, so each candidate is tried.
set -eu
for name in ${RETICENT_PYTHON:-} python3 python3.13 python3.12 python3.11 python3.14 python; do
    if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        command -v "$name"
        exit 0
    fi
done
echo "reticent needs Python 3.11 or newer with the venv module (on Debian: apt-get install python3-venv)." >&2
exit 1
