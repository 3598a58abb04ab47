#!/bin/sh
# Formatting and lints of the native settle pass. Its Cargo.toml says which lints are errors.
set -eu
cd "$(dirname "$0")/.."
. scripts/cargo_path.sh
cd native
cargo fmt --check
cargo clippy --quiet --locked
