import SwiftSyntax

/// Rules for models: what they hold, and how long their files are.
extension Rule {
    private static let neutral: Set<Substring> = [
        "Swift", "AtriumKit", "Foundation", "FoundationEssentials", "Observation", "Synchronization",
        "Dispatch", "_Concurrency", "_StringProcessing", "__C",
        "Glibc",
    ]

    /// A model belongs to one context; a use case joins several.
    ///
    /// Contexts are the folders inside Model/ and AggregateModel/, and each imported module besides the SDK
    /// and the toolchain's. A model's stored properties may name types of its own context and of one other;
    /// types directly in Model/ belong to all contexts.
    static let modelContexts = Rule("model-contexts") { code in
        let stored = storedTypes(in: code)
        return code.declarations.values.findings { model in
            guard model.symbol.isType, let layer = code.layer(of: model.symbol.usr),
                [.model, .aggregateModel].contains(layer)
            else { return nil }
            let own = context(ofFile: model.file, in: code)
            let contexts = Set((stored[model.symbol.usr] ?? []).compactMap { context(of: $0, in: code) })
                .subtracting([own].compactMap(\.self))
            guard contexts.count > 1 else { return nil }
            let list = contexts.sorted().map { "'\($0)'" }.joined(separator: ", ")
            return "'\(model.symbol.name)' holds models of several contexts (\(list)); "
                + "split it by context, and join them in a use case"
        }
    }

    /// The types named by the stored properties of each type, by its USR.
    private static func storedTypes(in code: CodeBase) -> [String: [Symbol]] {
        var found: [String: [Symbol]] = [:]
        for property in code.storedProperties where property.declaration.symbol.kind == .instanceProperty {
            guard let owner = code.type(around: property.declaration.symbol.usr) else { continue }
            let names = property.type.split { !($0.isLetter || $0.isNumber || "._".contains($0)) }
            found[owner, default: []] += names.compactMap { code.types[String($0)] }
        }
        return found
    }

    private static func context(of symbol: Symbol, in code: CodeBase) -> String? {
        if let declaration = code.declarations[symbol.usr] {
            return context(ofFile: declaration.file, in: code)
        }
        guard let module = QualifiedName(usr: symbol.usr)?.module, !neutral.contains(module) else {
            return nil
        }
        return String(module)
    }

    private static func context(ofFile index: Int, in code: CodeBase) -> String? {
        let path = code.files[index].path.dropFirst(code.target.folder.count + 1)
        let parts = path.split(separator: "/")
        guard [.model, .aggregateModel].contains(code.layer(ofFile: index)), parts.count > 2 else {
            return nil
        }
        return "\(parts[0])/\(parts[1])"
    }

    /// A model is a value: equal ones are interchangeable, and none changes unseen.
    static let modelClass = Rule("model-class") { code in
        func problem(_ name: TokenSyntax, _ kind: String, _ file: Int) -> (any SyntaxProtocol, String)? {
            // A class inside a function is not in the index; its file determines the layer.
            let declared = code.files[file].symbol(at: name).flatMap { code.layer(of: $0.usr) }
            guard declared ?? code.layer(ofFile: file) == .model else { return nil }
            return (
                name,
                "'\(name.text)' is \(kind) in Model, where values are; "
                    + "make it a struct or an enum, or an aggregate model if screens share it"
            )
        }
        return code.findings(at: ClassDeclSyntax.self) { problem($0.name, "a class", $1) }
            + code.findings(at: ActorDeclSyntax.self) { problem($0.name, "an actor", $1) }
    }

    private static let foreignWork: Set<String> = [
        "APIClient", "Database", "HTTPTransport", "Analytics", "AnalyticsEvent", "SessionManager",
        "SessionState",
        "SessionWriter", "Navigator", "FlowManager", "FlowModel", "Cache", "OfflineStore", "OwnedTasks",
        "Logger",
    ]

    /// A model has data and its field rules; it awaits nothing and calls no other layer.
    static let modelLogic = Rule("model-logic") { code in
        let waiting = code.declarations.values.findings { declaration in
            guard declaration.symbol.kind.isFunction || declaration.symbol.kind == .initializer,
                !declaration.isImplicit, code.layer(of: declaration.symbol.usr) == .model,
                QualifiedName.isAsync(usr: declaration.symbol.usr)
            else { return nil }
            return "'\(declaration.symbol.baseName)' of a model is 'async', so it asks somebody; "
                + "let a repository do the work, with the model as a value"
        }
        let asking = code.references.findings { reference in
            guard code.layer(of: reference) == .model, reference.symbol.kind != .parameter else { return nil }
            let type =
                reference.symbol.sdkType.flatMap { foreignWork.contains($0) ? $0 : nil }
                ?? ["FileManager", "UserDefaults", "FileHandle"].first { type in
                    let path = QualifiedName(usr: reference.symbol.usr)?.foundationPath
                    return path?.hasPrefix("Foundation.\(type)") == true
                }
            return type.map {
                "a model refers to '\($0)'; let a repository do that, with the model as a value"
            }
        }
        return waiting + asking
    }

    private static let longestModel = 500

    /// A model's file stays short enough to read in a sitting.
    static let modelSize = Rule("model-size") { code in
        code.files.enumerated().compactMap { index, file in
            let lines = file.text.utf8.count { $0 == UInt8(ascii: "\n") }
            guard [.model, .aggregateModel, .viewModel].contains(code.layer(ofFile: index)),
                lines > longestModel
            else { return nil }
            return Finding(
                file: index,
                message:
                    "\(lines) lines are more than one model, at most \(longestModel) are read in a sitting; "
                    + "split it by what changes together")
        }
    }
}
