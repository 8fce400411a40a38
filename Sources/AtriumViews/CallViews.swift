@_spi(Host) package import AtriumKit
internal import AtriumText

/// The content of `tap`, `call` and `fault`.
@MainActor
package enum CallViews {
    package static func taps(_ taps: [(tap: CallTap, conditions: String)]) -> Content {
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

    package static func faults(_ faults: [(key: MockDirector.Key, fault: CallFault)]) -> Content {
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
    package static func methods(_ services: [RegisteredService]) -> Content {
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

    package static func result(_ result: CallResult) -> Content {
        guard let text = result.text else { return Content { Notice(.success, "It returned.") } }
        return JSONViews.content(of: result.json ?? .string(text), text)
    }
}
