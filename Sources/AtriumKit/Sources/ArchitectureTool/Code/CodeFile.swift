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
