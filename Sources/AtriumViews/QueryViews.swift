@_spi(Host) package import AtriumKit

/// The rows of a query in a module's database.
@MainActor
package enum QueryViews {
    package static func content(of answer: DatabaseAnswer) -> Content {
        let names = uniqueNames(of: answer.columns)
        return Content {
            if answer.rows.isEmpty { Notice(.information, "There are no rows.") }
            Table(answer.rows) {
                for (index, name) in names.enumerated() {
                    Column(name, label: name) { ShownJSON(json(of: $0[index])) }
                }
            }
            if answer.isCut {
                Notice(.information, "Not all rows are shown: they are too many, or too large.")
            }
        }
    }

    /// The names, with numbers where a query uses one twice.
    private static func uniqueNames(of columns: [String]) -> [String] {
        var seen: [String: Int] = [:]
        return columns.map { name in
            seen[name, default: 0] += 1
            return seen[name] == 1 ? name : "\(name) \(seen[name, default: 0])"
        }
    }

    private static func json(of value: DatabaseValue) -> JSONValue {
        switch value {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .real(let real): real.isFinite ? .number(real) : .string("\(real)")
        case .text(let text): .string(text)
        case .blob(let bytes): .string("\(bytes.count) bytes")
        }
    }
}
