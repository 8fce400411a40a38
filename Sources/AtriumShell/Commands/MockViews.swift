@_spi(Host) internal import AtriumKit

/// What the commands for the mock services show.
enum MockViews {
    @MainActor
    static func list(_ services: [MockDirector.Key], _ mocks: MockDirector) -> Content {
        Content {
            if services.isEmpty { Notice(.information, "No active module has a service.", hint: "modules") }
            Table(services, key: "mocks") {
                Column("service") { $0.service }
                Column("module") { $0.module }
                Column("scenario") { mocks.scenario(of: $0)?.kind.rawValue ?? "as configured" }
                Column("delay") { mocks.scenario(of: $0).flatMap(Self.delay) }
                Column("calls") { mocks.behavior(of: $0)?.callCount ?? 0 }
            }
        }
    }

    @MainActor
    static func calls(of services: [MockDirector.Key], _ mocks: MockDirector, last: Int) -> Content {
        let all = services.flatMap { key in
            (mocks.behavior(of: key)?.calls ?? []).map { (key: key, call: $0) }
        }.sorted { ($0.call.at, $0.key, $0.call.number) < ($1.call.at, $1.key, $1.call.number) }
        let count = services.reduce(0) { $0 + (mocks.behavior(of: $1)?.callCount ?? 0) }
        return Content {
            if all.isEmpty { Notice(.information, "No mock service was asked anything yet.") }
            Table(all.suffix(last), key: "calls") {
                Column("number") { $0.call.number }
                Column("service") { $0.key.service }
                Column("call") { $0.call.name }
                Column("arguments") { text(of: $0.call.arguments) }
                Column("scenario") { $0.call.scenario.rawValue }
            }
            if count > last, !all.isEmpty {
                Text("The last \(min(last, all.count)) of \(count) calls.")
            }
        }
    }

    private static func delay(_ scenario: MockScenario) -> String? {
        guard scenario.kind == .slow else { return nil }
        let parts = scenario.delay.components
        let milliseconds = parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000
        return "\(Double(milliseconds) / 1_000) s"
    }

    private static func text(of arguments: [String: String]) -> String? {
        guard !arguments.isEmpty else { return nil }
        return arguments.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }
}
