@_spi(Host) internal import AtriumKit
package import AtriumText

/// A step after `|` that changes the table of a result: `where price > 5`, `sort -price`, `first 3`,
/// `group category`, `count`, `columns id name`, `chart price`.
package enum TableShape: Hashable, Sendable {
    case condition(column: String, comparison: String, value: String)
    case order(column: String, descends: Bool)
    case first(Int)
    case group(column: String)
    case count
    case columns([String])
    case chart(column: String)

    /// The names of the steps, each with an example.
    private static let examples = [
        "where": "where name contains lamp", "sort": "sort -name", "first": "first 5",
        "group": "group category", "count": "count", "columns": "columns id name", "chart": "chart category",
    ]

    /// True if what follows `|` is a step, not a program: `/bin/sort` is a program.
    static func begins(_ text: Substring) -> Bool {
        let name = text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace && !"|>;&".contains($0) }
        return examples[String(name)] != nil
    }

    /// True if the next word of the step is a comparison.
    static func compares(_ words: [Word]?) -> Bool { words?.count == 2 && words?.first?.text == "where" }

    /// - Throws: ``ShellError`` if the words are no step.
    package init(_ words: [String]) throws(ShellError) {
        let name = words.first ?? ""
        switch (name, words.count - 1) {
        case ("where", 3) where Assertion.comparisons.contains(words[2]):
            self = .condition(column: words[1], comparison: words[2], value: words[3])
        case ("sort", 1):
            let descends = words[1].hasPrefix("-")
            self = .order(column: descends ? String(words[1].dropFirst()) : words[1], descends: descends)
        case ("first", 1):
            guard let count = Int(words[1]), count >= 0 else { throw Self.wrong(name) }
            self = .first(count)
        case ("group", 1): self = .group(column: words[1])
        case ("count", 0): self = .count
        case ("columns", 1...):
            let names = words.dropFirst().flatMap { $0.split(separator: ",").map(String.init) }
            guard !names.isEmpty, Set(names).count == names.count else { throw Self.wrong(name) }
            self = .columns(names)
        case ("chart", 1): self = .chart(column: words[1])
        default: throw Self.wrong(name)
        }
    }

    private static func wrong(_ name: String) -> ShellError {
        let form =
            switch name {
            case "where": "a column, one of \(Assertion.comparisons.joined(separator: ", ")), and a value"
            case "sort": "a column, with '-' before it for the largest first"
            case "first": "the number of rows"
            case "count": "nothing"
            case "columns": "columns, each once"
            default: "a column"
            }
        return ShellError(
            .invalidArgument, "'| \(name)' takes \(form).",
            hint: name == "sort"
                ? "entities | sort -name; the program is '| /usr/bin/sort'"
                : examples[name].map { "entities | \($0)" })
    }

    // MARK: - Tables

    /// The table of a content after these steps, and a warning if it is one page of more.
    static func apply(_ shapes: [TableShape], to content: Content) throws(ShellError) -> Content {
        try check(shapes)
        let list = content.json
        let rows = list["rows"]
        guard let table = content.table(of: "rows") ?? (rows == nil ? content.firstTable : nil) else {
            guard rows == .array([]) else { throw noTable }
            var empty = shapes.last == .count ? Content { Field("count", 0) } : content
            if let warning = pageWarning(list, rows: 0) { empty.append(warning) }
            return empty
        }
        var shaped = Content([.table(table)])
        for shape in shapes {
            if let present = shaped.firstTable { shaped = try shape.apply(to: present) }
        }
        if let warning = pageWarning(list, rows: table.rows.count) { shaped.append(warning) }
        return shaped
    }

    /// - Throws: ``ShellError`` if a step needs a table and has none.
    package static func check(_ shapes: [TableShape]) throws(ShellError) {
        guard let count = shapes.firstIndex(of: .count), count + 1 < shapes.count else { return }
        throw ShellError(
            .invalidArgument, "After 'count' there is no table.", hint: "Put 'count' at the end.")
    }

    static var noTable: ShellError {
        ShellError(
            .invalidArgument, "The result has no table.",
            hint: "Leave out the step after '|'; a program such as sort is '| /usr/bin/sort'.")
    }

    private static func pageWarning(_ list: JSONObject, rows: Int) -> Content? {
        guard let hasMore = list["hasMore"], hasMore == .bool(true) || list["page"] != .integer(1) else {
            return nil
        }
        let total = list["total"].map { ", of \($0.serialized)" } ?? ""
        let taken =
            rows == 1 ? "one row of this page was" : "\(rows == 0 ? "no" : "\(rows)") rows of this page were"
        return Content { Notice(.warning, "Only the \(taken) taken\(total).") }
    }

    private func apply(to table: Content.TableData) throws(ShellError) -> Content {
        switch self {
        case .condition(let column, let comparison, let value):
            let index = try Self.index(of: column, in: table)
            var kept: [Int] = []
            for (row, cells) in table.rows.enumerated()
            where try cells[index].holds(comparison, value) {
                kept.append(row)
            }
            return Content([.table(table.keeping(rows: kept))])
        case .order(let column, let descends):
            let index = try Self.index(of: column, in: table)
            return Content([.table(table.keeping(rows: Self.order(by: index, descends, table)))])
        case .first(let count):
            return Content([.table(table.keeping(rows: Array(table.rows.indices.prefix(count))))])
        case .group(let column):
            return Content([.table(Self.groups(try Self.index(of: column, in: table), table))])
        case .count: return Content { Field("count", table.rows.count) }
        case .columns(let names):
            var indices: [Int] = []
            for name in names { indices.append(try Self.index(of: name, in: table)) }
            guard Set(indices).count == indices.count else { throw Self.wrong("columns") }
            return Content([.table(table.keeping(indices))])
        case .chart(let column):
            return Content([.table(Self.chart(try Self.index(of: column, in: table), table))])
        }
    }

    /// The index of a column by its key or label.
    static func index(of name: String, in table: Content.TableData) throws(ShellError) -> Int {
        if let index = table.headings.firstIndex(where: { $0.key == name || $0.label == name }) {
            return index
        }
        let known = table.headings.map(\.key)
        throw ShellError.unknown(
            .invalidArgument, name, among: known, else: "It has \(known.joined(separator: ", "))."
        ) { "The table has no column '\($0)'." }
    }

    /// The rows in order; rows with equal values stay as they were, those without one come last.
    private static func order(by index: Int, _ descends: Bool, _ table: Content.TableData) -> [Int] {
        let keys = table.rows.map { SortKey($0[index].comparable) }
        return table.rows.indices.sorted { left, right in
            guard keys[left] != keys[right] else { return left < right }
            guard keys[left] != .nothing, keys[right] != .nothing else { return keys[right] == .nothing }
            return (keys[left] < keys[right]) != descends
        }
    }

    /// A row with each value, and the number of rows with it, the most frequent first.
    private static func counted(_ index: Int, _ table: Content.TableData) -> [(row: Int, count: Int)] {
        var counts: [String: (row: Int, count: Int)] = [:]
        for (row, cells) in table.rows.enumerated() {
            counts[cells[index].comparable, default: (row, 0)].count += 1
        }
        return counts.sorted {
            $0.value.count == $1.value.count ? $0.key < $1.key : $0.value.count > $1.value.count
        }.map(\.value)
    }

    /// The table of each value of a column, with the number of its rows.
    private static func groups(_ index: Int, _ table: Content.TableData) -> Content.TableData {
        let counts = counted(index, table)
        return table.keeping([index]).keeping(rows: counts.map(\.row))
            .adding(
                Column(table.headings[index].key == "count" ? "rows" : "count") { $0 }, counts.map(\.count))
    }

    private static let longestBar = 40.0

    /// A bar for each row if the column has numbers, else for each value.
    private static func chart(_ index: Int, _ table: Content.TableData) -> Content.TableData {
        let numbers = table.rows.compactMap { Double($0[index].comparable) }.filter(\.isFinite)
        guard numbers.count == table.rows.count else {
            return barred(groups(index, table), counted(index, table).map { Double($0.count) })
        }
        let name = table.headings.indices.first { $0 != index && !table.headings[$0].isHidden }
        return barred(table.keeping([name, index].compactMap(\.self)), numbers)
    }

    private static func barred(_ table: Content.TableData, _ numbers: [Double]) -> Content.TableData {
        let unit = max(numbers.max() ?? 0, .leastNormalMagnitude) / longestBar
        // Negative numbers have no bar.
        let bars = numbers.map { number in
            String(repeating: "█", count: Int(min(longestBar, max(0, (number / unit).rounded()))))
        }
        return table.adding(Column("bar", label: "") { $0 }, bars)
    }
}

/// Numbers before text, each in its own order.
private enum SortKey: Comparable {
    case number(DecimalNumber)
    case text(String)
    case nothing

    init(_ text: String) {
        self = text.isEmpty ? .nothing : DecimalNumber(text).map { .number($0) } ?? .text(text.lowercased())
    }
}

extension Content.TableData.Cell {
    /// True if the value compares so with a typed one, as `assert` compares; yes and no are true and false.
    fileprivate func holds(_ comparison: String, _ typed: String) throws(ShellError) -> Bool {
        switch value {
        // No value is neither less nor greater than another.
        case .null:
            ["==", "!="].contains(comparison) && ["", "null"].contains(typed) == (comparison == "==")
        case .bool(let isTrue):
            try Assertion.holds(
                isTrue ? "true" : "false", comparison, ["yes": "true", "no": "false"][typed] ?? typed)
        default: try Assertion.holds(comparable, comparison, typed)
        }
    }

    /// The value for programs as text, with yes and no as they are shown.
    fileprivate var comparable: String {
        switch value {
        case .null: ""
        case .string(let text): text
        case .bool(let isTrue): isTrue ? "yes" : "no"
        default: value.serialized
        }
    }
}
