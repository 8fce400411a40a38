import BenchSupport
import Glibc
import MainQueue

/// Measures the empty layers of a module.
///
/// Reads lines of words, separated by tabs:
/// - `cost NAME TIMES` runs a loop on the main actor; NAME is `observed`, `plain`, `repository`, `service` or
///   `actor`; prints wall-clock and processor time in nanoseconds
/// - `memory KIND COUNT` prints the size of `model` or `session` in bytes
/// - `kept TASKS TIMES` prints how many concurrent updates were applied
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
