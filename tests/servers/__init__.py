"""Real servers for tests: PostgreSQL and Redis, each started once for a test run and thrown away after it."""
