/// A file that entities are read from or written to.
struct EntityFile: Hashable, Sendable {
    let path: String
    let format: Format
    /// Whether one that is there may be replaced when it is written.
    let isReplaced: Bool

    /// How entities stand in a file, by the names that people type.
    enum Format: String, CaseIterable, Hashable, Sendable, Codable {
        /// Comma-separated values (RFC 4180) in UTF-8, under a first line that names the columns.
        case csv
        /// One JSON object a line (RFC 8259).
        case jsonLines = "jsonl"

        /// The ends of names that tell the format.
        var nameEndings: [String] {
            switch self {
            case .csv: [".csv"]
            case .jsonLines: [".jsonl", ".ndjson"]
            }
        }
    }

    init(path: String, format: Format, isReplaced: Bool = false) {
        self.path = path
        self.format = format
        self.isReplaced = isReplaced
    }

    /// A file of the format that is given, or else that the end of its name tells.
    ///
    /// - Throws: ``EntityFileError/unknownFormat(_:)``, ``EntityFileError/noPath``.
    init(_ path: String, format: Format? = nil, isReplaced: Bool = false) throws {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw EntityFileError.noPath }
        let name = path.lowercased()
        let told = Format.allCases.first { $0.nameEndings.contains(where: name.hasSuffix) }
        guard let format = format ?? told else { throw EntityFileError.unknownFormat(path) }
        self.init(path: path, format: format, isReplaced: isReplaced)
    }
}
