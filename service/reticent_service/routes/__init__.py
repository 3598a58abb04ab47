"""One file for each group of paths; every one defines ``router``."""
