package import AtriumLibraries
internal import AtriumManifest

extension ModuleRuntime {
    /// The digests of the libraries of all modules as they are on disk, for modules.lock.
    ///
    /// Ignores the policy: writing the lock declares these libraries trusted.
    ///
    /// - Throws: The error of the first library that can't be read, or that others can write.
    package func lock() throws -> LockFile {
        var entries: [String: LockFile.Entry] = [:]
        var reader = reader
        reader.trust = nil
        for module in modules {
            let path = try reader.locate(module.name, path: module.configured.path)
            let library = try reader.library(at: path)
            guard library.name == module.name else {
                throw module.otherName(library.name, at: path)
            }
            entries[module.name] = LockFile.Entry(version: library.version, digest: library.digest)
        }
        return LockFile(modules: entries)
    }
}
