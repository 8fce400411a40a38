package import AtriumKit
internal import AtriumManifest

/// A build of a module that all hosts of a database take, some at a time; as its row says.
///
/// Whoever can write into the database can write the row. What a host does is decided by its ``order``, once
/// ``RolloutGate`` has checked that.
package struct Rollout: Sendable, Hashable {
    package let id: Int
    package let module: String
    package let version: String
    /// The library for the machine of the host that began it.
    let digest: String
    let batch: Int
    let wait: Double
    /// What was signed; nil if nothing was, or too much.
    let order: RolloutOrder.Signed?
    package let state: State
    /// Why it does not go on.
    package let reason: String?
    /// The name of the host that began it, and when, by the server's clock.
    package let host: String
    package let began: Timestamp
    /// For how many seconds it has been under way.
    let age: Double
    package let hosts: [Member]

    package enum State: String, Sendable {
        /// Hosts take it.
        case running
        /// The hosts that have taken it go back.
        case returning
        /// Every host that was waited for has it; those that were away take it when they start.
        case done
        /// A host could not take it, or a user ended it; all have gone back.
        case failed, aborted

        package var isActive: Bool { self == .running || self == .returning }
    }

    /// What a host has done.
    package struct Member: Sendable, Hashable {
        package let identity: String
        package let name: String
        package let state: State
        package let detail: String?
        /// For how many seconds it has been in the state.
        let age: Double

        package enum State: String, Sendable {
            case taking, done, failed, returned
        }
    }
}

/// A signed library, stored once in the database, by its digest.
package struct SharedLibrary: Sendable {
    let digest: String
    let module: String
    let version: SemanticVersion
    let kind: Kind
    let bytes: [UInt8]
    let signature: [UInt8]

    /// What a host has to have to load it.
    struct Kind: Hashable {
        /// Such as `x86_64`.
        let machine: String
        let sdk: SemanticVersion
        let inlinedLayout: Int
        let compiler: String

        var fitsThisHost: Bool {
            machine == SharedLibrary.machine
                && (try? Contract.check("", sdk: sdk, inlinedLayout: inlinedLayout, compiler: compiler))
                    != nil
        }
    }

    static var machine: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "other"
        #endif
    }
}

extension SharedLibrary.Kind {
    /// The kind of a library that fits this host: without its stamps it would not have been checked.
    init(_ manifest: ModuleManifest) {
        self.init(
            machine: SharedLibrary.machine, sdk: manifest.sdk ?? SDKVersion.current,
            inlinedLayout: manifest.inlinedLayout ?? SDKVersion.inlinedLayout,
            compiler: manifest.compiler ?? Contract.compiler)
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
