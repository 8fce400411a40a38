internal import Synchronization

/// The servers' consent to store their answers to a repository's read.
///
/// A service returns a value without the header fields of its answer, so the client notes here that one has
/// `Cache-Control: no-store`, for the task that asked.
@_spi(Host) public final class StorageConsent: Sendable {
    // architecture: allow singleton, because each task has its own
    @TaskLocal private static var current: StorageConsent?
    private let isRefused = Mutex(false)

    /// True if the running task would store its answers, so that ``refuse()`` has an effect.
    public static var isAsked: Bool { current != nil }

    /// Notes that an answer must not be stored.
    public static func refuse() { current?.isRefused.withLock { $0 = true } }

    /// Runs work; returns its value, and true if it may be stored.
    nonisolated(nonsending) static func asking<Value>(
        _ work: nonisolated(nonsending) () async throws -> Value
    ) async throws -> (value: Value, mayStore: Bool) {
        let consent = StorageConsent()
        let value = try await $current.withValue(consent) { try await work() }
        return (value, !consent.isRefused.withLock { $0 })
    }
}
