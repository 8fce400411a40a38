internal import AtriumKit
package import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// The digests that pin the libraries of modules and of the contracts that they are built on: `modules.lock`.
///
/// ```json
/// {
///   "version": 1,
///   "modules": {
///     "Session": { "version": "1.0.0", "blake2b": "<128 hexadecimal digits>" }
///   },
///   "contracts": {
///     "libPayments.so.1": { "version": "1.1.0", "blake2b": "<128 hexadecimal digits>" }
///   }
/// }
/// ```
package struct LockFile: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        /// The version in its manifest, for information; only the digest is checked.
        package let version: SemanticVersion
        /// The BLAKE2b digest of its library, as `b2sum` prints it.
        package let digest: String

        package init(version: SemanticVersion, digest: String) {
            (self.version, self.digest) = (version, digest)
        }

        /// The first 16 digits of the digest.
        var shortDigest: String { "\(digest.prefix(16))…" }
    }

    /// The file's name; the file is beside `modules.json`.
    static let name = "modules.lock"
    static let formatVersion = 1

    package let modules: [String: Entry]
    /// The contracts by the names of their libraries, as two major versions may be in use.
    package let contracts: [String: Entry]

    package init(modules: [String: Entry] = [:], contracts: [String: Entry] = [:]) {
        (self.modules, self.contracts) = (modules, contracts)
    }

    /// Reads the text of a lock file; `file` is its name in messages.
    ///
    /// - Throws: ``ManifestError`` with all errors at once.
    package init(json: [UInt8], file: String) throws(ManifestError) {
        var reader = try DocumentReader(json, file: file)
        let root = reader.root
        if let version = root["version"], version.value.plain != .integer(Int64(Self.formatVersion)) {
            // Another format may differ in any way, so nothing else is reported.
            reader.report(version, "This host reads version \(Self.formatVersion) of the format.")
            try reader.finish()
        }
        reader.checkObject(
            root, keys: ["version", "modules", "contracts"], required: ["version", "modules"])
        modules = Self.entries(root["modules"], keys: .moduleName, &reader)
        contracts = Self.entries(root["contracts"], keys: nil, &reader)
        try reader.finish()
    }

    private static func entries(
        _ field: DocumentReader.Field?, keys format: TextFormat?, _ reader: inout DocumentReader
    ) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for member in reader.members(field, keys: format) {
            let (entry, keys) = (member.field, ["version", "blake2b"])
            reader.checkObject(entry, keys: keys, required: keys)
            let version = reader.version(entry["version"])
            if let digest = reader.text(entry["blake2b"], digest) {
                entries[member.key] = Entry(version: version, digest: digest)
            }
        }
        return entries
    }

    private static let digest = TextFormat(
        name: "BLAKE2b digest", allowed: "128 of the digits 0-9 and a-f, as 'b2sum' prints them"
    ) { ContentDigest(hexadecimal: $0) != nil }

    /// Reads a lock file.
    ///
    /// - Returns: Its contents; nil if there is no such file.
    /// - Throws: ``ConfigurationError`` if it can't be read or is invalid, with all errors at once.
    static func read(_ path: String) throws(ConfigurationError) -> LockFile? {
        let bytes: [UInt8]?
        do {
            bytes = try FileContents.readIfPresent(path)
        } catch {
            throw ConfigurationError(
                code: "lockUnreadable", message: error.message,
                hint: "Make it readable, or write it again with 'atrium lock'.", cause: error)
        }
        do {
            return try bytes.map { bytes throws(ManifestError) in try LockFile(json: bytes, file: path) }
        } catch {
            throw ConfigurationError(
                code: "lockInvalid", message: "'\(path)' is invalid: \(error.sentence)",
                hint: "Restore the file, or write it again with 'atrium lock'.", cause: error)
        }
    }

    /// Throws if other users can write the lock file or its folder; ignores a missing file.
    static func checkWriters(_ path: String) throws(ConfigurationError) {
        do {
            guard access(path, F_OK) == 0 else { return }
            let file = try RandomAccessFile(path)
            try Permissions.check(
                file, at: ResolvedPath(of: file, searchFolders: [FileSystem.folder(of: path)]),
                kind: "lock file")
        } catch {
            let error = ModuleError.explained(error, of: path)
            throw ConfigurationError(
                code: error.code, message: error.message,
                hint: error.hint ?? "Write it again with 'atrium lock'.",
                cause: error)
        }
    }

    /// The file's text, one line per library, sorted: equal locks are equal files.
    var text: String {
        let contracts = contracts.isEmpty ? "" : ",\n  \"contracts\": \(Self.text(of: contracts))"
        return
            "{\n  \"version\": \(Self.formatVersion),\n  \"modules\": \(Self.text(of: modules))\(contracts)\n}\n"
    }

    private static func text(of entries: [String: Entry]) -> String {
        let lines = entries.sorted { $0.key < $1.key }.map { name, entry in
            let entry = ManifestValue.object([
                .init(key: "version", value: .string(entry.version.description)),
                .init(key: "blake2b", value: .string(entry.digest)),
            ])
            return "\n    \(ManifestValue.string(name).json): \(entry.json)"
        }
        return lines.isEmpty ? "{}" : "{\(lines.joined(separator: ","))\n  }"
    }

    /// Replaces the file atomically; every user may read it.
    ///
    /// - Throws: ``FileError`` with code `fileUnwritable` or `diskFull`; the old file then stays.
    package func write(to path: String) throws {
        try AtomicFile.write(Array(text.utf8), to: path)
        // It has no secrets, and users who start a host installed by someone else have to read it.
        chmod(path, 0o644)
    }
}
