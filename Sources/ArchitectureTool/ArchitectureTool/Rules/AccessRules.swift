/// Restrictions on what a module's layers, and its code as a whole, may refer to.
extension Rule {
    /// Only view models, aggregate models and use cases have repositories; the registration builds them.
    ///
    /// Covers a module's own declarations; the SDK's types determine what a layer gets from the SDK.
    static let repositoryAccess = Rule("repository-access") { code in
        code.references.findings { reference in
            guard reference.symbol.kind != .parameter, let other = code.accessedLayer(of: reference.symbol)
            else { return nil }
            let layer = code.layer(of: reference)
            let advice: String
            switch (layer, other) {
            case (.view, .repository), (.view, .service):
                advice = "let its view model ask, and show what that holds"
            case (.model, .repository): advice = "a model is a value; let a repository or a view model ask"
            default: return nil
            }
            return
                "\(layer.words) refers to '\(code.name(of: reference))', which is \(other.words); \(advice)"
        }
    }

    /// Services belong to repositories; higher layers ask the repository.
    ///
    /// Covers everything in Services/, and every protocol that only services implement. The API and the
    /// database are for services alone.
    static let serviceAccess = Rule("service-access") { code in
        let above: Set<Layer> = [.viewModel, .aggregateModel, .useCase]
        return code.references.findings { reference in
            let layer = code.layer(of: reference)
            if above.contains(layer), reference.symbol.kind != .parameter,
                code.accessedLayer(of: reference.symbol) == .service
            {
                return "\(layer.words) refers to '\(code.name(of: reference))', which is a service; "
                    + "let a repository ask it, and decide what the answer means"
            }
            if layer == .composition, reference.symbol.kind.isFunction,
                code.isServiceMember(reference.symbol),
                code.ownLayer(of: reference) == nil
            {
                return
                    "the module's registration calls '\(reference.symbol.baseName)' of a service, in a closure or a "
                    + "function of its own; let a repository ask it, and decide what the answer means"
            }
            guard above.union([.view, .repository]).contains(layer), let type = reference.symbol.sdkType,
                dataSources.contains(type)
            else { return nil }
            return "\(layer.words) refers to '\(type)', which is for services; "
                + "let a service ask, behind a protocol"
        }
    }

    private static let dataSources: Set<String> = ["APIClient", "Database", "HTTPTransport"]

    /// A layer knows only those below it: no model knows a view model, and no view model knows a view.
    static let upwardReference = Rule("upward-reference") { code in
        code.references.findings { reference in
            let layer = code.layer(of: reference)
            guard reference.symbol.kind != .parameter, let above = layersAbove[layer] else { return nil }
            if let part = interface(reference.symbol) {
                return "\(layer.words) refers to '\(part)', which is for views; "
                    + "hold what is shown, and let the view arrange it"
            }
            guard let type = code.types(around: reference.symbol.usr).first,
                let other = code.ownLayer(of: type), above.contains(other)
            else { return nil }
            let advice =
                other == .view
                ? "navigate with the context's 'navigator'" : "let what is above call, and return values"
            let name = code.name(of: reference)
            return "\(layer.words) refers to '\(name)', which is \(other.words) and above it; \(advice)"
        }
    }

    private static let layersAbove: [Layer: Set<Layer>] = [
        .viewModel: [.view], .aggregateModel: [.view, .viewModel],
        .useCase: [.view, .viewModel, .aggregateModel],
        .repository: [.view, .viewModel, .aggregateModel, .useCase],
        .model: [.view, .viewModel, .aggregateModel, .useCase], .service: [],
    ]
    private static let interfaceTypes: Set<String> = [
        "View", "Content", "ContentElement", "ContentBuilder", "Title", "Text", "Field", "Notice", "Verbatim",
        "Group",
        "StaleNotice", "Table", "Column", "Loadable",
    ]

    /// The part of the SDK, reserved for views, that a symbol belongs to; nil for other symbols.
    private static func interface(_ symbol: Symbol) -> String? {
        guard symbol.isType || symbol.kind == .initializer, let type = symbol.sdkType,
            let path = QualifiedName(usr: symbol.usr)?.path
        else { return nil }
        let isWhole = path == "AtriumKit.\(type)" || path == "AtriumKit.\(type).init"
        return isWhole && interfaceTypes.contains(type) ? type : nil
    }

    /// A module's folders are its layers; no rule checks code elsewhere.
    static let folderNames = Rule(
        "folder-name", in: { $0.role == .module(providesTransport: false) }
    ) { code in
        code.files.enumerated().compactMap { index, file in
            guard let folder = file.folder, Layer(rawValue: folder) == nil else { return nil }
            let first = file.occurrences.first
            let known = Layer.folders.joined(separator: ", ")
            return Finding(
                file: index, line: first?.line ?? 1, column: first?.column ?? 1,
                message:
                    "the folder '\(folder)' is no layer, so nothing in it is checked; use one of \(known)")
        }
    }
}
