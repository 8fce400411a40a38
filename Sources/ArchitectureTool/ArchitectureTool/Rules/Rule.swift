import SwiftSyntax

/// An architecture rule that neither types nor linking can enforce.
struct Rule: Sendable {
    /// The name in brackets before each message, and in a comment that allows an exception.
    let name: String
    private let applies: @Sendable (CheckedTarget) -> Bool
    private let find: @Sendable (CodeBase) -> [Finding]

    init(
        _ name: String, in targets: @escaping @Sendable (CheckedTarget) -> Bool = { $0.isModule },
        _ find: @escaping @Sendable (CodeBase) -> [Finding]
    ) {
        self.name = name
        applies = targets
        self.find = find
    }

    func violations(in code: CodeBase) -> [Violation] {
        guard applies(code.target) else { return [] }
        return find(code).map {
            Violation(rule: name, file: $0.file, line: $0.line, column: $0.column, message: $0.message)
        }
    }

    /// All rules, in the order of Docs/architecture-check.md.
    static let all = [
        repositoryAccess, serviceAccess, upwardReference, viewLogic, viewState, viewModelLogic, writableState,
        passThroughRepository, concreteService, serviceLogic, serviceToService, directNetworking, modelClass,
        modelLogic, modelSize, modelContexts, singleton, singletonState, globalAccess, unownedTask,
        uncheckedSendable, mockCalls, completionHandler, errorText, errorCause, folderNames,
    ]
}

/// A violation that a rule has found: what is wrong and what to do, in one sentence.
struct Finding {
    let file: Int
    var line = 1
    var column = 1
    let message: String
}

struct Violation: Hashable {
    let rule: String
    /// The index of its file in ``CodeBase/files``.
    let file: Int
    let line: Int
    let column: Int
    let message: String
}

extension Sequence where Element: Located {
    /// A finding for each element for which `problem` is not nil.
    func findings(_ problem: (Element) -> String?) -> [Finding] {
        compactMap { element in
            problem(element).map {
                Finding(
                    file: element.file, line: element.occurrence.line, column: element.occurrence.column,
                    message: $0)
            }
        }
    }
}

extension CodeBase {
    /// A finding at each node for which `problem` is not nil, in all files of a module, or of a layer's folder.
    func findings<Node: SyntaxProtocol>(
        at type: Node.Type, in layer: Layer? = nil,
        _ problem: (Node, _ file: Int) -> (node: any SyntaxProtocol, message: String)?
    ) -> [Finding] {
        guard target.isModule else { return [] }
        return files.indices.filter { layer == nil || self.layer(ofFile: $0) == layer }.flatMap { index in
            files[index].syntax.nodes(type).compactMap { node in
                guard let found = problem(node, index) else { return nil }
                let location = files[index].syntax.location(of: found.node)
                return Finding(
                    file: index, line: location.line, column: location.column, message: found.message)
            }
        }
    }
}
