import AtriumKit
import AtriumNetworking
import BenchSupport
import Glibc
import HTTPTransport
import MainQueue

/// Times API calls through the manager and through the transport alone.
///
/// Usage: api SERVER, where SERVER is `http://127.0.0.1:8787`, started with `--faults --seed`. Reads lines of
/// words, separated by tabs:
/// - `call CASE SIDE TIMES` makes a call; CASE is `get`, `page`, `confirmed`, `fresh`, `create` or `batch`,
///   SIDE is `manager` or `transport`
/// - `instant CASE SIDE TIMES` does the same over a transport that responds at once; CASE is `get` or `page`
/// - `expired KIND CALLS` makes concurrent calls with an expired token; KIND is `known`, or `refused` if only
///   the server knows
///
/// Calls are made off the main actor. Results begin with wall-clock and processor time in nanoseconds.
@MainActor
func answer(
    _ words: [String], _ server: String, _ calls: (wire: Calls, instant: Calls)
) async throws -> String {
    let count = Int(words[words.count - 1])!
    switch words[0] {
    case "call": return try await run(calls.wire, words, count)
    case "instant": return try await run(calls.instant, words, count)
    default:
        let transport = calls.wire.alone.transport
        return try await Task.detached {
            try await Expiry.run(transport, server: server, isKnown: words[1] == "known", count)
        }.value
    }
}

func run(_ calls: Calls, _ words: [String], _ count: Int) async throws -> String {
    try await Task.detached {
        try await calls.run(words[1], isManaged: words[2] == "manager", count)
    }.value
}

Task { @MainActor in
    let server = CommandLine.arguments[1]
    let transport = CurlTransport()
    let tokens = try await Expiry.signIn(try Calls.makeManager(transport, server))
    let instant = try await InstantTransport(transport, server: server)
    let calls = (
        wire: try await Calls(transport, server: server, tokens: tokens),
        instant: try await Calls(instant, server: server, tokens: tokens)
    )
    while let line = readLine() {
        print(try await answer(line.split(separator: "\t").map(String.init), server, calls))
        fflush(nil)
    }
    exit(0)
}
MainQueue.run()
