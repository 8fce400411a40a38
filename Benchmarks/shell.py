"""Measures trivial commands through a pipe."""
import os

from tools import Figure, Host

BATCHES, LINES, LEAST = 9, 100_000, 100_000


def measure(build, folder):
    data = os.path.join(folder, "fresh")
    figures = []
    for what, options, answer in [
            ("shell: 100,000 × where, text", [], (4, b"Environment ")),
            ("shell: 100,000 × where, --json", ["--json"], (1, b'"ok":true'))]:
        rates, processor = [], []
        with Host(build, data, *options) as host:
            # The first reply has no empty line before it.
            host.batch(["where"], answer[0] if options else 3, answer[1])
            for _ in range(BATCHES):
                wall, busy = host.batch(["where"] * LINES, *answer)
                rates.append(LINES / wall * 1e9)
                processor.append(LINES / busy * 1e9)
        least = [LEAST] * BATCHES
        figures.append(Figure(
            what, "least", "/s", rates, least, 1.0, processor_ours=processor, processor_reference=least,
            at_least=True))
    return figures
