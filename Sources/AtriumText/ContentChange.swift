package import AtriumKit

/// A difference between two drawings of a screen.
///
/// Fields are matched by key, rows by their first non-empty column, and rows with the same text by order. A row
/// that gets its first value, as the id of a new record, stays the same.
package struct ContentChange {
    /// For users: `total: 3 -> 4`, `row 'Pen' added`, `row 'Pen': price 3 -> 4`.
    package let sentence: String
    package let json: JSONObject

    package static func changes(from old: Content, to new: Content) -> [ContentChange] {
        var comparison = Comparison()
        comparison.compare(old, new, path: "")
        return comparison.changes
    }
}

private struct Value: Equatable {
    let text: String
    let json: JSONValue

    var shown: String { text.isEmpty ? "-" : text }

    init(_ text: String, _ json: JSONValue) {
        self.text = text
        self.json = json
    }

    /// A value that only has a form for programs: a notice, a paragraph, a heading.
    init(_ json: JSONValue) {
        if let text = json.stringValue {
            self.init(text, json)
        } else if let kind = json["kind"]?.stringValue, let text = json["text"]?.stringValue {
            self.init("\(kind): \(text)", json)
        } else {
            self.init(json.serialized, json)
        }
    }
}

private struct NamedValue {
    let key: String
    let value: Value
    /// True if it is one of several under its key, which are added and removed rather than changed.
    var isListed = false
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
                // The text of a line without a label is a sentence, not the value.
                let value = field.isLine ? Value(field.value) : Value(field.text, field.value)
                fields.append(NamedValue(key: field.key, value: value))
            case .table(let table): tables.append(table)
            case .group(let key, let content): groups.append((key, content))
            default: rest.append(block)
            }
        }
        for member in Content(rest).json.members {
            if case .array(let elements) = member.value {
                others += elements.map { NamedValue(key: member.key, value: Value($0), isListed: true) }
            } else {
                others.append(NamedValue(key: member.key, value: Value(member.value)))
            }
        }
    }
}

private struct Row {
    let name: String
    /// The name, with its number among rows of the same name.
    private(set) var id: String
    let cells: [NamedValue]
    /// The texts for users.
    private let shown: [String]

    var json: JSONValue {
        var object = JSONObject()
        for cell in cells { object[cell.key] = cell.value.json }
        return .object(object)
    }

    static func rows(of table: Content.TableData?) -> [Row] {
        guard let table else { return [] }
        var counts: [String: Int] = [:]
        return table.rows.map { cells in
            let shown = zip(table.headings, cells).filter { !$0.0.isHidden }.map(\.1.text)
            let name = shown.first { !$0.isEmpty } ?? ""
            counts[name, default: 0] += 1
            return Row(
                name: name, id: "\(counts[name, default: 1]) \(name)",
                cells: zip(table.headings, cells).map { heading, cell in
                    NamedValue(key: heading.key, value: Value(cell.text, cell.value))
                }, shown: shown)
        }
    }

    /// The rows, where one without its first value, such as the id of a record that is being created, has the id
    /// of the new row that has the value.
    static func identified(_ before: [Row], by after: [Row]) -> [Row] {
        let (known, present) = (Set(before.map(\.id)), Set(after.map(\.id)))
        var new = after.filter { !known.contains($0.id) }
        return before.map { row in
            guard let column = row.shown.firstIndex(where: { !$0.isEmpty }), column > 0,
                !present.contains(row.id),
                let index = new.firstIndex(where: { $0.shown[column] == row.shown[column] })
            else { return row }
            var row = row
            row.id = new.remove(at: index).id
            return row
        }
    }
}

private struct Comparison {
    var changes: [ContentChange] = []

    mutating func compare(_ old: Content, _ new: Content, path: String) {
        let (old, new) = (Parts(old), Parts(new))
        compareValues(old.others, new.others, path)
        compareValues(old.fields, new.fields, path)
        for key in (old.tables + new.tables).map(\.key).uniqued {
            let rows = [old, new].map { parts in Row.rows(of: parts.tables.first { $0.key == key }) }
            compareRows(Row.identified(rows[0], by: rows[1]), rows[1], key: path + key)
        }
        for key in (old.groups + new.groups).map(\.key).uniqued {
            let groups = [old, new].map { $0.groups.first { $0.key == key }?.content ?? Content() }
            compare(groups[0], groups[1], path: path + key + ".")
        }
    }

    private mutating func compareValues(_ old: [NamedValue], _ new: [NamedValue], _ path: String) {
        for key in (old + new).map(\.key).uniqued {
            let (before, after) = (old.filter { $0.key == key }, new.filter { $0.key == key })
            let name = path + key
            if !(before + after).contains(where: \.isListed), before.count == 1, after.count == 1 {
                let (from, to) = (before[0].value, after[0].value)
                guard from != to else { continue }
                add(
                    name, "changed", "\(name): \(from.shown) -> \(to.shown)",
                    ["from": from.json, "to": to.json])
            } else {
                for gone in before.map(\.value) where !after.contains(where: { $0.value == gone }) {
                    add(name, "removed", "\(name): removed \(gone.shown)", ["from": gone.json])
                }
                for come in after.map(\.value) where !before.contains(where: { $0.value == come }) {
                    add(name, "added", "\(name): added \(come.shown)", ["to": come.json])
                }
            }
        }
    }

    private mutating func compareRows(_ before: [Row], _ after: [Row], key: String) {
        let known = Dictionary(before.map { ($0.id, $0) }) { first, _ in first }
        let present = Set(after.map(\.id))
        // The usual key of a table adds nothing.
        let table = key == "rows" ? "" : key + ": "
        for row in before where !present.contains(row.id) {
            add(key, row: row.name, "removed", "\(table)row '\(row.name)' removed", ["from": row.json])
        }
        for row in after {
            guard let earlier = known[row.id] else {
                add(key, row: row.name, "added", "\(table)row '\(row.name)' added", ["to": row.json])
                continue
            }
            compareCells(earlier.cells, row.cells, of: row.name, table, key)
        }
        let (kept, stayed) = (before.filter { present.contains($0.id) }, after.filter { known[$0.id] != nil })
        if kept.map(\.id) != stayed.map(\.id) { add(key, "reordered", "\(key): in another order") }
    }

    private mutating func compareCells(
        _ before: [NamedValue], _ after: [NamedValue], of row: String, _ table: String, _ key: String
    ) {
        var words: [String] = []
        var cells = JSONObject()
        for column in (before + after).map(\.key).uniqued {
            let none = Value("", .null)
            let from = before.first { $0.key == column }?.value ?? none
            let to = after.first { $0.key == column }?.value ?? none
            guard from != to else { continue }
            words.append("\(column) \(from.shown) -> \(to.shown)")
            cells[column] = ["from": from.json, "to": to.json]
        }
        guard !words.isEmpty else { return }
        let sentence = "\(table)row '\(row)': \(words.joined(separator: ", "))"
        add(key, row: row, "changed", sentence, ["cells": .object(cells)])
    }

    private mutating func add(
        _ key: String, row: String? = nil, _ kind: String, _ sentence: String, _ values: JSONObject = [:]
    ) {
        var json: JSONObject = ["key": .string(key)]
        if let row { json["row"] = .string(row) }
        json["kind"] = .string(kind)
        for value in values.members { json[value.key] = value.value }
        changes.append(ContentChange(sentence: sentence, json: json))
    }
}
