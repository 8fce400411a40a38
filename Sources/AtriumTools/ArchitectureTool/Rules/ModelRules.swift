/// What models may hold, and how long their files are.
extension Rule {
    private static let neutral: Set<Substring> = [
        "Swift", "AtriumKit", "Foundation", "FoundationEssentials", "Observation", "Synchronization",
        "Dispatch", "_Concurrency", "_StringProcessing", "__C",
        "Glibc",
    ]

    /// A model belongs to one context; a use case joins several.
    ///
    /// Contexts are the folders inside Model/ and AggregateModel/, and each imported module besides the SDK and the
    /// toolchain's. A model's stored properties may name types of its own context and of one other; types directly in
    /// Model/ belong to all contexts.
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

    /// The types that the stored properties of each type name, by its USR.
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

    private static let longestModel = 500

    /// A model's file stays short enough to read in a sitting.
    static let modelSize = Rule("model-size") { code in
        code.files.enumerated().compactMap { index, file in
            let lines = file.lines.last?.isEmpty == true ? file.lines.count - 1 : file.lines.count
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
