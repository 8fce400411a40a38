/// A fault of a service: its calls fail, or take longer, until it is ended.
@_spi(Host) public struct CallFault: Sendable {
    /// The method without labels; nil for all.
    public let method: String?
    /// The code of the error with which calls fail; nil if they don't.
    public let error: ErrorCode?
    /// The time that asynchronous calls wait first.
    public let delay: Duration?
    /// The share of the calls that it hits, from 0 to 1; spread evenly, so that two runs are the same.
    public let rate: Double
    /// The number of calls that it hit.
    public private(set) var hits = 0
    private var calls = 0

    public init(method: String?, error: ErrorCode?, delay: Duration?, rate: Double) {
        (self.method, self.error, self.delay, self.rate) = (method, error, delay, rate)
    }

    /// Counts a call; nil if the fault does not hit it.
    mutating func next(_ key: MockDirector.Key) -> Effect? {
        calls += 1
        guard Double(calls) * rate >= Double(hits + 1) - 1e-9 else { return nil }
        hits += 1
        return Effect(
            error: error.map { ServiceError.fault(of: key.service, $0) }, delay: delay)
    }

    struct Effect {
        let error: ServiceError?
        let delay: Duration?

        /// Waits and throws, as far as the method can throw the error; a cancelled task waits no longer.
        nonisolated(nonsending) func happen<Failure: Error>(_ type: Failure.Type) async throws(Failure) {
            if let delay {
                do { try await Task.sleep(for: delay) } catch {
                    if let error = error as? Failure { throw error }
                }
            }
            try fail(type)
        }

        func fail<Failure: Error>(_ type: Failure.Type) throws(Failure) {
            if let error = error as? Failure { throw error }
        }
    }
}

extension ServiceError {
    fileprivate static func fault(of service: String, _ code: ErrorCode) -> ServiceError {
        ServiceError(
            code, "The \(Words.label(forKey: service).lowercased()) fails: a fault is set.",
            hint: "fault \(service) --end")
    }
}
