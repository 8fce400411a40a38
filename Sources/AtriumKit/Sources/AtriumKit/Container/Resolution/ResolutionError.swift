/// The reason that the container could not build a value.
public struct ResolutionError: ExplainedError {
    /// `notRegistered`, `cycle`, `factoryFailed`, `wrongLifetime` and the like.
    public let code: ErrorCode
    public let hint: String?
    /// The error that a factory threw; nil for the container's own failures.
    public let cause: (any Error)?
    /// The values being built, from the first request down to the one that failed.
    public private(set) var path: [String]

    private let sentence: (before: String, behind: String)
    /// The part of the path that leads from a value to itself; grows until the cycle is closed.
    private var ring: [String]?

    /// A sentence with the path to the failed value: `A → B → C`.
    public var message: String {
        let shown = ring ?? path
        return sentence.before + shown.joined(separator: " → ") + sentence.behind
    }

    private init(
        _ code: ErrorCode, _ before: String, behind: String = ".", hint: String? = nil,
        cause: (any Error)? = nil, path: [String], ring: [String]? = nil
    ) {
        self.code = code
        self.sentence = (before, behind)
        self.hint = hint
        self.cause = cause
        self.path = path
        self.ring = ring
    }

    /// The identity of the failure, however it was reached: without the path above the failed value.
    var rootCause: String {
        if let ring { return Set(ring).sorted().joined(separator: " ") }
        return sentence.before + (path.last ?? "") + sentence.behind
    }

    static func unexplained(_ error: any Error) -> ResolutionError {
        ResolutionError(
            .unexpected, "An error of type \(RegistrationKey.name(of: type(of: error)))", cause: error,
            path: [])
    }

    // MARK: - Propagation

    /// Returns `error` as it leaves the factory of `key`: with the factory in its path, and wrapped unless it
    /// is the container's own.
    static func passing(_ error: any Error, through key: RegistrationKey) -> any Error {
        if error is CancellationError { return error }
        guard var error = error as? ResolutionError else { return factoryFailed(key, cause: error) }
        error.pass(key.name)
        return error
    }

    private mutating func pass(_ name: String) {
        path.insert(name, at: 0)
        guard let ring, ring.count < 2 || ring.first != ring.last else { return }
        self.ring = [name] + ring
    }

    // MARK: - Missing

    struct Surroundings {
        var formerOwner: String?
        var provider: Container.MissingProvider?
        var otherLayer: Layer?
        /// The names under which the type is registered in its layer; nil for no name.
        var otherLabels: [String?] = []
        /// A registration of another type of the name.
        var namesake: Registration?
        /// The module that looks the type up; nil for the host.
        var requester: ModuleScope?
        var nearest: String?
    }

    @MainActor
    static func notRegistered(_ key: RegistrationKey, _ around: Surroundings) -> ResolutionError {
        var before = "No active module registers \(key.name) as \(key.layer.phrase)"
        var hint: String?
        if let provider = around.provider {
            before += "; \(provider.message)"
            hint = provider.hint
        } else if let former = around.formerOwner {
            before += "; module '\(former)', which did, was removed or updated"
            hint = "why \(former)"
        }
        return ResolutionError(
            .notRegistered, before + ": ", hint: hint ?? around.hint(for: key), path: [key.name])
    }

    // MARK: - Rules

    static func cycle(_ key: RegistrationKey) -> ResolutionError {
        ResolutionError(
            .cycle, "Dependency cycle: ",
            hint: "Break the cycle: let one of them take a Provider, or what it needs as an argument.",
            path: [key.name], ring: [key.name])
    }

    static func argumentMismatch(
        _ key: RegistrationKey, expected: [any Any.Type], given: [any Any.Type]
    ) -> ResolutionError {
        ResolutionError(
            .argumentMismatch, "\(key.name) takes \(list(expected)), but was given \(list(given)): ",
            hint: "Pass what its factory takes, in that order and of exactly these types.", path: [key.name])
    }

    static func wrongEnvironment(
        _ key: RegistrationKey, _ environment: Environment, available: [Environment]
    ) -> ResolutionError {
        let names = available.map { "'\($0.rawValue)'" }.joined(separator: " and ")
        return ResolutionError(
            .wrongEnvironment,
            "\(key.name) has no implementation for environment '\(environment.rawValue)', only for \(names): ",
            hint: "Start with --env \(available.last?.rawValue ?? "mock").", path: [])
    }

    static func notAllowed(
        _ key: RegistrationKey, owner: String, _ requester: ModuleScope
    ) -> ResolutionError {
        let isUsed = requester.uses[owner] != nil
        return ResolutionError(
            .notAllowed,
            "Module '\(requester.name)' can't reach \(key.name) of module '\(owner)', which it "
                + (isUsed ? "uses only optionally: " : "does not require: "),
            hint: isUsed
                ? "Write '\(key.layer)IfPresent' instead of '\(key.layer)', or move \"\(owner)\" to \"requires\"."
                : "Add \"\(owner)\" to \"requires\" in the module.json of \(requester.name).",
            path: [key.name])
    }

