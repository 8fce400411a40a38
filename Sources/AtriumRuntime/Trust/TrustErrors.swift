package import AtriumKit
internal import AtriumManifest
internal import Glibc

/// Locks.
extension ModuleError {
    static func noLock(_ module: TrustPolicy.Library, _ lock: String) -> ModuleError {
        untrusted(module, "there is no '\(lock)'", hint: lookThenLock(module))
    }

    static func notLocked(_ module: TrustPolicy.Library, in lock: String) -> ModuleError {
        untrusted(module, "'\(lock)' does not list it", hint: lookThenLock(module))
    }

    static func otherDigest(
        _ module: TrustPolicy.Library, pinned: LockFile.Entry, in lock: String
    ) -> ModuleError {
        let found = LockFile.Entry(version: module.version, digest: module.digest)
        return untrusted(
            module,
            "'\(lock)' pins \(pinned.version) with digest \(pinned.shortDigest), "
                + "this is \(found.version) with digest \(found.shortDigest)",
            hint: lookThenLock(module))
    }

    private static func lookThenLock(_ module: TrustPolicy.Library) -> String {
        "Find out where '\(module.path)' comes from; if it may run, name it in modules.json and pin it with 'atrium lock'."
    }
}

/// Signatures.
extension ModuleError {
    static func notSigned(_ module: TrustPolicy.Library) -> ModuleError {
        untrusted(module, "there is no signature '\(module.signaturePath)'", hint: sign(module))
    }

    static func signatureUnreadable(_ module: TrustPolicy.Library, _ error: any Error) -> ModuleError {
        let reason = (error as? any ExplainedError)?.message ?? "Its signature can't be read."
        return ModuleError(
            .untrusted, "Module '\(module.name)' is not trusted. \(reason)",
            hint: "Make '\(module.signaturePath)' a readable file.", cause: error)
    }

    static func notASignature(_ module: TrustPolicy.Library, _ error: MinisignError) -> ModuleError {
        untrusted(
            module, "'\(module.signaturePath)' is not a minisign signature: \(error.reason)",
            hint: sign(module), cause: error)
    }

    static func otherKey(
        _ module: TrustPolicy.Library, _ found: MinisignKeyID, trusted: [MinisignKeyID]
    ) -> ModuleError {
        let trusted = trusted.isEmpty ? "no key" : trusted.map(\.description).joined(separator: " and ")
        return untrusted(
            module, "its signature is by key \(found), modules.json trusts \(trusted)",
            hint: "Have it signed by a trusted key, or add the signer's to \"keys\" in modules.json.")
    }

    static func otherContent(_ module: TrustPolicy.Library, _ key: MinisignKeyID) -> ModuleError {
        untrusted(
            module,
            "'\(module.signaturePath)', by key \(key), is not the signature of this library: "
                + "one of the two was changed",
            hint: "Restore the signed library, or sign this one: \(command(module))")
    }

    static func otherComment(_ module: TrustPolicy.Library) -> ModuleError {
        untrusted(
            module, "the trusted comment in '\(module.signaturePath)' was changed after it was signed",
            hint: sign(module))
    }

    static func otherCopy(_ module: TrustPolicy.Library) -> ModuleError {
        untrusted(
            module, "its private copy changed while it was checked",
            hint: "Try again; find out what else writes to the data folder.")
    }

    private static func sign(_ module: TrustPolicy.Library) -> String {
        "Sign it: \(command(module))"
    }

    private static func command(_ module: TrustPolicy.Library) -> String {
        "minisign -S -m \(quoted(module.path))"
    }

    /// A path as one word of a shell.
    private static func quoted(_ path: String) -> String {
        "'\(path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    }

    private static func untrusted(
        _ module: TrustPolicy.Library, _ reason: String, hint: String, cause: (any Error)? = nil
    ) -> ModuleError {
        ModuleError(
            .untrusted, "Module '\(module.name)' is not trusted: \(reason).", hint: hint, cause: cause)
    }
}

/// Permissions.
extension ModuleError {
    static func writable(_ path: String, by writers: Permissions.Writers, isFolder: Bool) -> ModuleError {
        let what = isFolder ? "The folder '\(path)', which holds a library," : "The library '\(path)'"
        switch writers {
        case .owner(let owner):
            return ModuleError(
                .writableByOthers, "\(what) belongs to user \(owner), who can change it.",
                hint: "Check it and make it yours with 'chown', or use a copy of your own.")
        case .group(let group):
            return ModuleError(
                .writableByOthers, "\(what) can be changed by everybody in group \(group).",
                hint: "chmod g-w \(quoted(path))")
        case .everybody:
            return ModuleError(
                .writableByOthers, "\(what) can be changed by everybody.", hint: "chmod go-w \(quoted(path))")
        }
    }

    static func folderUnreadable(_ path: String, errno: CInt) -> ModuleError {
        ModuleError(
            .libraryNotFound, "The folder '\(path)' can't be looked at: \(String(cString: strerror(errno))).",
            hint: "Try again when it no longer changes.")
    }
}

extension ErrorCode {
    /// A library lacks what the policy in modules.json demands.
    package static let untrusted: ErrorCode = "untrusted"
    /// A library or its folder can be written by somebody else.
    package static let writableByOthers: ErrorCode = "writableByOthers"
}

extension ConfigurationError {
    static func lockUnreadable(_ error: any Error) -> ConfigurationError {
        let unreadable = ConfigurationError.unreadable(error)
        return ConfigurationError(
            code: "lockUnreadable", message: unreadable.message,
            hint: "Make it readable, or write it again with 'atrium lock'.", cause: error)
    }

    static func lockInvalid(_ path: String, _ error: ManifestError) -> ConfigurationError {
        ConfigurationError(
            code: "lockInvalid", message: "'\(path)' is invalid: \(error.sentence)",
            hint: "Restore the file, or write it again with 'atrium lock'.", cause: error)
    }

    static func notAKey(_ text: String, _ error: MinisignError) -> ConfigurationError {
        ConfigurationError(
            code: "configurationInvalid",
            message: "'\(text)' in modules.json is not a minisign public key: \(error.reason).",
            hint: "Copy the line that begins with RW out of the .pub file.", cause: error)
    }
}
