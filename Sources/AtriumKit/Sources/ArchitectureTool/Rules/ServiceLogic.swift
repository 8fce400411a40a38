/// A service fetches and stores; it decides nothing, and knows nothing of sessions, screens and events.
///
/// What decides is taken to be: the rules of the model (its functions named `validate…`), every layer above
/// the service, and what the SDK has for those layers.
struct ServiceLogic: Rule {
    let name = "service-logic"

    private let above: Set<Layer> = [.repository, .useCase, .aggregateModel, .viewModel, .view]
    private let foreign = [
        "SessionManager", "SessionState", "SessionWriter", "Analytics", "AnalyticsEvent", "Navigator",
        "FlowManager", "FlowModel",
    ]
    private let advice = "let the repository do that, before or after it asks the service"

    func violations(in code: CodeBase) -> [Violation] {
        guard code.target.isModule else { return [] }
        return code.references.filter { code.layer(of: $0) == .service }.compactMap { reference in
            logic(reference, in: code).map { violation(at: reference, "a service \($0); \(advice)") }
        }
    }

    private func logic(_ reference: Reference, in code: CodeBase) -> String? {
        let symbol = reference.symbol
        guard let layer = code.layer(of: symbol.usr) else { return foreignLogic(symbol) }
        if layer == .model, symbol.kind.isFunction, symbol.name.hasPrefix("validate") {
            return "asks for the rules of '\(code.name(of: reference))'"
        }
        guard above.contains(layer), symbol.kind != .parameter else { return nil }
        return "refers to '\(code.name(of: reference))', which is \(layer.words)"
    }

    private func foreignLogic(_ symbol: Symbol) -> String? {
        guard symbol.usr.hasPrefix("s:9AtriumKit"), let name = QualifiedName(usr: symbol.usr),
            let type = foreign.first(where: { name.isWithin("AtriumKit.\($0)") })
        else { return nil }
        return "refers to '\(type)', which is not for services"
    }
}
