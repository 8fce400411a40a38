/// A repository decides, keeps or coordinates something; one that only hands calls on is not needed.
///
/// A function hands on where all it refers to, besides its parameters, is one member of a service and the
/// property that holds the service. A rule, a cache, an event, another call or an error of its own is more.
struct PassThroughRepository: Rule {
    let name = "pass-through-repository"

    func violations(in code: CodeBase) -> [Violation] {
        guard code.target.isModule else { return [] }
        let bodies = Dictionary(
            grouping: code.references.compactMap { reference in
                code.function(around: reference).map { ($0, reference) }
            }
        ) { $0.0 }.mapValues { $0.map(\.1) }
        return code.repositories.compactMap { repository in
            let asking = bodies.filter { function, body in
                code.type(around: function) == repository.symbol.usr
                    && body.contains { code.isServiceMember($0.symbol) }
            }
            guard !asking.isEmpty, asking.values.allSatisfy({ handsOn($0, in: code) }) else { return nil }
            return violation(
                at: repository,
                "'\(repository.symbol.name)' only hands calls on to a service; "
                    + "give it the rule, cache or coordination that it is for, or do without it")
        }
    }

    private func handsOn(_ body: [Reference], in code: CodeBase) -> Bool {
        body.filter { code.isServiceMember($0.symbol) }.count == 1
            && body.allSatisfy { reference in
                code.isServiceMember(reference.symbol) || reference.symbol.kind == .parameter
                    || reference.symbol.kind == .instanceProperty || reference.symbol.isType
            }
    }
}

extension CodeBase {
    /// The classes and actors that are repositories: registered as one, or in the folder for them.
    var repositories: [Declaration] {
        declarations.values.filter { declaration in
            guard declaration.symbol.isType, declaration.symbol.kind != .proto else { return false }
            if let registration = registrations[declaration.symbol.usr] {
                return registration.layer == .repository
            }
            return declaration.symbol.kind == .object && layer(of: declaration.symbol.usr) == .repository
        }
    }

    /// Whether a symbol is a member of a registered service, or of an implementation of one.
    func isServiceMember(_ symbol: Symbol) -> Bool {
        guard symbol.kind.isFunction || symbol.kind == .instanceProperty,
            let type = type(around: symbol.usr)
        else { return false }
        return serviceProtocols.contains(type) || isService(type)
    }

    /// The USR of the method, or the property with a body, that contains a reference.
    func function(around reference: Reference) -> String? {
        guard var usr = reference.container else { return nil }
        for _ in 0..<100 {
            guard let declaration = declarations[usr] else { return nil }
            if declaration.symbol.kind.isFunction { return usr }
            guard let parent = declaration.parent, !declaration.symbol.isType else { return nil }
            usr = parent
        }
        return nil
    }
}
