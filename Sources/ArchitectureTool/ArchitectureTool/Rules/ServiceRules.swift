import SwiftSyntax

/// Rules for what services and repositories do, and for their callers.
extension Rule {
    /// A service is known by its protocol; only the registration names the implementation.
    ///
    /// A type of AtriumKit, such as `OfflineStore`, has its variants itself.
    static let concreteService = Rule("concrete-service") { code in
        let registered = code.registrations.values.findings { registration in
            guard registration.layer == .service, registration.symbol.kind != .proto,
                !registration.symbol.usr.hasPrefix("s:9AtriumKit")
            else { return nil }
            return "'\(registration.symbol.name)' is registered as a service by its concrete type; "
                + "declare a protocol, register that, and let repositories have 'any' of it"
        }
        let referred = code.references.findings { reference in
            guard let type = code.types(around: reference.symbol.usr).first(where: code.isService),
                reference.symbol.kind != .parameter,
                ![.service, .composition].contains(code.layer(of: reference)),
                let name = code.declarations[type]?.symbol.name
            else { return nil }
            return "\(code.layer(of: reference).words) refers to '\(name)', one implementation of a service; "
                + "use the service's protocol"
        }
        return registered + referred
    }

    /// A service uses no other service; a repository coordinates several.
    ///
    /// Types in Services/ that implement no registered protocol are helpers, which services may share.
    static let serviceToService = Rule("service-to-service") { code in
        code.references.findings { reference in
            guard reference.symbol.kind != .parameter, code.layer(of: reference) == .service,
                let other = code.types(around: reference.symbol.usr).first(where: {
                    code.serviceProtocols.contains($0) || code.isService($0)
                }),
                !isOwn(other, of: reference, in: code), let name = code.declarations[other]?.symbol.name
            else { return nil }
            return "a service refers to the service '\(name)'; let a repository ask both, one after the other"
        }
    }

    /// True if code belongs to the service that it refers to, or to an implementation of it or of its protocol: a
    /// mock may call the local one.
    private static func isOwn(_ other: String, of reference: Reference, in code: CodeBase) -> Bool {
        // A conformance, including one of an SDK type.
        if reference.occurrence.related(.baseOf) != nil { return true }
        let token = code.files[reference.file].token(at: reference.occurrence)
        if token?.enclosing(TypeAliasDeclSyntax.self) != nil { return true }
        guard let container = reference.container else {
            // An extension of the service itself.
            return reference.occurrence.related(.extendedBy) != nil
        }
        return code.types(around: container).contains { own in
            own == other || code.type(own, is: other)
                || code.serviceProtocols.contains { code.type(own, is: $0) && code.type(other, is: $0) }
        }
    }

    /// A service fetches and stores; it decides nothing, and knows no sessions, screens or events.
    ///
    /// Decisions are the model's functions named `validate…`, every layer above the service, and the SDK's
    /// types for those layers.
    static let serviceLogic = Rule("service-logic") { code in
        code.references.filter { code.layer(of: $0) == .service }.findings { reference in
            logic(reference, in: code).map {
                "a service \($0); let the repository do that, before or after it asks the service"
            }
        } + rulesInServices(in: code)
    }

    private static func logic(_ reference: Reference, in code: CodeBase) -> String? {
        let symbol = reference.symbol
        guard let layer = code.layer(of: symbol.usr) else {
            guard let type = symbol.sdkType, foreignTypes.contains(type) else { return nil }
            return "refers to '\(type)', which is not for services"
        }
        if layer == .model, symbol.kind.isFunction, symbol.name.hasPrefix("validate") {
            return "asks for the rules of '\(code.name(of: reference))'"
        }
        let above: Set<Layer> = [.repository, .useCase, .aggregateModel, .viewModel, .view]
        guard above.contains(layer), symbol.kind != .parameter else { return nil }
        return "refers to '\(code.name(of: reference))', which is \(layer.words)"
    }

    private static let foreignTypes: Set<String> = [
        "SessionManager", "SessionState", "SessionWriter", "Analytics", "AnalyticsEvent", "Navigator",
        "FlowManager", "FlowModel",
    ]

