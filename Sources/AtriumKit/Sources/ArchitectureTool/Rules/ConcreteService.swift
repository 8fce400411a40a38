/// A service is known by its protocol: who implements it is the registration's business alone.
struct ConcreteService: Rule {
    let name = "concrete-service"

    func violations(in code: CodeBase) -> [Violation] {
        guard code.target.isModule else { return [] }
        return registered(in: code) + referred(in: code)
    }

    private func registered(in code: CodeBase) -> [Violation] {
        code.registrations.values.compactMap { registration in
            guard registration.layer == .service, registration.symbol.kind != .proto else { return nil }
            return violation(
                in: registration.file, at: registration.occurrence,
                "'\(registration.symbol.name)' is registered as a service by its concrete type; "
                    + "declare a protocol, register that, and let repositories have 'any' of it")
        }
    }

    private func referred(in code: CodeBase) -> [Violation] {
        code.references.compactMap { reference in
            guard let type = code.types(around: reference.symbol.usr).first(where: code.isService),
                reference.symbol.kind != .parameter,
                ![.service, .composition].contains(code.layer(of: reference)),
                let name = code.declarations[type]?.symbol.name
            else { return nil }
            return violation(
                at: reference,
                "\(code.layer(of: reference).words) refers to '\(name)', one implementation of a service; "
                    + "use the service's protocol")
        }
    }
}
