@_spi(Host) import AtriumKit
import AtriumManifest
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

@Suite("The trust policy")
struct TrustPolicyTests {
    private static let pinned = String(repeating: "0123456789abcdef", count: 8)

    private func lock(_ digest: String, for name: String = "Session") -> LockFile {
        LockFile(modules: [name: LockFile.Entry(version: SemanticVersion(1, 0, 0), digest: digest)])
    }

    private func basis(_ result: Result<String, any Error>) throws -> String {
        try result.get()
    }

    // MARK: - any

    @Test("Policy 'any' accepts every library and reports the lock")
    func anyLibrary() throws {
        let library = SignedLibrary(signature: "no signature")

        #expect(try basis(library.check(.any)) == "not checked: the policy is 'any'")
        #expect(
            try basis(library.check(.any, lock: lock(library.digest, for: "Other")))
                == "not checked: the policy is 'any'")
        #expect(try basis(library.check(.any, lock: lock(library.digest))) == "pinned in modules.lock")
        #expect(
            try basis(library.check(.any, lock: lock(Self.pinned)))
                == "not checked: the policy is 'any'; differs from modules.lock, which pins 1.0.0 (0123456789abcdef…)"
        )
    }

    // MARK: - locked

    @Test("Policy 'locked' accepts a library that is pinned")
    func locked() throws {
        let library = SignedLibrary()

        #expect(try basis(library.check(.locked, lock: lock(library.digest))) == "pinned in modules.lock")
    }

    @Test("Policy 'locked' refuses a library with another digest, and the error gives both digests")
    func otherDigest() {
        let library = SignedLibrary(signature: Recorded.prehashed)

        let error = library.refusal(.locked, keys: [Recorded.key], lock: lock(Self.pinned))

        #expect(error?.code == .untrusted)
        #expect(error?.category == .module)
        #expect(
            error?.message == "Module 'Session' is not trusted: 'modules.lock' pins 1.0.0 with digest "
                + "0123456789abcdef…, this is 1.1.0 with digest \(library.digest.prefix(16))….")
        #expect(
            error?.hint
                == "Find out where '\(library.path)' comes from; if it may run, name it in modules.json and pin it with 'atrium lock'."
        )
    }

    @Test("Policy 'locked' refuses an unlisted module, and every module if there is no lock")
    func notLocked() {
        let library = SignedLibrary()

        #expect(
            library.refusal(.locked, lock: lock(library.digest, for: "Sessions"))?.message
                == "Module 'Session' is not trusted: 'modules.lock' does not list it.")
        #expect(
            library.refusal(.locked)?.message
                == "Module 'Session' is not trusted: there is no 'modules.lock'.")
    }

    @Test("A digest that differs in the last digit is refused")
    func lastDigit() {
        let library = SignedLibrary()
        let last = library.digest.last == "0" ? "1" : "0"

        #expect(library.refusal(.locked, lock: lock(library.digest.dropLast() + last)) != nil)
    }

    // MARK: - signed

    @Test("Policy 'signed' accepts a library signed by any of the keys")
    func signed() throws {
        let keys = [Recorded.otherKey, Recorded.key]

        #expect(
            try basis(SignedLibrary(signature: Recorded.prehashed).check(.signed, keys: keys))
                == "signed by key \(Recorded.key) (Session 1.0.0)")
        #expect(
            try basis(SignedLibrary(signature: Recorded.legacy).check(.signed, keys: keys))
                == "signed by key \(Recorded.key) (Session 1.0.0, legacy)")
        #expect(
            try basis(SignedLibrary(signature: Recorded.byOtherKey).check(.signed, keys: keys))
                == "signed by key \(Recorded.otherKey) (timestamp:1795259258 file:library hashed)")
    }

    @Test("With policy 'signed' the lock is only reported")
    func signedAndLocked() throws {
        let library = SignedLibrary(signature: Recorded.prehashed)

        #expect(
            try basis(library.check(.signed, keys: [Recorded.key], lock: lock(library.digest)))
                == "signed by key \(Recorded.key) (Session 1.0.0), pinned in modules.lock")
        #expect(
            try basis(library.check(.signed, keys: [Recorded.key], lock: lock(Self.pinned)))
                == "signed by key \(Recorded.key) (Session 1.0.0); differs from modules.lock, which pins 1.0.0 (0123456789abcdef…)"
        )
    }

    @Test("An unsigned library is refused even if it is pinned")
    func notSigned() {
        let library = SignedLibrary()

        let error = library.refusal(.signed, keys: [Recorded.key], lock: lock(library.digest))

        #expect(error?.code == .untrusted)
        #expect(
            error?.message
                == "Module 'Session' is not trusted: there is no signature '\(library.path).minisig'.")
        #expect(error?.hint == "Sign it: minisign -S -m '\(library.path)'")
    }

    @Test("A signature by another key is refused, and the error gives both key ids")
    func otherKey() {
        let library = SignedLibrary(signature: Recorded.byOtherKey)

        let error = library.refusal(.signed, keys: [Recorded.key])

        #expect(
            error?.message == "Module 'Session' is not trusted: its signature is by key "
                + "\(Recorded.otherKeyID), modules.json trusts \(Recorded.keyID).")
        #expect(
            error?.hint
                == "Have it signed by a trusted key, or add the signer's to \"keys\" in modules.json.")
    }

    @Test("A signature of other content is refused", arguments: [Recorded.prehashed, Recorded.legacy])
    func otherContent(signature: String) {
        for bytes in [Recorded.library + [0], Array(Recorded.library.dropLast()), []] {
            let library = SignedLibrary(bytes, signature: signature)

            let error = library.refusal(.signed, keys: [Recorded.key])

            #expect(error?.code == .untrusted)
            #expect(
                error?.message == "Module 'Session' is not trusted: '\(library.path).minisig', by key "
                    + "\(Recorded.keyID), is not the signature of this library: one of the two was changed.")
            #expect(
                error?.hint == "Restore the signed library, or sign this one: "
                    + "minisign -S -m '\(library.path)'")
        }
    }

    @Test("A legacy signature is refused if the bytes don't have the digest")
    func otherCopy() {
        let library = SignedLibrary(Array("other".utf8), signature: Recorded.legacy)

        let error = library.refusal(.signed, keys: [Recorded.key], copy: Recorded.library)

        #expect(error?.code == .untrusted)
        #expect(
            error?.message
                == "Module 'Session' is not trusted: its private copy changed while it was checked."
        )
    }

    @Test("An invalid digest is refused", arguments: ["", "00", "other"])
    func noDigest(digest: String) {
        let library = SignedLibrary(signature: Recorded.prehashed)

        let error = library.refusal(.signed, keys: [Recorded.key], digest: digest)

        #expect(error?.code == .untrusted)
    }

    @Test("The copy is not read for a prehashed signature")
    func copyIsNotRead() throws {
        let library = SignedLibrary(signature: Recorded.prehashed)

        #expect(throws: Never.self) {
            try library.check(.signed, keys: [Recorded.key], copy: Array("other".utf8)).get()
        }
    }

    @Test("An invalid signature file is refused with the reason")
    func noSignature() {
        let library = SignedLibrary(signature: "hello\n")

        let error = library.refusal(.signed, keys: [Recorded.key])

        #expect(
            error?.message == "Module 'Session' is not trusted: '\(library.path).minisig' is not a minisign "
                + "signature: a signature has 4 lines, this has 1 line.")
        #expect(error?.hint == "Sign it: minisign -S -m '\(library.path)'")
    }

    @Test("An unreadable or too large signature file is refused with the reason")
    func unreadableSignature() {
        let library = SignedLibrary()
        mkdir(library.path + ".minisig", 0o700)

        #expect(
            library.refusal(.signed, keys: [Recorded.key])?.message == "Module 'Session' is not trusted. "
                + "The file '\(library.path).minisig' can't be read: Is a directory.")

        rmdir(library.path + ".minisig")
        symlink("/dev/zero", library.path + ".minisig")

        let error = library.refusal(.signed, keys: [Recorded.key])
        #expect(error?.code == .untrusted)
        #expect(error?.message.hasSuffix("it is not a regular file.") == true)

        unlink(library.path + ".minisig")
        let long = SignedLibrary(
            signature: Recorded.prehashed + String(repeating: "\n", count: MinisignSignature.sizeLimit))

        #expect(
            long.refusal(.signed, keys: [Recorded.key])?.message.hasSuffix("it is larger than 16000 bytes.")
                == true)
    }

    @Test("Without keys no signature is accepted")
    func noKeys() {
        let error = SignedLibrary(signature: Recorded.prehashed).refusal(.signed)

        #expect(error?.code == .untrusted)
        #expect(error?.message.hasSuffix("by key \(Recorded.keyID), modules.json trusts no key.") == true)
    }

    @Test("A comment is shown as one printable line")
    func printable() {
        #expect(TrustPolicy.printable("a\tb\u{1B}[31m\u{202E}c\u{2028}") == "a b [31mc ")
    }

    @Test("An invalid key is reported as an error of modules.json")
    func wrongKey() {
        let error = #expect(throws: ConfigurationError.self) {
            try TrustPolicy(
                HostConfiguration.Trust(policy: .signed, keys: ["RW"]), lock: nil, lockPath: "modules.lock")
        }

        #expect(
            error?.message
                == "'RW' in modules.json is not a minisign public key: a public key has 56 characters, not 2."
        )
    }
}
