package import AtriumKit

/// A build of a module that all hosts of a database take, in batches, as described by its row.
///
/// Anyone who can write to the database can write the row. A host acts on the ``order`` alone, once
/// ``RolloutGate`` has checked it.
package struct Rollout: Sendable, Hashable {
    package let id: Int
    package let module: String
    package let version: String
    /// The library for the machine type of the host that began it.
    let digest: String
    let batch: Int
    let wait: Double
    /// The signed order; nil if there is none, or it is too large.
    let order: RolloutOrder.Signed?
    package let state: State
    /// The reason why it stopped.
    package let reason: String?
    /// The name of the host that began it, and the start time by the server's clock.
    package let host: String
    package let began: Timestamp
    /// The seconds since it began.
    let age: Double
    package let hosts: [Member]

    package enum State: String, Sendable {
        /// Hosts are taking it.
        case running
        /// The hosts that took it are going back.
        case returning
        /// Every expected host has it; absent ones take it when they start.
        case done
        /// A host could not take it, or a user aborted it; all have gone back.
        case failed, aborted

        package var isActive: Bool { self == .running || self == .returning }
    }

    /// A host's part in the rollout.
    package struct Member: Sendable, Hashable {
        package let identity: String
        package let name: String
        package let state: State
        package let detail: String?
        /// The seconds since it entered the state.
        let age: Double

        package enum State: String, Sendable {
            case taking, done, failed, returned
        }
    }
}

struct RolloutError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?
    let cause: (any Error)?
    var category: ErrorCategory { .module }

    init(_ code: ErrorCode, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        (self.code, self.message, self.hint, self.cause) = (code, message, hint, cause)
    }
}
