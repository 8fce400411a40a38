import Foundation
import Testing

/// Lets a thousand callers use what modules share, in a program that is built for the thread sanitizer.
///
/// `make sanitize` runs all tests of the data under it, which takes minutes.
@Suite(.enabled(if: SanitizedProgram.obstacle == nil, "\(SanitizedProgram.obstacle ?? "")"))
struct ThreadSanitizerTests {
    private static let program = Result { try SanitizedProgram() }

    @Test("a thousand callers of a cache do not race, changes among their calls")
    func cache() throws {
        let run = try Self.program.get().run("cache")

        #expect(run.output == "cache: 5000 calls, some answered from what is kept\n", "\(run.output)")
        #expect(run.status == 0)
    }

    @Test("a thousand callers of the API client do not race: a renewal, reads, changes, batches, metrics")
    func api() throws {
        let run = try Self.program.get().run("api")

        #expect(run.output == "api: 10000 calls, 1 renewal\n", "\(run.output)")
        #expect(run.status == 0)
    }

    @Test("a race is reported")
    func race() throws {
        let run = try Self.program.get().run("unguarded")

        #expect(run.output.contains("UnguardedCounts"), "\(run.output)")
        #expect(run.output.contains("WARNING: ThreadSanitizer: "), "\(run.output)")
        #expect(run.status == 66)
    }

    @Test("a lock that threads wait for is not reported")
    func lock() throws {
        let run = try Self.program.get().run("guarded")

        #expect(run.output == "4000 hits\n", "\(run.output)")
        #expect(run.status == 0)
    }
}
