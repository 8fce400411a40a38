import BenchSupport
import Glibc
import MainQueue

/// Measures the layers of a module with nothing in them.
///
/// Reads lines of words between tabs:
/// - `cost NAME TIMES` runs a loop on the main actor; NAME is `observed`, `plain`, `repository`, `service` or
///   `actor`; answers nanoseconds of wall clock and of processor time
/// - `memory KIND COUNT` is what `model` and `session` take, in bytes
/// - `kept TASKS TIMES` is how many updates were not lost
@MainActor
func answer(_ words: [String]) async throws -> String {
    let count = Int(words[words.count - 1])!
    switch words[0] {
    case "cost": return try await Costs.run(words[1], count)
    case "kept": return "\(await Costs.keptUpdates(Int(words[1])!, count))"
    default: return words[1] == "model" ? Costs.modelMemory(count) : Costs.sessionMemory(count)
    }
}

Task { @MainActor in
    while let line = readLine() {
        print(try await answer(line.split(separator: "\t").map(String.init)))
        fflush(nil)
    }
    exit(0)
}
MainQueue.run()
