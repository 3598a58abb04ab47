"""A provider simulator for tests: it issues signed turns and takes a history back only under the provider's rules."""
