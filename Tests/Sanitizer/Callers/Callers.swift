import Glibc

/// Lets a thousand callers use one thing at once, for the thread sanitizer to look at.
///
///     callers cache | api | guarded | unguarded
///
/// The last two are what the sanitizer has to leave alone and what it has to report.
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

/// Lets a thousand callers call `body` five times each, as many at once as there are threads.
///
/// - Returns: How many calls that were; each gets its number.
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
