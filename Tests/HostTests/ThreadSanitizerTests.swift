import Foundation
import Testing

/// Runs a thousand concurrent callers in a program that is built for the thread sanitizer.
///
/// `make sanitize` runs all data tests under it, which takes minutes.
@Suite(.enabled(if: SanitizedProgram.obstacle == nil, "\(SanitizedProgram.obstacle ?? "")"))
struct ThreadSanitizerTests {
    private static let program = Result { try SanitizedProgram() }

    @Test("A thousand concurrent callers of a cache, with changes among them, do not race")
    func cache() throws {
        let run = try Self.program.get().run("cache")

        #expect(run.output == "cache: 5000 calls, some answered from what is kept\n", "\(run.output)")
        #expect(run.status == 0)
    }

    @Test(
        "A thousand concurrent callers of the API client do not race: refresh, reads, changes, batches, metrics"
    )
    func api() throws {
        let run = try Self.program.get().run("api")

        #expect(run.output == "api: 10000 calls, 1 renewal\n", "\(run.output)")
        #expect(run.status == 0)
    }

    @Test("A data race is reported")
    func race() throws {
        let run = try Self.program.get().run("unguarded")

        #expect(run.output.contains("UnguardedCounts"), "\(run.output)")
        #expect(run.output.contains("WARNING: ThreadSanitizer: "), "\(run.output)")
        #expect(run.status == 66)
    }

    @Test("A contended lock is not reported")
    func lock() throws {
        let run = try Self.program.get().run("guarded")

        #expect(run.output == "4000 hits\n", "\(run.output)")
        #expect(run.status == 0)
    }
}
