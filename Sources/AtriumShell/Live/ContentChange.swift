internal import AtriumKit

/// One thing that is different between two drawings of a screen.
struct ContentChange: Equatable {
    /// What it is called: the key of a field, behind those of the groups it is in; the key of a table.
    let key: String
    /// The text of the first column of the row, where a row of a table has changed.
    var row: String?
    let kind: Kind

    /// How it differs.
    enum Kind: Equatable {
        case added(Value)
        case removed(Value)
        case changed(from: Value, to: Value)
        /// Some columns of a row that stayed.
        case changedCells([Cell])
        /// The rows of a table are the same, in another order.
        case reordered
    }

    /// A value as people and as programs read it.
    struct Value: Equatable {
        let text: String
        let json: JSONValue

        /// The text as a sentence shows it.
        var shown: String { text.isEmpty ? "-" : text }
    }

    /// What is different in one column of a row.
    struct Cell: Equatable {
        let key: String
        let from: Value
        let to: Value
    }
}

// MARK: - Told

extension ContentChange {
    /// The change for people: `total: 3 -> 4`, `row 'Pen' added`, `row 'Pen': price 3 -> 4`.
    var sentence: String {
        guard let row else { return "\(key): \(words)" }
        let place = key == Content.TableData.usualKey ? "" : key + ": "
        switch kind {
        case .added: return place + "row '\(row)' added"
        case .removed: return place + "row '\(row)' removed"
        default: return place + "row '\(row)': \(words)"
        }
    }

    private var words: String {
        switch kind {
        case .added(let value): "added \(value.shown)"
        case .removed(let value): "removed \(value.shown)"
        case .changed(let old, let new): "\(old.shown) -> \(new.shown)"
        case .changedCells(let cells):
            cells.map { "\($0.key) \($0.from.shown) -> \($0.to.shown)" }.joined(separator: ", ")
        case .reordered: "in another order"
        }
    }

    /// The change for programs.
    var json: JSONObject {
        var object: JSONObject = ["key": .string(key)]
        if let row { object["row"] = .string(row) }
        switch kind {
        case .added(let value):
            object["kind"] = "added"
            object["to"] = value.json
        case .removed(let value):
            object["kind"] = "removed"
            object["from"] = value.json
        case .changed(let old, let new):
            object["kind"] = "changed"
            object["from"] = old.json
            object["to"] = new.json
        case .changedCells(let cells):
            var columns = JSONObject()
            for cell in cells { columns[cell.key] = ["from": cell.from.json, "to": cell.to.json] }
            object["kind"] = "changed"
            object["cells"] = .object(columns)
        case .reordered: object["kind"] = "reordered"
        }
        return object
    }
}

extension Content.TableData {
    /// The key of a table that was given none.
    static let usualKey = "rows"
}