    static func notUsed(_ key: RegistrationKey, requester: String) -> ResolutionError {
        ResolutionError(
            .notAllowed,
            "Module '\(requester)' makes an optional lookup, but its manifest uses no other module: ",
            hint: "Name the module that registers it in \"uses\" in the module.json of \(requester).",
            path: [key.name])
    }

    @MainActor
    static func otherElement(
        _ point: RegistrationKey, _ scope: ModuleScope?, _ other: Registration
    ) -> ResolutionError {
        let (own, others) = (point.elements, other.membership?.list.elements ?? "others")
        return ResolutionError(
            .otherElement,
            "The elements of '\(point.label ?? "")' are \(own) in \(scope?.title ?? "the host"), and \(others) "
                + "in \(other.owner.title): ",
            hint: "Give the point the same type of element in both.", path: [point.name])
    }

    static func wrongLifetime(_ key: RegistrationKey, captor: RegistrationKey) -> ResolutionError {
        ResolutionError(
            .wrongLifetime,
            "\(captor.name) is shared and can't hold \(key.name), which leaves with its stack entry: ",
            hint: "Let \(captor.name) live for the entry too, or take a Provider.", path: [key.name])
    }

    static func noEntry(_ key: RegistrationKey) -> ResolutionError {
        ResolutionError(
            .wrongLifetime, "\(key.name) lives for one stack entry, and no screen is being built: ",
            hint: "Resolve it in the factory of a view model.", path: [key.name])
    }

    static func tooDeep(_ key: RegistrationKey) -> ResolutionError {
        ResolutionError(
            .tooDeep, "More than \(Request.greatestDepth) factories wait for each other: ",
            hint: "Let the later ones take a Provider.", path: [key.name], ring: ["…", key.name, "…"])
    }

    static func closed(_ key: RegistrationKey) -> ResolutionError {
        ResolutionError(
            .retired, "\(key.name) was requested by something that was built only for verification: ",
            hint: "Let factories build and nothing else; start tasks in activate(_:).", path: [key.name])
    }

    @MainActor
    static func retired(_ key: RegistrationKey, _ scope: ModuleScope) -> ResolutionError {
        ResolutionError(
            .retired,
            "Generation \(scope.generation) of module '\(scope.name)' is retired and can't resolve anything: ",
            hint: "Stop its work in deactivate().", path: [key.name])
    }

    // MARK: - Factories

    static func factoryFailed(_ key: RegistrationKey, cause: any Error) -> ResolutionError {
        let explained = cause as? any ExplainedError
        let reason =
            explained?.message ?? "it threw an error of type \(RegistrationKey.name(of: type(of: cause)))."
        return ResolutionError(
            .factoryFailed, "\(key.name) could not be built (", behind: "): \(reason)", hint: explained?.hint,
            cause: cause, path: [key.name])
    }

    private static func list(_ types: [any Any.Type]) -> String {
        types.isEmpty
            ? "no arguments" : "(\(types.map { RegistrationKey.name(of: $0) }.joined(separator: ", ")))"
    }
}

extension ResolutionError.Surroundings {
    fileprivate func hint(for key: RegistrationKey) -> String? {
        if !otherLabels.isEmpty {
            let named = otherLabels.map { $0.map { "'\($0)'" } ?? "without a name" }.sorted()
            let others = named.count > 5 ? " and \(named.count - 5) more" : ""
            let names = named.prefix(5).joined(separator: ", ")
            return "It is registered \(names)\(others) only; resolve it by that name."
        }
        if let otherLayer { return "It is registered as \(otherLayer.phrase); resolve it as one." }
        if let namesake { return hint(for: key, namesake) }
        return nearest.map { "Did you mean \($0)?" }
    }

    private func hint(for key: RegistrationKey, _ namesake: Registration) -> String {
        let title = namesake.owner.title
        guard key.qualifiedName == namesake.key.qualifiedName else {
            return "A different type has the same name in \(title)."
        }
        let contract = key.qualifiedName.prefix { $0 != "." }
        let remedy = requester.map { " Update \($0.title), or add a module that registers the one it needs." }
        return "The \(key.name) of another version of \(contract) is registered by \(title).\(remedy ?? "")"
    }
}

extension ErrorCode {
    /// No active module registers the requested type.
    public static let notRegistered: ErrorCode = "notRegistered"
    /// A value depends on itself.
    public static let cycle: ErrorCode = "cycle"
    /// A factory takes arguments of other types than those given.
    public static let argumentMismatch: ErrorCode = "argumentMismatch"
    /// A factory threw.
    public static let factoryFailed: ErrorCode = "factoryFailed"
    /// There is no implementation for the environment.
    public static let wrongEnvironment: ErrorCode = "wrongEnvironment"
    /// The requested registration belongs to a module that is not required.
    public static let notAllowed: ErrorCode = "notAllowed"
    /// Modules give lists of one name elements of several types.
    public static let otherElement: ErrorCode = "otherElement"
    /// A value would outlive the stack entry that it belongs to, or there is no such entry.
    public static let wrongLifetime: ErrorCode = "wrongLifetime"
    /// Too many factories wait for each other.
    public static let tooDeep: ErrorCode = "tooDeep"
    /// A retired generation of a module, or a closed container, was used.
    public static let retired: ErrorCode = "retired"
}
