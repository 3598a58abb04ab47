"""Integrations, one file per framework, imported by name; none is imported by the library itself."""
