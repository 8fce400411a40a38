@_spi(Host) package import AtriumKit
internal import AtriumText

/// JSON that code or a service returned, as content: an object as fields, a list as a table.
@MainActor
package enum JSONViews {
    /// The content of a value; `text` is that of one that is neither, by default its JSON.
    package static func content(of json: JSONValue, _ text: String? = nil) -> Content {
        switch json {
        case .array(let items): list(items)
        case .object(let object): fields(object)
        default: Content { Field("value", ShownJSON(json, text)) }
        }
    }

    private static func fields(_ object: JSONObject) -> Content {
        Content {
            for member in object.members where member.value.arrayOfObjects == nil {
                Field(member.key, ShownJSON(member.value))
            }
            for member in object.members {
                if let rows = member.value.arrayOfObjects { table(rows, key: member.key) }
            }
        }
    }

    private static func list(_ items: [JSONValue]) -> Content {
        let rows = JSONValue.array(items).arrayOfObjects ?? items.map { ["value": $0] }
        return Content { table(rows, key: "rows") }
    }

    private static func table(_ rows: [JSONObject], key: String) -> Table<JSONObject> {
        Table(rows, key: key) {
            for name in rows.flatMap({ $0.members.map(\.key) }).uniqued {
                Column(name) { ShownJSON($0[name] ?? .null) }
            }
        }
    }
}

/// JSON as users read it: texts without quotes, nothing for null.
struct ShownJSON: Displayable {
    let json: JSONValue
    let displayText: String

    init(_ json: JSONValue, _ text: String? = nil) {
        self.json = json
        displayText =
            switch json {
            case .null: "-"
            case .string(let string): string
            case .bool(let flag): flag.argumentText
            default: text ?? json.serialized
            }
    }
}

extension JSONValue {
    /// The objects of a list that has nothing else; nil otherwise.
    fileprivate var arrayOfObjects: [JSONObject]? {
        guard case .array(let items) = self else { return nil }
        let objects = items.compactMap { item in if case .object(let object) = item { object } else { nil } }
        return objects.count == items.count ? objects : nil
    }
}
