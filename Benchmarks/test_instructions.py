#!/usr/bin/env python3
"""Tests of instructions.py: what fails make test."""
import json
import unittest

import instructions


class CompareTests(unittest.TestCase):
    def setUp(self):
        with open(instructions.KEPT) as file: self.kept = json.load(file)

    def test_a_figure_that_grows_by_more_than_a_tenth_fails(self):
        for name, count in self.kept.items():
            self.assertIsNone(instructions.compare({**self.kept, name: count * 1.09}, self.kept))
            fault = instructions.compare({**self.kept, name: count * 1.11}, self.kept)
            self.assertIn(name, fault)

    def test_what_gets_faster_is_no_fault(self):
        self.assertIsNone(instructions.compare({name: 1 for name in self.kept}, self.kept))

    def test_a_script_that_was_not_counted_fails(self):
        for name in self.kept:
            rest = {other: count for other, count in self.kept.items() if other != name}
            self.assertIn("Not every script", instructions.compare(rest, self.kept))

    def test_each_script_has_a_figure(self):
        self.assertEqual(set(self.kept), {"start", *instructions.SCRIPTS})


if __name__ == "__main__": unittest.main(verbosity=0)
