import Glibc

/// Runs 1,000 concurrent callers of one object under the thread sanitizer.
///
///     callers cache | api | guarded | unguarded
///
/// The sanitizer must not report `guarded`, and must report `unguarded`.
@main struct Callers {
    static func main() async throws {
        switch CommandLine.arguments.dropFirst().first {
        case "cache": print(try await CacheCalls().run())
        case "api": print(try await APICalls().run())
        case "guarded":
            let counts = GuardedCounts()
            inThreads(4) { for _ in 0..<1_000 { counts.hit() } }
            print("\(counts.hits) hits")
        case "unguarded":
            let counts = UnguardedCounts()
            inThreads(4) { counts.hit() }
            print("hits were counted")
        default:
            print("usage: callers cache | api | guarded | unguarded")
            exit(64)
        }
    }
}

/// Runs 1,000 concurrent callers that call `body` five times each.
///
/// - Parameter body: Gets the number of the call.
/// - Returns: The number of calls.
/// - Throws: The first error of `body`.
func atOnce(_ body: @escaping @Sendable (Int) async throws -> Void) async throws -> Int {
    let (callers, calls) = (1_000, 5)
    try await withThrowingTaskGroup { group in
        for caller in 0..<callers {
            group.addTask {
                for call in 0..<calls { try await body(caller * calls + call) }
            }
        }
        try await group.waitForAll()
    }
    return callers * calls
}

func require(_ isSo: Bool, _ sentence: String) {
    guard !isSo else { return }
    print("callers: \(sentence)")
    exit(1)
}
