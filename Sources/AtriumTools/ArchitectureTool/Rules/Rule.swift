/// A rule of the architecture that neither types nor linking can enforce.
protocol Rule: Sendable {
    /// The name in brackets before each message, and in the comment that allows an exception.
    var name: String { get }

    /// All violations of the rule in a target.
    func violations(in code: CodeBase) -> [Violation]
}

/// All rules, in the order of Docs/architecture-check.md.
enum Rules {
    static let all: [any Rule] =
        LayerPolicy.rules + [
            PassThroughRepository(), ConcreteService(), ServiceLogic(), ServiceToService(),
            DirectNetworking(),
            SingletonState(), SingletonRule(), ErrorText(), ModelSize(), ModelContexts(), FolderNames(),
        ]

    /// The names that an exception may give.
    static let names = Set(all.map(\.name))
}

/// A line that breaks a rule.
struct Violation: Hashable {
    let rule: String
    /// The index of its file in ``CodeBase/files``.
    let file: Int
    let line: Int
    let column: Int
    /// What is wrong and what to do, in one sentence.
    let message: String
}

extension Rule {
    func violation(at reference: Reference, _ message: String) -> Violation {
        violation(in: reference.file, at: reference.occurrence, message)
    }

    func violation(at declaration: Declaration, _ message: String) -> Violation {
        violation(in: declaration.file, at: declaration.occurrence, message)
    }

    func violation(in file: Int, at occurrence: Occurrence, _ message: String) -> Violation {
        Violation(
            rule: name, file: file, line: occurrence.line, column: occurrence.column, message: message)
    }
}
