/// The anti-patterns of the design documents and their review checklist, with the verdict on each.
enum Checklist {
    /// In the order of the documents; the second document repeats two items of the first.
    static let items: [Item] = antiPatterns + repeated + review

    struct Item: Sendable {
        let group: String
        let number: Int
        let name: String
        /// The rules that find it, each optionally with a prefix of its messages; empty if no rule can.
        var rules: [String] = []
        /// Why it does not compile, if it doesn't.
        var compiler: String?
        /// The test among a module's own tests that checks it, if neither rules nor compiler suffice.
        var test: String?
    }

    private static let antiPatterns: [Item] = [
        Item(
            group: "MVVM", number: 1, name: "A view calls a repository",
            rules: ["repository-access: a view refers"],
            compiler: "ScreenContext gives no repository"),
        Item(
            group: "MVVM", number: 2, name: "Business logic in a view model",
            rules: ["view-model-logic", "service-access: a view model"],
            compiler: "ViewModelContext gives no service and no API client"),
        Item(
            group: "MVVM", number: 3, name: "A view model holds views",
            rules: ["upward-reference: a view model"]),
        Item(
            group: "MVVM", number: 4, name: "A model with business logic",
            rules: ["model-logic", "repository-access: a model", "upward-reference: a model"]),
        Item(
            group: "Repository", number: 1, name: "A view calls a repository",
            rules: ["repository-access: a view refers"],
            compiler: "ScreenContext gives no repository"),
        Item(
            group: "Repository", number: 2, name: "A repository calls the API",
            rules: ["service-access: a repository", "direct-networking"],
            compiler: "RepositoryContext gives no API client and no database"),
        Item(
            group: "Repository", number: 3, name: "A service calls another service",
            rules: ["service-to-service"],
            compiler: "ServiceContext gives no service"),
        Item(
            group: "Repository", number: 4, name: "A repository without business logic",
            rules: ["pass-through-repository"]),
        Item(group: "Service", number: 1, name: "A service with business logic", rules: ["service-logic"]),
        Item(group: "Service", number: 2, name: "A service without a protocol", rules: ["concrete-service"]),
        Item(
            group: "Service", number: 3, name: "A service calls other services",
            rules: ["service-to-service"],
            compiler: "ServiceContext gives no service"),
        Item(
            group: "Service", number: 4, name: "A service without a mock",
            compiler: "ModuleRegistry.service(_:live:local:mock:) takes a mock that is never unavailable"),
        Item(
            group: "APIManager", number: 1, name: "A class instead of an actor",
            rules: ["unchecked-sendable"],
            compiler: "APIManager is an actor of the host, and no module can create one"),
        Item(
            group: "APIManager", number: 2, name: "Networking past the API manager",
            rules: ["direct-networking"]),
        Item(
            group: "Singleton", number: 1, name: "A service as a singleton",
            rules: ["singleton", "global-access"]),
        Item(
            group: "Singleton", number: 2, name: "Several instances of a singleton",
            compiler: "SessionManager.init and FlowManager.init are private"),
        Item(
            group: "Singleton", number: 3, name: "A singleton with business logic",
            rules: ["singleton", "singleton-state"]),
    ]

    /// The items that the second document repeats.
    private static let repeated: [Item] = antiPatterns.prefix(2).map { item in
        Item(
            group: "MVVM, again", number: item.number, name: item.name, rules: item.rules,
            compiler: item.compiler)
    }

    private static let review: [Item] = [
        Item(
            group: "Review", number: 1, name: "View models are on the main actor",
            compiler: "ViewModel is a protocol of the main actor"),
        Item(group: "Review", number: 2, name: "No business logic in views", rules: ["view-logic"]),
        Item(
            group: "Review", number: 3, name: "No service in views",
            rules: ["repository-access: a view refers", "service-access: a view refers"],
            compiler: "ScreenContext gives no service"),
        Item(
            group: "Review", number: 4, name: "State belongs to view models",
            rules: ["view-state", "writable-state"]),
        Item(
            group: "Review", number: 5, name: "async and await, no completion handlers",
            rules: ["completion-handler"]),
        Item(
            group: "Review", number: 6, name: "Everything shown has a label",
            compiler: "Field, Column and Notice are made of a name or a sentence"),
        Item(
            group: "Review", number: 7, name: "Text adapts to the reader",
            test: "'ModuleConformance.run' renders each screen from 20 to 200 columns"),
        Item(
            group: "Review", number: 8, name: "Everything can be reached",
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
    }

    func verdict(in report: Report) -> Verdict {
        let rules = rules.map { $0.split(separator: ": ") }
        let findings = report.lines.filter { line in
            rules.contains { $0[0] == line.rule && ($0.count == 1 || line.message.hasPrefix($0[1])) }
        }
        return Verdict(
            antiPattern: "\(group) \(number)", name: name, rules: rules.map { String($0[0]) },
            findings: findings, compiler: compiler, test: test)
    }
}

extension Checklist {
    /// The checklist as text: number, name, verdict, and the places of violations.
    static func text(of report: Report) -> [String] {
        let width = items.map(\.name.count).max() ?? 0
        var number = 0
        var group = ""
        return items.flatMap { item in
            var lines: [String] = []
            if item.group != group {
                group = item.group
                lines += ["", group]
            }
            number += 1
            let name = item.name.padding(to: width)
            let verdict = item.verdict(in: report)
            lines.append("\("\(number)".padding(to: -2))  \(name)  \(words(verdict))")
            lines += verdict.findings.map { "      \($0.file):\($0.line) \($0.rule)" }
            return lines
        } + [""]
    }

    private static func words(_ verdict: Item.Verdict) -> String {
        let found = verdict.findings.isEmpty ? "nothing" : "\(verdict.findings.count)"
        let rules = verdict.rules.isEmpty ? nil : "\(found) found by \(verdict.rules.joined(separator: ", "))"
        let isRule = verdict.antiPattern.hasPrefix("Review")
        let compiler = verdict.compiler.map {
            "\(isRule ? "ensured" : "made impossible") by the compiler: \($0)"
        }
        return [rules, compiler, verdict.test.map { "tested: \($0)" }].compactMap(\.self).joined(
            separator: "; ")
    }
}

extension String {
    /// The text padded with trailing spaces, or leading ones for a negative width.
    fileprivate func padding(to width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - count))
        return width < 0 ? spaces + self : self + spaces
    }
}
