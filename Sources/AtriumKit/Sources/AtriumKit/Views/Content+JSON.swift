extension Content {
    /// The content for programs: fields, groups and progress as members, tables as lists of objects under
    /// their key, the heading as `title`, paragraphs as `text`, messages as `notices`.
    public var json: JSONObject {
        var object = JSONObject()
        var paragraphs: [JSONValue] = []
        var notices: [JSONValue] = []
        for block in blocks {
            switch block {
            case .title(let text): if object["title"] == nil { object["title"] = .string(text) }
            case .text(let text): paragraphs.append(.string(text))
            case .field(let field): object[field.key] = field.value
            case .table(let table): object[table.key] = .array(table.rows.map { .object(table.json(of: $0)) })
            case .notice(let notice): notices.append(.object(notice.json))
            case .group(let key, let content): object[key] = .object(content.json)
            case .verbatim(let verbatim): object[verbatim.key] = verbatim.value
            case .progress(let progress): object[progress.key] = .object(progress.json)
            }
        }
        if !paragraphs.isEmpty { object["text"] = .array(paragraphs) }
        if !notices.isEmpty { object["notices"] = .array(notices) }
        return object
    }
}

extension TableContent {
    func json(of row: [Cell]) -> JSONObject {
        var object = JSONObject()
        for (heading, cell) in zip(headings, row) { object[heading.key] = cell.value }
        return object
    }
}

extension Notice {
    var json: JSONObject {
        var object: JSONObject = ["kind": .string(kind.rawValue), "text": .string(text)]
        if let hint { object["hint"] = .string(hint) }
        return object
    }
}
