@_spi(Host) internal import AtriumKit
internal import AtriumText

/// The content of `tap`, `call` and `fault`.
@MainActor
enum CallViews {
    static func taps(_ taps: [ServiceTaps.Running]) -> Content {
        Content {
            if taps.isEmpty { Notice(.information, "Nothing is tapped.", hint: "tap SERVICE") }
            Table(taps) {
                Column("service") { $0.tap.target.name }
                Column("module") { $0.tap.target.key.module }
                Column("only") { $0.conditions }
                Column("calls") { $0.tap.count }
                Column("limit") { $0.tap.limit }
            }
        }
    }

    static func faults(_ faults: [(key: MockDirector.Key, fault: CallFault)]) -> Content {
        Content {
            if faults.isEmpty {
                Notice(.information, "No service has a fault.", hint: "fault SERVICE --error CODE")
            }
            Table(faults) {
                Column("service") { $0.key.service + ($0.fault.method.map { ".\($0)" } ?? "") }
                Column("error") { $0.fault.error.map { "\($0)" } }
                Column("delay") { $0.fault.delay?.words }
                Column("rate") { $0.fault.rate.argumentText }
                Column("hits") { $0.fault.hits }
            }
        }
    }

    /// The methods of all services, with their arguments, or why they can't be called.
    static func methods(_ services: [RegisteredService]) -> Content {
        let rows = services.flatMap { service -> [(service: RegisteredService, method: ServiceMethod?)] in
            service.obstacle == nil ? service.methods.map { (service, $0) } : [(service, nil)]
        }
        return Content {
            if rows.isEmpty { Notice(.information, "No active module has a service.", hint: "modules") }
            Table(rows) {
                Column("method") { row in
                    row.service.key.service + (row.method.map { ".\($0.baseName)" } ?? "")
                }
                Column("arguments") { row in
                    row.method?.parameters.map(\.description).map {
                        $0.isRequired ? "--\($0.name)" : "[--\($0.name)]"
                    }.joined(separator: " ")
                }
                Column("obstacle", label: "Can't be called, because") { row in
                    row.service.obstacle ?? row.method?.obstacle
                }
            }
        }
    }

    static func result(_ result: CallResult) -> Content {
        switch result.json {
        case .array(let items): list(items)
        case .object(let object): fields(object)
        default:
            Content {
                if let text = result.text {
                    Field("value", ShownJSON(result.json ?? .string(text), text))
                } else {
                    Notice(.success, "It returned.")
                }
            }
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
private struct ShownJSON: Displayable {
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
