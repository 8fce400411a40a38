import Foundation

/// A source file with everything that occurs in it.
struct CodeFile {
    let path: String
    /// The folder of the target in which it is, directly or deeper; nil beside the folders.
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

    /// The text between two places.
    func text(from start: Occurrence, to end: Occurrence) -> Substring {
        guard start.line < end.line else {
            return Substring(text(at: start).utf8.prefix(max(0, end.column - start.column)))
        }
        let between = start.line < end.line - 1 ? lines[start.line..<(end.line - 1)] : []
        let last = Substring(lines[end.line - 1].utf8.prefix(end.column - 1))
        return Substring(([text(at: start)] + between + [last]).joined(separator: "\n"))
    }

    /// The word before a place, on its line.
    func word(before place: Occurrence) -> Substring? {
        guard lines.indices.contains(place.line - 1) else { return nil }
        let text = Substring(lines[place.line - 1].utf8.prefix(place.column - 1))
        return text.split(separator: " ").last
    }

    /// The text from a place to the end of its line.
    func text(at place: Occurrence) -> Substring {
        guard lines.indices.contains(place.line - 1) else { return "" }
        let line = lines[place.line - 1]
        return Substring(line.utf8.dropFirst(place.column - 1))
    }
}

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

/// The sources of one target, and what the rules may expect of them.
struct CheckedTarget {
    /// Absolute, with symbolic links resolved, as the index has its paths.
    let folder: String
    let role: Role

    enum Role: Equatable {
        /// A feature module; `providesTransport` where its manifest says that it brings the HTTP transport.
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

    /// A feature module; its manifest says what it provides.
    ///
    /// - Throws: ``CheckError`` where the folder or its manifest can't be read.
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

    /// What of `module.json` matters here.
    private struct Manifest: Decodable {
        let provides: [String]?
    }
}
