import FoundationEssentials

/// A source file with its occurrences of symbols.
struct CodeFile {
    let path: String
    /// The target's top folder that contains it; nil for a file beside the folders.
    let folder: String?
    let lines: [Substring]
    let occurrences: [Occurrence]
    /// Empty for targets that are not modules: no rule reads their statements.
    let tokens: Tokens

    init(path: String, in target: CheckedTarget, occurrences: [Occurrence]) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CheckError("\(path) can't be read")
        }
        let parts = path.dropFirst(target.folder.count + 1).split(separator: "/")
        self.path = path
        folder = parts.count > 1 ? String(parts[0]) : nil
        lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        self.occurrences = occurrences
        tokens = Tokens(of: data)
    }

    /// The symbols that occur at a position, found by binary search.
    func symbols(line: Int, column: Int) -> [Symbol] {
        var (low, high) = (0, occurrences.count)
        while low < high {
            let middle = (low + high) / 2
            let found = occurrences[middle]
            if (found.line, found.column) < (line, column) { low = middle + 1 } else { high = middle }
        }
        return occurrences[low...].prefix { $0.line == line && $0.column == column }.map(\.symbol)
    }

    func text(from start: Occurrence, to end: Occurrence) -> Substring {
        guard start.line < end.line else {
            return Substring(text(at: start).utf8.prefix(max(0, end.column - start.column)))
        }
        let between = start.line < end.line - 1 ? lines[start.line..<(end.line - 1)] : []
        let last = Substring(lines[end.line - 1].utf8.prefix(end.column - 1))
        return Substring(([text(at: start)] + between + [last]).joined(separator: "\n"))
    }

    func word(before occurrence: Occurrence) -> Substring? {
        guard lines.indices.contains(occurrence.line - 1) else { return nil }
        let text = Substring(lines[occurrence.line - 1].utf8.prefix(occurrence.column - 1))
        return text.split(separator: " ").last
    }

    func text(at occurrence: Occurrence) -> Substring {
        guard lines.indices.contains(occurrence.line - 1) else { return "" }
        return Substring(lines[occurrence.line - 1].utf8.dropFirst(occurrence.column - 1))
    }
}

struct CheckedTarget {
    /// Absolute, with symbolic links resolved, as in the index.
    let folder: String
    let role: Role

    enum Role: Equatable {
        /// A feature module; `providesTransport` if its manifest provides the HTTP transport.
        case module(providesTransport: Bool)
        /// The library that modules see.
        case sdk
        case host
    }

    var isModule: Bool {
        if case .module = role { true } else { false }
    }

    /// - Throws: ``CheckError`` if the folder does not exist.
    init(_ path: String, role: Role) throws {
        folder = URL(filePath: path).resolvingSymlinksInPath().path
        self.role = role
        var isFolder = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder
        else { throw CheckError("\(path) is no folder; name the folder of a target's sources") }
    }

    /// A feature module with its manifest.
    static func module(_ path: String) throws -> CheckedTarget {
        let file = try CheckedTarget(path, role: .module(providesTransport: false)).folder + "/module.json"
        guard let data = FileManager.default.contents(atPath: file) else {
            throw CheckError("\(file) is missing; a feature module has its manifest beside its sources")
        }
        guard let manifest = try? JSONDecoder().decode(Manifest.self, from: data) else {
            throw CheckError("\(file) can't be read as a manifest; 'swift build' says what is wrong with it")
        }
        let providesTransport = manifest.provides?.contains("HTTPTransport") ?? false
        return try CheckedTarget(path, role: .module(providesTransport: providesTransport))
    }

    private struct Manifest: Decodable {
        let provides: [String]?
    }
}
