# Sourced by scripts that need cargo: finds the one of rustup, too, and keeps what it makes out of the checkout.
if ! command -v cargo >/dev/null && [ -x "$HOME/.cargo/bin/cargo" ]; then
    PATH="$HOME/.cargo/bin:$PATH"
fi
export PATH CARGO_TARGET_DIR="${RETICENT_CACHE:-$HOME/.cache/reticent}/native"
