import AtriumKit

struct EntityFile: Hashable, Sendable {
    let path: String
    let format: Format
    let isReplaced: Bool
    static let maximumFindings = 100

    /// The formats, by the names that users type.
    enum Format: String, CaseIterable, Hashable, Sendable, Codable {
        /// Comma-separated values (RFC 4180) in UTF-8; the first line names the columns.
        case csv
        /// One JSON object a line (RFC 8259).
        case jsonLines = "jsonl"

        fileprivate var nameEndings: [String] {
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

    /// A file of a given format, by default the one that its name implies.
    init(_ path: String, format: Format? = nil, isReplaced: Bool = false) throws {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw ServiceError.noPath }
        let name = path.lowercased()
        let detected = Format.allCases.first { $0.nameEndings.contains(where: name.hasSuffix) }
        guard let format = format ?? detected else { throw ServiceError.unknownFormat(path) }
        self.init(path: path, format: format, isReplaced: isReplaced)
    }
}
