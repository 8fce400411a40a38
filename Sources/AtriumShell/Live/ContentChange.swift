internal import AtriumKit

/// A difference between two drawings of a screen.
struct ContentChange: Equatable {
    /// The key of a field behind those of its groups, or of a table.
    let key: String
    /// The first column of a changed table row.
    var row: String?
    let kind: Kind

    enum Kind: Equatable {
        case added(Value)
        case removed(Value)
        case changed(from: Value, to: Value)
        case changedCells([Cell])
        case reordered
    }

    /// A value for people and for programs.
    struct Value: Equatable {
        let text: String
        let json: JSONValue

        var shown: String { text.isEmpty ? "-" : text }
    }

    struct Cell: Equatable {
        let key: String
        let from: Value
        let to: Value
    }
}

extension ContentChange {
    /// For people: `total: 3 -> 4`, `row 'Pen' added`, `row 'Pen': price 3 -> 4`.
    var sentence: String {
        guard let row else { return "\(key): \(words)" }
        let table = key == Content.TableData.usualKey ? "" : key + ": "
        switch kind {
        case .added: return table + "row '\(row)' added"
        case .removed: return table + "row '\(row)' removed"
        default: return table + "row '\(row)': \(words)"
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
    /// The default key of a table.
    static let usualKey = "rows"
}

/// Compares two drawings of a screen.
///
/// Fields are matched by key, rows by their first column; rows with the same one in their order.
struct ContentComparison {
    private(set) var changes: [ContentChange] = []

    static func changes(from old: Content, to new: Content) -> [ContentChange] {
        var comparison = ContentComparison()
        comparison.compare(old, new, path: "")
        return comparison.changes
    }

    private mutating func compare(_ old: Content, _ new: Content, path: String) {
        let (old, new) = (Parts(old), Parts(new))
        compareValues(old.others, new.others, path)
        compareValues(old.fields, new.fields, path)
        for key in (old.tables.map(\.key) + new.tables.map(\.key)).uniqued {
            let tables = (old.tables.first { $0.key == key }, new.tables.first { $0.key == key })
            compareTables(tables.0, tables.1, key: path + key)
        }
        for key in (old.groups.map(\.key) + new.groups.map(\.key)).uniqued {
            let groups = [old, new].map { $0.groups.first { $0.key == key }?.content ?? Content() }
            compare(groups[0], groups[1], path: path + key + ".")
        }
    }

    private struct Parts {
        var fields: [NamedValue] = []
        var tables: [Content.TableData] = []
        var groups: [(key: String, content: Content)] = []
        /// Everything else, as programs see it.
        var others: [NamedValue] = []

        init(_ content: Content) {
            var rest: [Content.Block] = []
            for block in content.blocks {
                switch block {
                case .field(let field):
                    fields.append(NamedValue(field.key, ContentChange.Value(field)))
                case .table(let table): tables.append(table)
                case .group(let key, let content): groups.append((key, content))
                default: rest.append(block)
                }
            }
            for member in Content(rest).json.members { others += NamedValue.values(member) }
        }
    }

    private struct NamedValue {
        let key: String
        let value: ContentChange.Value
        /// Whether it is one of several with its key, which are added and removed instead of changed.
        var isListed = false

        init(_ key: String, _ value: ContentChange.Value) {
            self.key = key
            self.value = value
        }

        static func values(_ member: JSONObject.Member) -> [NamedValue] {
            guard case .array(let elements) = member.value else {
                return [NamedValue(member.key, ContentChange.Value(member.value))]
            }
            return elements.map { element in
                var value = NamedValue(member.key, ContentChange.Value(element))
                value.isListed = true
                return value
            }
        }
    }

    private mutating func compareValues(_ old: [NamedValue], _ new: [NamedValue], _ path: String) {
        for key in (old.map(\.key) + new.map(\.key)).uniqued {
            let (before, after) = (old.filter { $0.key == key }, new.filter { $0.key == key })
            if !(before + after).contains(where: \.isListed), before.count == 1, after.count == 1 {
                guard before[0].value != after[0].value else { continue }
                add(path + key, .changed(from: before[0].value, to: after[0].value))
            } else {
                for gone in before where !after.contains(where: { $0.value == gone.value }) {
                    add(path + key, .removed(gone.value))
                }
                for come in after where !before.contains(where: { $0.value == come.value }) {
                    add(path + key, .added(come.value))
                }
            }
        }
    }

    private mutating func add(_ key: String, row: String? = nil, _ kind: ContentChange.Kind) {
        changes.append(ContentChange(key: key, row: row, kind: kind))
    }

    /// A row with the name by which it is matched.
    private struct Row {
        let name: String
        /// Its number among the rows with that name.
        let number: Int
        let cells: [Content.TableData.Cell]

        var id: String { "\(number) \(name)" }
    }

    private static func rows(of table: Content.TableData?) -> [Row] {
        guard let table else { return [] }
        let first = table.headings.firstIndex { !$0.isHidden } ?? 0
        var counts: [String: Int] = [:]
        return table.rows.map { cells in
            let name = cells.indices.contains(first) ? cells[first].text : ""
            counts[name, default: 0] += 1
            return Row(name: name, number: counts[name] ?? 1, cells: cells)
        }
    }

    private mutating func compareTables(_ old: Content.TableData?, _ new: Content.TableData?, key: String) {
        let (before, after) = (Self.rows(of: old), Self.rows(of: new))
        let known = Dictionary(before.map { ($0.id, $0) }) { first, _ in first }
        let present = Set(after.map(\.id))
        for row in before where !present.contains(row.id) {
            add(key, row: row.name, .removed(Self.value(of: row, in: old)))
        }
        for row in after {
            guard let earlier = known[row.id] else {
                add(key, row: row.name, .added(Self.value(of: row, in: new)))
                continue
            }
            compareRows(earlier, row, old, new, key)
        }
        let (kept, stayed) = (before.filter { present.contains($0.id) }, after.filter { known[$0.id] != nil })
        if kept.map(\.id) != stayed.map(\.id) { add(key, .reordered) }
    }

    private mutating func compareRows(
        _ old: Row, _ new: Row, _ oldTable: Content.TableData?, _ newTable: Content.TableData?, _ key: String
    ) {
        let (before, after) = (Self.cells(of: old, in: oldTable), Self.cells(of: new, in: newTable))
        let cells = (before.map(\.key) + after.map(\.key)).uniqued.compactMap { column in
            let none = ContentChange.Value(text: "", json: .null)
            let from = before.first { $0.key == column }?.value ?? none
            let to = after.first { $0.key == column }?.value ?? none
            return from == to ? nil : ContentChange.Cell(key: column, from: from, to: to)
        }
        if !cells.isEmpty { add(key, row: new.name, .changedCells(cells)) }
    }

    private static func cells(of row: Row, in table: Content.TableData?) -> [NamedValue] {
        zip(table?.headings ?? [], row.cells).map { heading, cell in
            NamedValue(heading.key, ContentChange.Value(text: cell.text, json: cell.value))
        }
    }

    private static func value(of row: Row, in table: Content.TableData?) -> ContentChange.Value {
        var object = JSONObject()
        for (heading, cell) in zip(table?.headings ?? [], row.cells) { object[heading.key] = cell.value }
        return ContentChange.Value(text: row.name, json: .object(object))
    }
}

extension ContentChange.Value {
    init(_ field: Field) {
        self.init(text: field.text, json: field.value)
    }

    /// A value that has only a form for programs: a notice, a paragraph, a heading.
    init(_ json: JSONValue) {
        if let text = json.stringValue {
            self.init(text: text, json: json)
        } else if let kind = json["kind"]?.stringValue, let text = json["text"]?.stringValue {
            self.init(text: "\(kind): \(text)", json: json)
        } else {
            self.init(text: json.serialized, json: json)
        }
    }
}
