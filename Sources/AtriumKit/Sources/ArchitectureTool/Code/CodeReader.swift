import Foundation

/// Reads a target's code from the index, as long as the index tells of the sources as they are.
struct CodeReader {
    let store: IndexStore

    /// - Throws: ``CheckError`` where a source file is not in the index, or has changed since.
    func read(_ target: CheckedTarget) throws -> CodeBase {
        let sources = try sourceFiles(of: target)
        let indexed = Dictionary(
            uniqueKeysWithValues: try store.files(below: target.folder).map { ($0.path, $0) })
        let files = try sources.map { path in
            guard let file = indexed[path] else { throw CheckError.notBuilt(path) }
            guard try changedAt(path) <= file.compiledAt else { throw CheckError.changed(path) }
            return try CodeFile(path: path, in: target, occurrences: try store.occurrences(in: file))
        }
        return CodeBase(target, files: files)
    }

    private func sourceFiles(of target: CheckedTarget) throws -> [String] {
        let names = FileManager.default.enumerator(atPath: target.folder)?.compactMap { $0 as? String } ?? []
        let sources = names.filter { $0.hasSuffix(".swift") && !"/\($0)".contains("/.") }
        guard !sources.isEmpty else { throw CheckError.nothingToCheck(target.folder) }
        return sources.sorted().map { "\(target.folder)/\($0)" }
    }

    /// In nanoseconds since 1970.
    private func changedAt(_ path: String) throws -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw CheckError.noFile(path) }
        #if os(Linux)
            return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        #else
            return Int64(status.st_mtimespec.tv_sec) * 1_000_000_000 + Int64(status.st_mtimespec.tv_nsec)
        #endif
    }
}
