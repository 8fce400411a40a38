internal import Synchronization

/// The format of a file of records.
public enum RecordFileFormat: String, CaseIterable, Sendable, Hashable, ArgumentValue {
    /// Comma-separated values (RFC 4180) in UTF-8; the first line names the fields.
    case csv
    /// One JSON object a line (RFC 8259), with the fields as members.
    case jsonLines = "jsonl"

    /// Returns the format that the end of a file's name tells.
    ///
    /// - Throws: ``ServiceError`` `unknownFormat`.
    static func of(_ path: String) throws -> RecordFileFormat {
        let name = path.lowercased()
        if name.hasSuffix(".csv") { return .csv }
        if name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") { return .jsonLines }
        throw ServiceError(
            "unknownFormat",
            "The format of '\(path)' is not known: its name ends neither in .csv nor in .jsonl.",
            hint: "Give the format: --format csv or --format jsonl.", category: .validation)
    }
}

/// A file of records: the fields that users fill in, or all of them with the id.
///
/// When it is read, the id and fields that users can't change are ignored.
struct RecordFile<Item: Record>: Hashable, Sendable {
    let path: String
    let format: RecordFileFormat
    var isReplaced = false
    /// True if it is written with the id and the fields that users can't change.
    var isComplete = false
    /// True if texts that a spreadsheet would take for formulas are marked; see ``FormulaMark``.
    var marksFormulas = false

    private static var mostFindings: Int { 100 }
    static var stride: Int { 1_000 }

    private var written: [RecordField<Item>] {
        isComplete ? Item.fields.all.filter { !$0.traits.isSecret } : Item.fields.exported
    }

    init(path: String, format: RecordFileFormat) {
        (self.path, self.format) = (path, format)
    }

