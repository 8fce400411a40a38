import Foundation

/// A source file with its occurrences of symbols.
struct CodeFile {
    let path: String
    /// The target's top folder that contains it; nil for a file beside the folders.
    let folder: String?
    let lines: [Substring]
    let occurrences: [Occurrence]

    init(path: String, in target: CheckedTarget, occurrences: [Occurrence]) throws {
        guard let data = FileManager.default.contents(atPath: path) else { throw CheckError.noFile(path) }
        let parts = path.dropFirst(target.folder.count + 1).split(separator: "/")
        self.path = path
        folder = parts.count > 1 ? String(parts[0]) : nil
        lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        self.occurrences = occurrences
    }

    /// The text between two occurrences.
    func text(from start: Occurrence, to end: Occurrence) -> Substring {
        guard start.line < end.line else {
            return Substring(text(at: start).utf8.prefix(max(0, end.column - start.column)))
        }
        let between = start.line < end.line - 1 ? lines[start.line..<(end.line - 1)] : []
        let last = Substring(lines[end.line - 1].utf8.prefix(end.column - 1))
        return Substring(([text(at: start)] + between + [last]).joined(separator: "\n"))
    }

    /// The word before an occurrence, on its line.
    func word(before occurrence: Occurrence) -> Substring? {
        guard lines.indices.contains(occurrence.line - 1) else { return nil }
        let text = Substring(lines[occurrence.line - 1].utf8.prefix(occurrence.column - 1))
        return text.split(separator: " ").last
    }

    /// The text from an occurrence to the end of its line.
    func text(at occurrence: Occurrence) -> Substring {
        guard lines.indices.contains(occurrence.line - 1) else { return "" }
        return Substring(lines[occurrence.line - 1].utf8.dropFirst(occurrence.column - 1))
    }
}

/// Reads a target's code from the index, provided that the index is current.
struct CodeReader {
    let store: IndexStore

    /// - Throws: ``CheckError`` if a source file is not in the index, or has changed since.
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

/// The sources of one target.
struct CheckedTarget {
    /// Absolute, with symbolic links resolved, as the index has its paths.
    let folder: String
    let role: Role

    enum Role: Equatable {
        /// A feature module; `providesTransport` if its manifest provides the HTTP transport.
        case module(providesTransport: Bool)
        /// The library that modules see.
        case sdk
        /// A part of the host.
        case host
    }

    var name: String { URL(filePath: folder).lastPathComponent }

    var isModule: Bool {
        if case .module = role { true } else { false }
    }

    /// A feature module with its manifest.
    ///
    /// - Throws: ``CheckError`` if the folder or its manifest can't be read.
    static func module(_ path: String) throws -> CheckedTarget {
        let folder = try existing(path)
        let file = folder + "/module.json"
        guard let data = FileManager.default.contents(atPath: file) else { throw CheckError.noManifest(file) }
        do {
            let manifest = try JSONDecoder().decode(Manifest.self, from: data)
            let provides = manifest.provides ?? []
            return CheckedTarget(
                folder: folder, role: .module(providesTransport: provides.contains("HTTPTransport")))
        } catch {
            throw CheckError.badManifest(file)
        }
    }

    /// Code that is no feature module.
    static func other(_ path: String, role: Role) throws -> CheckedTarget {
        CheckedTarget(folder: try existing(path), role: role)
    }

    private static func existing(_ path: String) throws -> String {
        let folder = URL(filePath: path).resolvingSymlinksInPath().path
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
        else {
            throw CheckError.noFolder(path)
        }
        return folder
    }

    /// The part of `module.json` that the rules need.
    private struct Manifest: Decodable {
        let provides: [String]?
    }
}
