import AtriumKit
import AtriumNetworking
import BenchSupport
import Glibc

struct SystemTime: WallClock {
    func now() -> Timestamp {
        Timestamp(microseconds: Int64(nanoseconds(CLOCK_REALTIME) / 1_000))
    }
}

/// Calls through the manager, and through the transport alone.
struct Calls: Sendable {
    let manager: APIManager
    let alone: Alone
    private static let batchCount = 64
    private static let batchWidth = 8

    /// Makes calls of a signed-in person over `transport`.
    init(_ transport: any HTTPTransport, server: String, tokens: AccessTokens) async throws {
        manager = try Self.makeManager(transport, server)
        try await manager.use(tokens)
        alone = Alone(transport, server: server, accessToken: tokens.accessToken)
    }

    static func makeManager(_ transport: any HTTPTransport, _ server: String) throws -> APIManager {
        APIManager(
            configuration: try APIConfiguration(url: server), transport: { transport },
            tokens: MemoryTokenStore(), clock: SystemTime())
    }

    /// Makes a call a number of times, one after the other.
    ///
    /// Responses that must be cached are requested before the clock starts.
    ///
    /// - Returns: Wall-clock and processor time in nanoseconds.
    func run(_ name: String, isManaged: Bool, _ times: Int) async throws -> String {
        let stored = try await prepared(name, isManaged: isManaged)
        var rows = 0
        let start = Stopwatch()
        for _ in 0..<times {
            rows += isManaged ? try await managed(name) : try await bare(name, stored)
        }
        let elapsed = start.elapsed
        precondition(rows >= times, "Something was not answered.")
        return elapsed
    }

    private func prepared(_ name: String, isManaged: Bool) async throws -> HTTPResponse? {
        switch (name, isManaged) {
        case ("confirmed", true): _ = try await manager.request(.page().reloaded)
        case ("confirmed", false): return try await alone.stored()
        case ("fresh", true): _ = try await manager.request(.entity(1).reloaded)
        default: break
        }
        return nil
    }

    private func managed(_ name: String) async throws -> Int {
        switch name {
        case "get": try await manager.request(.entity(1).unstored).id
        case "page": try await manager.request(.page().unstored).rows.count
        case "confirmed": try await manager.request(.page()).rows.count
        case "fresh": try await manager.request(.entity(1)).id
        case "create": try await manager.request(.create()).id
        default: try await managedBatch()
        }
    }

    private func bare(_ name: String, _ stored: HTTPResponse?) async throws -> Int {
        switch name {
        case "get", "fresh": try await alone.entity(1).id
        case "page": try await alone.page().rows.count
        case "confirmed": try await alone.confirmed(stored!).rows.count
        case "create": try await alone.create().id
        default: try await bareBatch()
        }
    }

    private func managedBatch() async throws -> Int {
        let endpoints = (1...Self.batchCount).map { Endpoint.entity($0).unstored }
        return try await manager.batch(endpoints, width: Self.batchWidth)
            .reduce(0) { $0 + (try $1.get().id > 0 ? 1 : 0) }
    }

    private func bareBatch() async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            var (answered, next) = (0, 1)
            while next <= Self.batchCount {
                if next > Self.batchWidth { answered += try await group.next() ?? 0 }
                let id = next
                group.addTask { try await alone.entity(id).id > 0 ? 1 : 0 }
                next += 1
            }
            return try await group.reduce(answered, +)
        }
    }
}
