@_spi(Host) import AtriumKit
import BenchSupport
import Glibc
import MallocStatistics

/// Measures the cost of a module's empty layers.
@MainActor
enum Costs {
    /// Runs a loop on the main actor; returns wall-clock and processor time in nanoseconds.
    static func run(_ name: String, _ times: Int) async throws -> String {
        switch name {
        case "observed": return loop(ObservedModel(), times) { $0.add() }
        case "plain": return loop(PlainModel(), times) { $0.add() }
        case "repository":
            let repository = NumberRepository(service: CountingService())
            return try await loop(times) { try await repository.next(after: $0) }
        case "service": return try await loop(CountingService(), times)
        default: return try await loop(NumberActor(), times)
        }
    }

    private static func loop<Model: AnyObject>(
        _ model: Model, _ times: Int, _ step: @MainActor (Model) -> Void
    ) -> String {
        let start = Stopwatch()
        for _ in 0..<times { step(model) }
        return start.elapsed
    }

    private static func loop(_ service: any NumberService, _ times: Int) async throws -> String {
        try await loop(times) { try await service.next(after: $0) }
    }

    private static func loop(
        _ times: Int, _ step: @MainActor (Int) async throws -> Int
    ) async throws -> String {
        var number = 0
        let start = Stopwatch()
        while number < times { number = try await step(number) }
        return start.elapsed
    }

    /// The average size of `count` empty models, with and without observation.
    static func modelMemory(_ count: Int) -> String {
        "\(memory(count) { ObservedModel() } / count) \(memory(count) { PlainModel() } / count)"
    }

    /// The size of a session in bytes: a guest's, and that of a signed-in person.
    static func sessionMemory(_ count: Int) -> String {
        let guest = memory(count) { SessionManager.isolated() } / count
        let signedIn = memory(count) {
            let session = SessionManager.isolated()
            let writer = SessionWriter(session)
            // Strings of more than 15 bytes are allocated separately.
            writer.signIn(
                SessionUser(id: text(36), email: text(24), displayName: "Ada Lovelace"),
                credential: SessionCredential(
                    token: text(200), expiresAt: Timestamp(microseconds: 0)))
            return session
        }
        return "\(guest) \(signedIn / count)"
    }

    /// How many updates a model has applied that were made by concurrent tasks.
    static func keptUpdates(_ tasks: Int, _ times: Int) async -> Int {
        let model = ObservedModel()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask { for _ in 0..<times { await model.add() } }
            }
        }
        return model.count
    }

    private static func text(_ length: Int) -> String {
        String(decoding: (0..<length).map { _ in UInt8.random(in: 97...122) }, as: UTF8.self)
    }

    /// The bytes that objects take, without the array that holds them.
    private static func memory(_ count: Int, _ make: () -> AnyObject) -> Int {
        var objects: [AnyObject] = [make()]
        objects.reserveCapacity(count + 1)
        let before = allocated()
        for _ in 0..<count { objects.append(make()) }
        return withExtendedLifetime(objects) { allocated() - before }
    }

    /// Bytes that malloc has allocated.
    private static func allocated() -> Int {
        let info = mallinfo2()
        return Int(info.uordblks + info.hblkhd)
    }
}
