"""Measures the cost of each empty layer of a module, and whether concurrent updates are applied."""
from tools import Figure, Program, compared, numbers

BATCHES, BATCH = 61, 0.01e9
OBJECTS = 10_000
TASKS, UPDATES = 1_000, 100
# The label, the label of the other side, and the names of both in Sources/layers.
COSTS = [
    ("a property of a view model, read and written", "without observation", "observed", "plain"),
    ("a service called through its repository", "the service called", "repository", "service"),
    ("an actor's function, from the main actor and back", "a service without an actor", "actor", "service")]


def measure(build):
    with Program(build.layers) as program:
        return [cost(program, *case) for case in COSTS] + sizes(program)


def cost(program, what, name, *sides):
    run = lambda side, times: numbers(program, "cost", side, times)
    times = int(BATCH / max(run(side, 1_000)[0] / 1_000 for side in sides))
    return compared(what, name, None, lambda side: run(side, times), times, sides, BATCHES, "ns")


def sizes(program):
    """Measures the size of empty objects as malloc counts it, and counts applied concurrent updates."""
    model, plain = numbers(program, "memory", "model", OBJECTS)
    guest, person = numbers(program, "memory", "session", OBJECTS)
    kept, = numbers(program, "kept", TASKS, UPDATES)
    return [
        Figure("memory of an empty view model", "without observation", "bytes", [model], [plain]),
        Figure("memory of the session, somebody signed in", "a guest", "bytes", [person], [guest]),
        Figure(
            f"updates of a view model by {TASKS:,} tasks, kept", "made", "", [kept], [TASKS * UPDATES], 1,
            at_least=True)]
