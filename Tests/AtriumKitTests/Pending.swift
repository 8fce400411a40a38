// Suites follow.
