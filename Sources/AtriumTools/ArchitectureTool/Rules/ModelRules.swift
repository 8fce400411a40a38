/// A model belongs to one context; a use case joins several.
///
/// Contexts are the folders inside Model/ and AggregateModel/, and each imported module besides the SDK and the
/// toolchain's. A model's stored properties may name types of its own context and of one other; types directly in
/// Model/ belong to all contexts.
struct ModelContexts: Rule {
    let name = "model-contexts"

    private let neutral: Set<Substring> = [
        "Swift", "AtriumKit", "Foundation", "FoundationEssentials", "Observation", "Synchronization",
        "Dispatch",
        "_Concurrency", "_StringProcessing", "__C", "Glibc",
    ]

    func violations(in code: CodeBase) -> [Violation] {
        guard code.target.isModule else { return [] }
        let stored = storedTypes(in: code)
        return code.declarations.values.compactMap { model in
            guard model.symbol.isType, let layer = code.layer(of: model.symbol.usr),
                [.model, .aggregateModel].contains(layer)
            else { return nil }
            let own = context(ofFile: model.file, in: code)
            let contexts = Set((stored[model.symbol.usr] ?? []).compactMap { context(of: $0, in: code) })
                .subtracting([own].compactMap(\.self))
            guard contexts.count > 1 else { return nil }
            let list = contexts.sorted().map { "'\($0)'" }.joined(separator: ", ")
            return violation(
                at: model,
                "'\(model.symbol.name)' holds models of several contexts (\(list)); "
                    + "split it by context, and join them in a use case")
        }
    }

    /// The types that the stored properties of each type name, by its USR.
    private func storedTypes(in code: CodeBase) -> [String: [Symbol]] {
        var found: [String: [Symbol]] = [:]
        for property in code.storedProperties where property.declaration.symbol.kind == .instanceProperty {
            guard let owner = code.type(around: property.declaration.symbol.usr) else { continue }
            let names = property.type.split { !($0.isLetter || $0.isNumber || "._".contains($0)) }
            found[owner, default: []] += names.compactMap { code.types[String($0)] }
        }
        return found
    }

    private func context(of symbol: Symbol, in code: CodeBase) -> String? {
        if let declaration = code.declarations[symbol.usr] {
            return context(ofFile: declaration.file, in: code)
        }
        guard let module = QualifiedName(usr: symbol.usr)?.module, !neutral.contains(module) else {
            return nil
        }
        return String(module)
    }

    private func context(ofFile index: Int, in code: CodeBase) -> String? {
        let path = code.files[index].path.dropFirst(code.target.folder.count + 1)
        let parts = path.split(separator: "/")
        guard [.model, .aggregateModel].contains(code.layer(ofFile: index)), parts.count > 2 else {
            return nil
        }
        return "\(parts[0])/\(parts[1])"
    }
}

/// A model's file stays short enough to read in a sitting.
struct ModelSize: Rule {
    let name = "model-size"

    private let longest = 500

    func violations(in code: CodeBase) -> [Violation] {
        guard code.target.isModule else { return [] }
        return code.files.indices.compactMap { index in
            let file = code.files[index]
            let lines = file.lines.last?.isEmpty == true ? file.lines.count - 1 : file.lines.count
            guard [.model, .aggregateModel, .viewModel].contains(code.layer(ofFile: index)), lines > longest
            else { return nil }
            return Violation(
                rule: name, file: index, line: 1, column: 1,
                message: "\(lines) lines are more than one model, at most \(longest) are read in a sitting; "
                    + "split it by what changes together")
        }
    }
}

/// A module's folders are its layers; no rule checks what lies elsewhere.
struct FolderNames: Rule {
    let name = "folder-name"

    func violations(in code: CodeBase) -> [Violation] {
        guard code.target.role == .module(providesTransport: false) else { return [] }
        return code.files.indices.compactMap { index in
            guard let folder = code.files[index].folder, Layer(rawValue: folder) == nil else { return nil }
            let first = code.files[index].occurrences.first
            let known = Layer.folders.joined(separator: ", ")
            return Violation(
                rule: name, file: index, line: first?.line ?? 1, column: first?.column ?? 1,
                message:
                    "the folder '\(folder)' is no layer, so nothing in it is checked; use one of \(known)")
        }
    }
}
