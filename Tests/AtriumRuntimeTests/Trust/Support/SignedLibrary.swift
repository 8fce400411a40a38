import AtriumManifest
import TestSupport

@testable import AtriumLibraries

/// A library in a folder of its own, to be checked by a trust policy.
struct SignedLibrary {
    let folder = TemporaryFolder()
    let bytes: [UInt8]
    var digest: String { ContentDigest(of: bytes).description }
    var path: String { folder.path("libSession.so") }

    /// Writes the library, and a signature beside it unless that is nil.
    init(_ bytes: [UInt8] = Recorded.library, signature: String? = nil) {
        self.bytes = bytes
        folder.write(bytes, to: "libSession.so")
        if let signature { folder.write(signature.utf8, to: "libSession.so.minisig") }
    }

    /// The result of a policy's check.
    func check(
        _ policy: HostConfiguration.Trust.Policy, keys: [String] = [], lock: LockFile? = nil,
        copy: [UInt8]? = nil, digest: String? = nil
    ) -> Result<String, any Error> {
        Result {
            let policy = try TrustPolicy(
                HostConfiguration.Trust(policy: policy, keys: keys), lock: lock, lockPath: "modules.lock")
            return try policy.check(
                TrustPolicy.Library(
                    name: "Session", version: SemanticVersion(1, 1, 0), path: path,
                    digest: digest ?? self.digest,
                    bytes: { copy ?? bytes })
            ).words
        }
    }

    /// The error that a policy refuses with; nil if it accepts.
    func refusal(
        _ policy: HostConfiguration.Trust.Policy, keys: [String] = [], lock: LockFile? = nil,
        copy: [UInt8]? = nil, digest: String? = nil
    ) -> ModuleError? {
        guard case .failure(let error) = check(policy, keys: keys, lock: lock, copy: copy, digest: digest)
        else { return nil }
        return error as? ModuleError
    }
}
