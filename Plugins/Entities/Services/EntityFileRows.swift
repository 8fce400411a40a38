import AtriumKit

enum EntityFileRow {
    case draft(EntityDraft, line: Int)
    case wrong([ValidationFinding])
}

extension EntityFile {
    static let stride = 1_000

    /// Calls `body` with each row until it returns false.
    ///
    /// A CSV file names its columns in the first line and a line of JSON its members: `name`, and optionally
    /// `category` and `notes`. The other properties of entities (`id`, `createdAt`, `updatedAt`) are ignored;
    /// any other name is a mistake. CRLF and CR within a text become LF.
    ///
    /// - Throws: ``FileError``; ``ValidationError`` for the header; what `body` throws.
    func read(_ body: (EntityFileRow) throws -> Bool) throws {
        switch format {
        case .csv:
            var reader = try CSVReader(path)
            let columns = try header(&reader)
            while let row = try Self.catching({ try reader.next().map { $0.entityRow(columns) } }),
                try body(row)
            {}
        case .jsonLines:
            var reader = try JSONLinesReader(path)
            while let row = try Self.catching({ try reader.next(EntityLine.self).map { $1.row(line: $0) } }),
                try body(row)
            {}
        }
    }

    /// Reads and checks the whole file without using the rows.
    @concurrent func check() async throws {
        var findings: [ValidationFinding] = []
        var rows = 0
        try read { row in
            if case .wrong(let found) = row.checked { findings += found }
            rows += 1
            if rows.isMultiple(of: Self.stride) { try Task.checkCancellation() }
            return findings.count < Self.maximumFindings
        }
        guard findings.isEmpty else {
            throw ValidationError.invalidFile(path, Array(findings.prefix(Self.maximumFindings)))
        }
    }

    /// Calls `body` with each row of a checked file as a draft, and from time to time `progress` with the
    /// number of rows done, but not at the end.
    ///
    /// - Returns: The number of rows.
    func forEachDraft(
        checksCancellation: Bool = true, progress: (Int) -> Void, _ body: (EntityDraft) throws -> Void
    ) throws -> Int {
        var rows = 0
        try read { row in
            switch row.checked {
            case .draft(let draft, _): try body(draft)
            case .wrong(let findings): throw ValidationError.invalidFile(path, findings)
            }
            rows += 1
            guard rows.isMultiple(of: Self.stride) else { return true }
            if checksCancellation { try Task.checkCancellation() }
            progress(rows)
            return true
        }
        return rows
    }

    private static func catching(_ read: () throws -> EntityFileRow?) throws -> EntityFileRow? {
        do { return try read() } catch let error as RowError { return .wrong([error.finding]) }
    }

    // MARK: - The header of a CSV file

    private func header(_ reader: inout CSVReader) throws -> [EntityColumn] {
        do {
            guard let record = try reader.next() else {
                let message = "The file is empty; its first line names the columns: name,category,notes."
                throw ValidationError.invalidFile(path, [ValidationFinding(message, line: 1)])
            }
            return try columns(record)
        } catch let error as RowError {
            throw ValidationError.invalidFile(path, [error.finding])
        }
    }

    private func columns(_ record: CSVRecord) throws -> [EntityColumn] {
        var columns: [EntityColumn] = []
        for (index, position) in record.fields.enumerated() {
            func mistake(_ message: String) -> ValidationError {
                .invalidFile(
                    path, [ValidationFinding(message, line: position.line, column: position.column)])
            }
            guard let name = record.text(index)?.trimmed else { throw mistake("The text is not UTF-8.") }
            guard let column = EntityColumn(name) else { throw mistake(EntityColumn.unknown(name)) }
            guard !columns.contains(column) else { throw mistake("There are two columns '\(name)'.") }
            columns.append(column)
        }
        guard columns.contains(.text(.name)) else {
            let finding = ValidationFinding("There is no column 'name'.", line: record.line)
            throw ValidationError.invalidFile(path, [finding])
        }
        return columns
    }
}

extension EntityFileRow {
    /// The row, or the findings of the rules it breaks.
    fileprivate var checked: EntityFileRow {
        guard case .draft(let draft, let line) = self else { return self }
        // architecture: allow service-logic, because a file is checked as it is read: all of it or nothing
        let findings = draft.validate()
        guard !findings.isEmpty else { return self }
        return .wrong(findings.map { ValidationFinding($0.message, field: $0.field, line: line) })
    }
}

