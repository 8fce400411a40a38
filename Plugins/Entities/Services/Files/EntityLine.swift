import AtriumKit

/// A line of JSON that describes an entity.
enum EntityLine {
    /// Reads a line.
    static func read(_ bytes: [UInt8], line: Int) -> EntityFileReader.Row {
        var text = JSONText(bytes)
        var texts = EntityTexts()
        var seen: Set<EntityColumn> = []
        var findings: [EntityFileFinding] = []
        func finding(_ mistake: JSONText.Mistake, field: EntityField? = nil) -> EntityFileFinding {
            EntityFileFinding(
                line: line, column: column(of: mistake.index, in: bytes), field: field?.rawValue,
                message: mistake.message)
        }
        do {
            guard try text.kind() == .object else { throw text.mistake("An object is expected.") }
            try text.object { text, name, start in
                guard let column = EntityColumn(exactly: name) else {
                    findings.append(finding(text.mistake(EntityColumn.unknown(name), at: start)))
                    return try text.skipValue()
                }
                if !seen.insert(column).inserted {
                    findings.append(finding(text.mistake("There are two members '\(name)'.", at: start)))
                }
                guard let field = column.field else { return try text.skipValue() }
                let (place, kind) = (text.index, try text.kind())
                switch kind {
                case .string: texts[field] = try text.string()
                case .null where field != .name: try text.skipValue()
                default:
                    let message = "'\(field.rawValue)' must be a text, not \(kind.rawValue)."
                    findings.append(finding(text.mistake(message, at: place), field: field))
                    try text.skipValue()
                }
            }
            try text.end()
        } catch let mistake as JSONText.Mistake {
            return .wrong(findings + [finding(mistake)])
        } catch {
            return .wrong([EntityFileFinding(line: line, message: LoadFailure(error).message)])
        }
        return findings.isEmpty ? .draft(texts.draft, line: line) : .wrong(findings)
    }

    /// The character that a byte belongs to, from 1.
    private static func column(of index: Int, in bytes: [UInt8]) -> Int {
        bytes.prefix(index).count { $0 & 0xC0 != 0x80 } + 1
    }
}

extension EntityColumn {
    /// The column of a member's name, whose case counts; nil where there is none.
    fileprivate init?(exactly name: String) {
        guard let column = EntityColumn(name) else { return nil }
        let known = if case .ignored(let known) = column { known } else { column.field?.rawValue }
        guard known == name else { return nil }
        self = column
    }
}
