// Defines no entry.
