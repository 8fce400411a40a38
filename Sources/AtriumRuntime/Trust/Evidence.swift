/// What a library was let pass for.
package struct Evidence: Sendable, Hashable {
    /// What the policy demanded and found.
    package enum Basis: Sendable, Hashable {
        /// The policy demands nothing.
        case nothing
        /// The digest is the one that the lock pins.
        case lock
        /// The library is signed by a key of modules.json.
        case signature(key: MinisignKey, comment: String)
    }

    /// What the lock says, whether or not the policy asks for it.
    package enum LockState: Sendable, Hashable {
        /// Nothing.
        case unlisted
        /// It pins this very digest.
        case same
        /// It pins another one.
        case differs(LockFile.Entry)
    }

    package let basis: Basis
    package let lockState: LockState

    init(_ basis: Basis, _ lockState: LockState) {
        self.basis = basis
        self.lockState = lockState
    }
}

extension Evidence: CustomStringConvertible {
    /// A phrase for people: `pinned in modules.lock`.
    package var description: String {
        switch (basis, lockState) {
        case (.lock, _), (.nothing, .same): "pinned in \(LockFile.name)"
        case (.nothing, _): "not checked: the policy is 'any'\(addition)"
        case (.signature(let key, let comment), _):
            "signed by key \(key) (\(Self.printable(comment)))\(addition)"
        }
    }

    private var addition: String {
        switch lockState {
        case .unlisted: ""
        case .same: ", pinned in \(LockFile.name)"
        case .differs(let entry):
            "; differs from \(LockFile.name), which pins \(entry.version) (\(entry.shortDigest))"
        }
    }

    /// One printable line; minisign puts tabs between the parts of a comment of its own.
    private static func printable(_ comment: String) -> String {
        String(
            comment.unicodeScalars.reduce(into: String.UnicodeScalarView()) { text, scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: text.append(" ")
                case .format: break
                default: text.append(scalar)
                }
            })
    }
}

extension LockFile.Entry {
    /// Enough of the digest to tell it from another by eye.
    var shortDigest: String { Self.short(digest) }

    /// The first 16 digits of a digest.
    static func short(_ digest: String) -> String { "\(digest.prefix(16))…" }
}