    /// A mock with scenarios plays them in each method of its service, so that every call is recorded.
    static let mockCalls = Rule("mock-calls") { code in
        let bodies = code.bodies
        func plays(_ function: String) -> Bool {
            bodies[function]?.contains { $0.symbol.usr.hasPrefix("s:9AtriumKit12MockBehaviorC4play") } == true
        }
        return code.declarations.values.findings { method in
            guard method.symbol.kind == .instanceMethod,
                let requirement = method.occurrence.related(.overrideOf),
                code.type(around: requirement.usr).map(code.serviceProtocols.contains) == true,
                let mock = method.parent.flatMap(code.type(around:)),
                code.propertiesByOwner[mock]?.contains(where: { $0.type == "AtriumKit.MockBehavior" })
                    == true,
                !plays(method.symbol.usr),
                bodies[method.symbol.usr]?.contains(where: { plays($0.symbol.usr) }) != true
            else { return nil }
            return "'\(method.symbol.baseName)' of a mock plays no scenario, so it never fails and is not "
                + "recorded; begin with 'behavior.play'"
        }
    }

    /// A repository decides, caches or coordinates; one that only forwards calls is not needed.
    ///
    /// A function forwards if it refers only to its parameters, one member of a service and the property that
    /// holds the service.
    static let passThroughRepository = Rule("pass-through-repository") { code in
        let bodies = code.bodies
        return code.repositories.findings { repository in
            let calling = bodies.filter { function, body in
                code.type(around: function) == repository.symbol.usr
                    && body.contains { code.isServiceMember($0.symbol) }
            }
            guard !calling.isEmpty, calling.values.allSatisfy({ forwards($0, in: code) }) else { return nil }
            return "'\(repository.symbol.name)' only hands calls on to a service; "
                + "give it the rule, cache or coordination that it is for, or do without it"
        }
    }

    private static func forwards(_ body: [Reference], in code: CodeBase) -> Bool {
        body.filter { code.isServiceMember($0.symbol) }.count == 1
            && body.allSatisfy { reference in
                code.isServiceMember(reference.symbol) || reference.symbol.isType
                    || [.parameter, .instanceProperty].contains(reference.symbol.kind)
            }
    }
}

extension CodeBase {
    /// The layer of a symbol as those above see it: a protocol that only repositories, or only services,
    /// implement counts as one of them.
    func accessedLayer(of symbol: Symbol) -> Layer? {
        guard let type = types(around: symbol.usr).first, declarations[type]?.symbol.kind == .proto,
            ownLayer(of: type) == nil
        else { return layer(of: symbol.usr) }
        let layers = implementations(of: type).map { layer(of: $0) }
        let behind = [Layer.service, .repository].first { layer in
            !layers.isEmpty && layers.allSatisfy { $0 == layer }
        }
        return behind ?? layer(of: symbol.usr)
    }

    /// The types of this target that conform to a protocol.
    private func implementations(of proto: String) -> [String] {
        declarations.values.map(\.symbol).filter { $0.isType && $0.kind != .proto && type($0.usr, is: proto) }
            .map(\.usr)
    }

    /// The classes and actors that are registered as repositories, or are in their folder.
    var repositories: [Declaration] {
        declarations.values.filter { declaration in
            guard declaration.symbol.isType, declaration.symbol.kind != .proto else { return false }
            if let registration = registrations[declaration.symbol.usr] {
                return registration.layer == .repository
            }
            return declaration.symbol.kind == .object && layer(of: declaration.symbol.usr) == .repository
        }
    }

    /// True if a symbol is a member of a registered service, or of an implementation of one.
    func isServiceMember(_ symbol: Symbol) -> Bool {
        guard symbol.kind.isFunction || symbol.kind == .instanceProperty,
            let type = type(around: symbol.usr)
        else { return false }
        return serviceProtocols.contains(type) || isService(type)
    }

    /// The references in each function, by its USR.
    var bodies: [String: [Reference]] {
        let inside = references.compactMap { reference in
            function(around: reference).map { (function: $0, reference: reference) }
        }
        return Dictionary(grouping: inside, by: \.function).mapValues { $0.map(\.reference) }
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