    /// A file of a given format, by default the one that its name implies.
    init(_ path: String, format: RecordFileFormat? = nil) throws {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ServiceError(
                "unknownFormat", "A file needs a name, without NUL in it.", category: .validation)
        }
        self.init(path: path, format: try format ?? .of(path))
    }

    // MARK: - Reading

    /// Reads and checks the whole file; throws ``ValidationError`` with the mistakes of its rows.
    @concurrent func check() async throws {
        var findings: [ValidationFinding] = []
        var rows = 0
        try read { row, line in
            findings += row.findings(at: line)
            rows += 1
            if rows.isMultiple(of: Self.stride) { try Task.checkCancellation() }
            return findings.count < Self.mostFindings
        }
        guard findings.isEmpty else { throw error(Array(findings.prefix(Self.mostFindings))) }
    }

    /// Passes each record of a checked file to `body`, and from time to time the number of records done to
    /// `progress`, but not at the end.
    func forEach(progress: (Int) -> Void, _ body: (Item) throws -> Void) throws {
        var rows = 0
        try read { row, line in
            let findings = row.findings(at: line)
            guard findings.isEmpty, case .success(let record) = row else { throw error(findings) }
            try body(record)
            rows += 1
            if rows.isMultiple(of: Self.stride) {
                try Task.checkCancellation()
                progress(rows)
            }
            return true
        }
    }

    @concurrent func records(progress: @Sendable (Int) -> Void) async throws -> [Item] {
        var records: [Item] = []
        try forEach(progress: progress) { records.append($0) }
        return records
    }

    /// A refusal of a service, which counts records from 1, with the lines of this file.
    @concurrent func locating(_ refusal: ValidationError) async throws -> ValidationError {
        let refused = Set(refusal.findings.compactMap(\.line))
        var (row, lines) = (0, [Int: Int]())
        try read { _, line in
            row += 1
            if refused.contains(row) { lines[row] = line }
            return row < refused.max() ?? 0
        }
        let located = refusal.findings.prefix(Self.mostFindings).map { finding in
            ValidationFinding(
                finding.message, field: finding.field, line: finding.line.flatMap { lines[$0] } ?? 1)
        }
        return error(located, cause: refusal.cause ?? refusal)
    }

    /// Calls `body` with each row and its line until it returns false.
    func read(_ body: (Result<Item, ValidationError>, Int) throws -> Bool) throws {
        switch format {
        case .csv:
            var reader = try CSVReader(path)
            guard let heading = try locating({ try reader.next() }) else {
                throw error([
                    ValidationFinding(
                        "The file is empty; its first line names the columns: "
                            + "\(Item.fields.editable.map(\.name).joined(separator: ",")).", line: 1)
                ])
            }
            let fields = try fields(of: heading)
            while true {
                do {
                    guard let record = try reader.next() else { return }
                    guard try body(self.record(record, fields), record.line) else { return }
                } catch let error as RowError {
                    guard try body(.failure(ValidationError(findings: [error.finding])), 0) else { return }
                    if error.isLast { return }
                }
            }
        case .jsonLines:
            var reader = try JSONLinesReader(path)
            while true {
                do {
                    guard let (line, value) = try reader.next(JSONValue.self) else { return }
                    guard try body(Self.record(value), line) else { return }
                } catch let error as RowError {
                    guard try body(.failure(ValidationError(findings: [error.finding])), 0) else { return }
                    if error.isLast { return }
                }
            }
        }
    }

    private func locating<Value>(_ read: () throws -> Value) throws -> Value {
        do { return try read() } catch let error as RowError { throw self.error([error.finding]) }
    }

    /// The fields of the columns; nil for one that is ignored.
    private func fields(of heading: CSVRecord) throws -> [RecordField<Item>?] {
        let fields = try columns(of: heading)
        let missing = Item.fields.editable.first { field in
            !field.findings(in: Item()).isEmpty && !fields.contains { $0?.name == field.name }
        }
        guard let missing else { return fields }
        throw error([
            ValidationFinding("There is no column '\(missing.name)'.", line: heading.line)
        ])
    }

    private func columns(of heading: CSVRecord) throws -> [RecordField<Item>?] {
        var names: Set<String> = []
        return try heading.fields.enumerated().map { index, position in
            func mistake(_ message: String) -> ValidationError {
                error([ValidationFinding(message, line: position.line, column: position.column)])
            }
            guard let text = heading.text(index)?.trimmed else { throw mistake("The text is not UTF-8.") }
            let name = text.lowercased()
            guard names.insert(name).inserted else {
                throw mistake("There are two columns '\(text.excerpt)'.")
            }
            if name == "id" { return nil }
            guard let field = Item.fields.all.first(where: { $0.name.lowercased() == name }) else {
                throw mistake(Self.unknown(text))
            }
            return field.traits.isReadOnly ? nil : field
        }
    }

    private static func unknown(_ name: String) -> String {
        let names = Item.fields.exported.map(\.name)
        return
            "There is no field '\(name.excerpt)'; \(Item.fields.noun.withArticle) has \(names.listed(with: "and"))."
    }

    private func record(
        _ row: CSVRecord, _ fields: [RecordField<Item>?]
    ) -> Result<Item, ValidationError> {
        guard row.fields.count == fields.count else {
            return .failure(
                ValidationError(findings: [
                    ValidationFinding(
                        "The row has \(row.fields.count) fields, but the header \(fields.count).")
                ]))
        }
        return Self.record { record, findings in
            for (index, field) in fields.enumerated() {
                guard let field else { continue }
                guard var text = row.text(index) else {
                    let position = row.fields[index]
                    findings.append(
                        ValidationFinding(
                            "The text is not UTF-8.", field: field.name, line: position.line,
                            column: position.column))
                    continue
                }
                if marksFormulas, field.isText { text = FormulaMark.removed(from: text) }
                if let finding = field.access.set(&record, text) { findings.append(finding) }
            }
        }
    }

    private static func record(_ value: JSONValue) -> Result<Item, ValidationError> {
        guard case .object(let object) = value else {
            return .failure(ValidationError(findings: [ValidationFinding("An object is expected.")]))
        }
        return record { record, findings in
            for member in object.members where member.key != "id" {
                guard let field = Item.fields[member.key] else {
                    findings.append(ValidationFinding(unknown(member.key)))
                    continue
                }
                if field.traits.isReadOnly { continue }
                // A text as it would be typed: without white space around it.
                let finding =
                    if field.isText, case .string(let text) = member.value {
                        field.access.set(&record, text)
                    } else { field.access.set(&record, member.value) }
                if let finding { findings.append(finding) }
            }
        }
    }

    /// Makes a record; its rules are checked where its values could be read.
    private static func record(
        _ fill: (inout Item, inout [ValidationFinding]) -> Void
    ) -> Result<Item, ValidationError> {
        var (record, findings) = (Item(), [ValidationFinding]())
        fill(&record, &findings)
        let broken = record.validateInput()
        if !broken.isEmpty {
            let unread = Set(findings.map(\.field))
            findings += broken.filter { !unread.contains($0.field) }
        }
        return findings.isEmpty ? .success(record) : .failure(ValidationError(findings: findings))
    }

    private func error(_ findings: [ValidationFinding], cause: (any Error)? = nil) -> ValidationError {
        let isCut = findings.count >= Self.mostFindings
        let count = findings.count == 1 ? "a mistake" : "\(findings.count) mistakes\(isCut ? " or more" : "")"
        let shown = findings.prefix(3).map(\.text)
        let more = findings.count > shown.count ? " And \(findings.count - shown.count) more." : ""
        return ValidationError(
            "invalidFile", findings: findings,
            message: "The file '\(path)' has \(count); nothing was imported. "
                + shown.joined(separator: " ") + more, hint: "Correct the file, then import it again.",
            cause: cause)
    }

    // MARK: - Writing

    /// Writes every record of a service; returns how many.
    @concurrent func export(
        from service: any RecordService<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        // First, so that an unwritable file is reported before anything is read.
        let writer = try RecordFileWriter(self)
        try await service.forEachPart { part in
            try Task.checkCancellation()
            progress(try writer.write(part))
        }
        try Task.checkCancellation()
        return try writer.finish()
    }

    fileprivate var heading: [String]? {
        format == .csv ? (isComplete ? ["id"] : []) + written.map(\.name) : nil
    }

    fileprivate func write(_ records: [Item], to writer: inout RowFileWriter) throws(FileError) {
        let fields = written
        for record in records {
            switch format {
            case .csv:
                let id = isComplete ? ["\(record.id)"] : []
                let texts = fields.map { field in
                    let text = field.text(of: record) ?? ""
                    return marksFormulas && field.isText ? FormulaMark.added(to: text) : text
                }
                try writer.write(csv: id + texts)
            case .jsonLines: try writer.write(json: .object(members(of: record, fields)))
            }
        }
    }

    /// The members of a line, unless the file is complete without those that an import would set to nothing.
    private func members(of record: Item, _ fields: [RecordField<Item>]) -> JSONObject {
        if isComplete { return record.exchanged }
        var object = JSONObject()
        for field in fields {
            let value = field.json(of: record)
            if value != .null || field.json(of: Item()) != .null { object[field.name] = value }
        }
        return object
    }
}

