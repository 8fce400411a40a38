internal import AtriumKit
internal import AtriumManifest

extension ModuleRuntime {
    /// The digests of the libraries of all modules as they lie there now, for modules.lock.
    ///
    /// The policy is not asked: to write the lock is to say that these are the ones that are trusted.
    ///
    /// - Throws: What is wrong with the first library that can't be read, or that others may write.
    package func lock() throws -> LockFile {
        var entries: [String: LockFile.Entry] = [:]
        var reader = reader
        reader.trust = nil
        for module in modules {
            let path = try reader.locate(module.name, path: module.configured.path)
            let candidate = try reader.candidate(at: path)
            guard candidate.name == module.name else {
                throw ModuleError.otherName(path, configured: module.name, found: candidate.name)
            }
            entries[module.name] = LockFile.Entry(version: candidate.version, digest: candidate.digest)
        }
        return LockFile(modules: entries)
    }
}
