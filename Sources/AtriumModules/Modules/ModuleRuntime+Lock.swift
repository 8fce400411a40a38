package import AtriumLibraries
internal import AtriumManifest

extension ModuleRuntime {
    /// The digests of the libraries of all modules and their contracts as they are on disk, for modules.lock.
    ///
    /// Ignores the policy: writing the lock declares these libraries trusted.
    ///
    /// - Throws: The error of the first library that can't be read, or that others can write.
    package func lock() throws -> LockFile {
        var entries: [String: LockFile.Entry] = [:]
        var reader = reader
        reader.trust = nil
        // The files as they are, whatever is open.
        let paths = try modules.map { try reader.locate($0.name, path: $0.configured.path) }
        var finder = ContractFinder(reader, folders: contractFolders(paths), opened: [:])
        var contracts: [String: LockFile.Entry] = [:]
        for module in modules {
            let path = try reader.locate(module.name, path: module.configured.path)
            let library = try reader.library(at: path)
            guard library.name == module.name else {
                throw module.otherName(library.name, at: path)
            }
            for contract in try finder.contracts(of: library.manifest) {
                contracts[contract.libraryName] = LockFile.Entry(
                    version: contract.version, digest: contract.digest)
            }
            entries[module.name] = LockFile.Entry(version: library.version, digest: library.digest)
        }
        return LockFile(modules: entries, contracts: contracts)
    }
}
