// There is no entry.