/// An apostrophe before a text that a spreadsheet would take for a formula, and before one that looks marked.
private enum FormulaMark {
    static func added(to text: String) -> String { isFormula(text[...]) ? "'\(text)" : text }

    static func removed(from text: String) -> String {
        text.hasPrefix("'") && isFormula(text.dropFirst()) ? String(text.dropFirst()) : text
    }

    /// True if the text begins like a formula, perhaps after marks.
    private static func isFormula(_ text: Substring) -> Bool {
        text.utf8.first { $0 != UInt8(ascii: "'") }.map { "=+-@\t\r".utf8.contains($0) } ?? false
    }
}

/// A file that is being written, part by part; it has its name when it is finished.
final class RecordFileWriter<Item: Record>: Sendable {
    private let file: RecordFile<Item>
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var writer: RowFileWriter?
        var count = 0
    }

    init(_ file: RecordFile<Item>) throws {
        self.file = file
        var writer = try RowFileWriter(file.path, replaces: file.isReplaced)
        if let heading = file.heading { try writer.write(csv: heading) }
        state = Mutex(State(writer: writer))
    }

    /// Adds records, and returns how many there are now.
    func write(_ records: [Item]) throws -> Int {
        try state.withLock { state in
            guard var writer = state.writer.take() else { return state.count }
            try file.write(records, to: &writer)
            state.count += records.count
            state.writer = consume writer
            return state.count
        }
    }

    /// Gives the file its name, and returns the number of records.
    func finish() throws -> Int {
        try state.withLock { state in
            try state.writer.take()?.finish()
            return state.count
        }
    }
}

extension Result where Failure == ValidationError {
    /// The findings of a row, on a line of its file; 0 if they have their own.
    fileprivate func findings(at line: Int) -> [ValidationFinding] {
        guard case .failure(let error) = self else { return [] }
        return error.findings.map { finding in
            line == 0 || finding.line != nil
                ? finding : ValidationFinding(finding.message, field: finding.field, line: line)
        }
    }
}
