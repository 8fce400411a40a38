package import Testing

/// Runs tests that use the shared session one at a time, across suites and targets.
///
///     @Suite("Session module", .sharedSession)
package struct SharedSessionTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await SharedSessionLock.shared.lock()
        let result: Result<Void, any Error>
        do { result = .success(try await function()) } catch { result = .failure(error) }
        await SharedSessionLock.shared.unlock()
        try result.get()
    }
}

extension Trait where Self == SharedSessionTrait {
    /// The test uses `SessionManager.shared`; no other test with this trait runs at the same time.
    package static var sharedSession: SharedSessionTrait { SharedSessionTrait() }
}

private actor SharedSessionLock {
    static let shared = SharedSessionLock()
    private var isLocked = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func lock() async {
        guard isLocked else { return isLocked = true }
        await withCheckedContinuation { waiting.append($0) }
    }

    func unlock() {
        if waiting.isEmpty { isLocked = false } else { waiting.removeFirst().resume() }
    }
}
