/// The anti-patterns of the design documents and their review checklist, with the verdict on each.
enum Checklist {
    struct Item: Sendable {
        /// The document's part, with the number in it.
        let section: String
        let name: String
        /// The rules that find it, each optionally with a prefix of its messages; empty if no rule can.
        var rules: [String] = []
        /// Why it does not compile, if it doesn't.
        var compiler: String?
        /// The test among a module's own tests that checks it, if neither rules nor compiler suffice.
        var test: String?
    }

    /// In the order of the documents; the second document repeats two items of the first.
    static let items: [Item] = [
        Item(
            section: "MVVM 1", name: "A view calls a repository", rules: ["repository-access: a view refers"],
            compiler: "ScreenContext gives no repository"),
        Item(
            section: "MVVM 2", name: "Business logic in a view model",
            rules: ["view-model-logic", "service-access: a view model"],
            compiler: "ViewModelContext gives no service and no API client"),
        Item(
            section: "MVVM 3", name: "A view model holds views", rules: ["upward-reference: a view model"]),
        Item(
            section: "MVVM 4", name: "A model with business logic",
            rules: ["model-logic", "repository-access: a model", "upward-reference: a model"]),
        Item(
            section: "Repository 1", name: "A view calls a repository",
            rules: ["repository-access: a view refers"], compiler: "ScreenContext gives no repository"),
        Item(
            section: "Repository 2", name: "A repository calls the API",
            rules: ["service-access: a repository", "direct-networking"],
            compiler: "RepositoryContext gives no API client and no database"),
        Item(
            section: "Repository 3", name: "A service calls another service", rules: ["service-to-service"],
            compiler: "ServiceContext gives no service"),
        Item(
            section: "Repository 4", name: "A repository without business logic",
            rules: ["pass-through-repository"]),
        Item(section: "Service 1", name: "A service with business logic", rules: ["service-logic"]),
        Item(section: "Service 2", name: "A service without a protocol", rules: ["concrete-service"]),
        Item(
            section: "Service 3", name: "A service calls other services", rules: ["service-to-service"],
            compiler: "ServiceContext gives no service"),
        Item(
            section: "Service 4", name: "A service without a mock",
            compiler: "ModuleRegistry.service(_:live:local:mock:) takes a mock that is never unavailable"),
        Item(
            section: "APIManager 1", name: "A class instead of an actor", rules: ["unchecked-sendable"],
            compiler: "APIManager is an actor of the host, and no module can create one"),
        Item(section: "APIManager 2", name: "Networking past the API manager", rules: ["direct-networking"]),
        Item(
            section: "Singleton 1", name: "A service as a singleton", rules: ["singleton", "global-access"]),
        Item(
            section: "Singleton 2", name: "Several instances of a singleton",
            compiler: "SessionManager.init and FlowManager.init are private"),
        Item(
            section: "Singleton 3", name: "A singleton with business logic",
            rules: ["singleton", "singleton-state"]),
        Item(
            section: "MVVM, again 1", name: "A view calls a repository",
            rules: ["repository-access: a view refers"], compiler: "ScreenContext gives no repository"),
        Item(
            section: "MVVM, again 2", name: "Business logic in a view model",
            rules: ["view-model-logic", "service-access: a view model"],
            compiler: "ViewModelContext gives no service and no API client"),
        Item(
            section: "Review 1", name: "View models are on the main actor",
            compiler: "ViewModel is a protocol of the main actor"),
        Item(section: "Review 2", name: "No business logic in views", rules: ["view-logic"]),
        Item(
            section: "Review 3", name: "No service in views",
            rules: ["repository-access: a view refers", "service-access: a view refers"],
            compiler: "ScreenContext gives no service"),
        Item(
            section: "Review 4", name: "State belongs to view models",
            rules: ["view-state", "writable-state"]),
        Item(
            section: "Review 5", name: "async and await, no completion handlers",
            rules: ["completion-handler"]),
        Item(
            section: "Review 6", name: "Everything shown has a label",
            compiler: "Field, Column and Notice are made of a name or a sentence"),
        Item(
            section: "Review 7", name: "Text adapts to the reader",
            test: "'ModuleConformance.run' renders each screen from 20 to 200 columns"),
        Item(
            section: "Review 8", name: "Everything can be reached",
            compiler: "Action has a name, and a number by its place"),
    ]
}

extension Checklist.Item {
    struct Verdict: Encodable {
        let antiPattern: String
        let name: String
        let rules: [String]
        let findings: [Report.Line]
        let compiler: String?
        let test: String?

        fileprivate var words: String {
            let found = findings.isEmpty ? "nothing" : "\(findings.count)"
            let rules = rules.isEmpty ? nil : "\(found) found by \(rules.joined(separator: ", "))"
            let compiler = compiler.map {
                "\(antiPattern.hasPrefix("Review") ? "ensured" : "made impossible") by the compiler: \($0)"
            }
            return [rules, compiler, test.map { "tested: \($0)" }].compactMap(\.self).joined(separator: "; ")
        }
    }

    func verdict(in report: Report) -> Verdict {
        let rules = rules.map { $0.split(separator: ": ") }
        let findings = report.lines.filter { line in
            rules.contains { $0[0] == line.rule && ($0.count == 1 || line.message.hasPrefix($0[1])) }
        }
        return Verdict(
            antiPattern: section, name: name, rules: rules.map { String($0[0]) }, findings: findings,
            compiler: compiler, test: test)
    }
}

extension Checklist {
    /// The checklist as text: number, name, verdict, and the places of violations.
    static func text(of report: Report) -> [String] {
        let width = items.map(\.name.count).max() ?? 0
        return items.enumerated().flatMap { index, item in
            let verdict = item.verdict(in: report)
            let number = index < 9 ? " \(index + 1)" : "\(index + 1)"
            let spaces = String(repeating: " ", count: width - item.name.count)
            return (item.section.hasSuffix(" 1") ? ["", String(item.section.dropLast(2))] : [])
                + ["\(number)  \(item.name)\(spaces)  \(verdict.words)"]
                + verdict.findings.map { "      \($0.file):\($0.line) \($0.rule)" }
        } + [""]
    }
}
