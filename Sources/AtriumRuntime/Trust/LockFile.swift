package import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// The digests that modules are held to: `modules.lock`.
///
/// ```json
/// {
///   "version": 1,
///   "modules": {
///     "Session": { "version": "1.0.0", "blake2b": "<128 hexadecimal digits>" }
///   }
/// }
/// ```
package struct LockFile: Sendable, Hashable {
    /// What one module is held to.
    package struct Entry: Sendable, Hashable {
        /// The version in its manifest, for people; the digest decides.
        package let version: SemanticVersion
        /// The BLAKE2b digest of its library, as `b2sum` prints it.
        package let digest: String

        /// Makes an entry.
        package init(version: SemanticVersion, digest: String) {
            self.version = version
            self.digest = digest
        }
    }

    /// What the file is called; it stands beside `modules.json`.
    package static let name = "modules.lock"
    /// The version of the format.
    static let formatVersion = 1

    /// The entries, by the name of their module.
    package var modules: [String: Entry]

    /// Makes a lock of entries.
    package init(modules: [String: Entry] = [:]) {
        self.modules = modules
    }

    /// Reads the text of a lock file.
    ///
    /// - Parameters:
    ///   - json: The bytes of the file.
    ///   - file: What messages call the file.
    /// - Throws: ``ManifestError`` with everything that is wrong at once.
    package init(json: [UInt8], file: String) throws(ManifestError) {
        var reader = try LockFileReader(json, file: file)
        modules = reader.modules()
        try reader.finish()
    }

    /// Reads a lock file.
    ///
    /// - Returns: What it pins; nil where there is no such file.
    /// - Throws: ``ConfigurationError`` where it can't be read, or is none; every finding is told.
    package static func read(_ path: String) throws(ConfigurationError) -> LockFile? {
        let bytes: [UInt8]?
        do {
            bytes = try FileContents.readIfPresent(path)
        } catch {
            throw .lockUnreadable(error)
        }
        guard let bytes else { return nil }
        do {
            return try LockFile(json: bytes, file: path)
        } catch {
            throw .lockInvalid(path, error)
        }
    }

    /// The file's text: a line for each module, by name, so that equal locks are equal files.
    package var text: String {
        let lines = modules.sorted { $0.key < $1.key }.map { name, entry in
            let entry = ManifestValue.object([
                ManifestValue.Member(key: "version", value: .string(entry.version.description)),
                ManifestValue.Member(key: "blake2b", value: .string(entry.digest)),
            ])
            return "\n    \(ManifestValue.string(name).json): \(entry.json)"
        }
        let modules = lines.isEmpty ? "{}" : "{\(lines.joined(separator: ","))\n  }"
        return "{\n  \"version\": \(Self.formatVersion),\n  \"modules\": \(modules)\n}\n"
    }

    /// Replaces the file as a whole; everybody may read it, only the person write.
    ///
    /// - Throws: ``StorageError`` with code `fileUnwritable` or `diskFull`; the old file stays then.
    package func write(to path: String) throws {
        try AtomicFile.write(Array(text.utf8), to: path)
        // It holds no secret, and whoever starts a host that somebody else installed has to read it.
        chmod(path, 0o644)
    }
}
