@_spi(Host) import AtriumKit

private struct AnyRow: Decodable {
    let name: String?
    let price: Double?
    let count: Int?
}

extension FuzzTarget {
    /// Rows of CSV and JSON Lines.
    static let rows = FuzzTarget(name: "rows") { bytes in
        try withFile(bytes) { path in
            try explained {
                var reader = try CSVReader(path)
                try readAll(limit: bytes.count + 2) { try reader.next() != nil }
            }
            try explained {
                var reader = try JSONLinesReader(path)
                try readAll(limit: bytes.count + 2) { try reader.next(AnyRow.self) != nil }
            }
        }
    }

    /// Each call takes at least a byte, also after an error of a row.
    private static func readAll(limit: Int, _ next: () throws -> Bool) throws {
        for _ in 0..<limit {
            do { guard try next() else { return } } catch is RowError { continue }
        }
        throw BrokenRule(description: "the rows don't end")
    }
}
