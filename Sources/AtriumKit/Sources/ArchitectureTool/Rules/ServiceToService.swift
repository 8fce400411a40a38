/// A service uses no other service: what needs two is coordinated by a repository.
///
/// Helpers are no services: what the code in Services/ shares may be a type that implements no service.
struct ServiceToService: Rule {
    let name = "service-to-service"

    func violations(in code: CodeBase) -> [Violation] {
        guard code.target.isModule else { return [] }
        return code.references.compactMap { reference in
            guard reference.symbol.kind != .parameter, code.layer(of: reference) == .service,
                let other = service(around: reference.symbol.usr, in: code),
                !isOwn(other, of: reference, in: code), let name = code.declarations[other]?.symbol.name
            else { return nil }
            return violation(
                at: reference,
                "a service refers to the service '\(name)'; let a repository ask both, one after the other")
        }
    }

    private func service(around usr: String, in code: CodeBase) -> String? {
        code.types(around: usr).first { code.serviceProtocols.contains($0) || code.isService($0) }
    }

    /// Whether code belongs to the service that it refers to, or to one that implements it.
    private func isOwn(_ other: String, of reference: Reference, in code: CodeBase) -> Bool {
        guard let container = reference.container else {
            // An extension of the service names it.
            return reference.occurrence.related(.extendedBy) != nil
        }
        return code.types(around: container).contains { $0 == other || code.type($0, is: other) }
    }
}