/// The contents of a column of a CSV file, or of a member of a line of JSON.
private enum EntityColumn: Hashable {
    case text(EntityField)
    case ignored(String)

    private static let ignoredNames = ["id", "createdAt", "updatedAt"]

    init?(_ name: String, ignoringCase: Bool = true) {
        if let field = EntityField(rawValue: ignoringCase ? name.lowercased() : name) {
            self = .text(field)
        } else if let ignored = Self.ignoredNames.first(where: {
            ignoringCase ? $0.lowercased() == name.lowercased() : $0 == name
        }) {
            self = .ignored(ignored)
        } else {
            return nil
        }
    }

    var field: EntityField? { if case .text(let field) = self { field } else { nil } }

    static func unknown(_ name: String) -> String {
        let shown = name.count > 40 ? name.prefix(40) + "…" : name[...]
        return "There is no field '\(shown)'; an entity has name, category and notes."
    }
}

extension CSVRecord {
    fileprivate func entityRow(_ columns: [EntityColumn]) -> EntityFileRow {
        guard fields.count == columns.count else {
            return .wrong([
                ValidationFinding(
                    "The row has \(fields.count) fields, but the header \(columns.count).", line: line)
            ])
        }
        var texts: [EntityField: String] = [:]
        for (index, column) in columns.enumerated() {
            guard let text = text(index) else {
                return .wrong([
                    ValidationFinding(
                        "The text is not UTF-8.", field: column.field?.rawValue, line: fields[index].line,
                        column: fields[index].column)
                ])
            }
            if let field = column.field { texts[field] = text }
        }
        return .draft(EntityDraft(texts), line: line)
    }
}

/// A line of JSON that describes an entity, and its findings.
private struct EntityLine: Decodable {
    private var texts: [EntityField: String] = [:]
    private var findings: [ValidationFinding] = []

    private struct Member: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        for member in members.allKeys {
            let name = member.stringValue
            guard let column = EntityColumn(name, ignoringCase: false) else {
                findings.append(ValidationFinding(EntityColumn.unknown(name)))
                continue
            }
            guard let field = column.field else { continue }
            if let text = try? members.decode(String.self, forKey: member) {
                texts[field] = text
            } else if try field == .name || !members.decodeNil(forKey: member) {
                let kind = Self.kind(of: try members.decode(JSONValue.self, forKey: member))
                findings.append(
                    ValidationFinding("'\(name)' must be a text, not \(kind).", field: field.rawValue))
            }
        }
        findings.sort { $0.message < $1.message }
    }

    func row(line: Int) -> EntityFileRow {
        guard !findings.isEmpty else { return .draft(EntityDraft(texts), line: line) }
        return .wrong(findings.map { ValidationFinding($0.message, field: $0.field, line: line) })
    }

    private static func kind(of value: JSONValue) -> String {
        switch value {
        case .object: "an object"
        case .array: "an array"
        case .string: "a text"
        case .integer, .number: "a number"
        case .bool: "true or false"
        case .null: "null"
        }
    }
}

extension EntityDraft {
    fileprivate init(_ texts: [EntityField: String]) {
        let texts = texts.mapValues(\.withLineFeeds)
        self.init(name: texts[.name] ?? "", category: texts[.category], notes: texts[.notes])
    }
}

// MARK: - Writing

extension EntityFile {
    func makeWriter() throws -> RowFileWriter {
        var writer = try RowFileWriter(path, replaces: isReplaced)
        if format == .csv { try writer.write(csv: EntityField.allCases.map(\.rawValue)) }
        return writer
    }
}

extension RowFileWriter {
    /// Adds an entity; in JSON, members without a text are left out.
    mutating func write(
        name: String, category: String?, notes: String?, as format: EntityFile.Format
    ) throws {
        switch format {
        case .csv: try write(csv: [name, category ?? "", notes ?? ""])
        case .jsonLines:
            var object: JSONObject = ["name": .string(name)]
            if let category { object["category"] = .string(category) }
            if let notes { object["notes"] = .string(notes) }
            try write(json: .object(object))
        }
    }

    mutating func write(_ entity: Entity, as format: EntityFile.Format) throws {
        try write(name: entity.name, category: entity.category, notes: entity.notes, as: format)
    }

    mutating func write(_ draft: EntityDraft, as format: EntityFile.Format) throws {
        try write(name: draft.name, category: draft.category, notes: draft.notes, as: format)
    }
}
