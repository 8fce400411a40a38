/// Why the container could not build something.
public struct ResolutionError: ExplainedError {
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    public let cause: (any Error)?
    /// What was being built, from the screen down to what failed.
    public let path: [String]

    private init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, cause: (any Error)? = nil, path: [String]
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
        self.path = path
    }

    static func notRegistered(
        _ key: RegistrationKey, path: [String], otherLayer: Layer?, sameNameElsewhere: Bool, nearest: String?
    ) -> ResolutionError {
        let hint: String? =
            if let otherLayer {
                "It is registered as \(otherLayer.phrase); ask for it as one."
            } else if sameNameElsewhere {
                "Another module registers a type of the same name, which is not the same type."
            } else if let nearest {
                "Did you mean \(nearest)?"
            } else {
                nil
            }
        return ResolutionError(
            .notRegistered, "No active module registers \(key.name) as \(key.layer.phrase): \(text(path)).",
            hint: hint, path: path)
    }

    static func cycle(path: [String]) -> ResolutionError {
        ResolutionError(
            .cycle, "\(path[0]) needs itself: \(text(path)).",
            hint: "Break the circle: let one of them receive what it needs later, as an argument.", path: path
        )
    }

    static func argumentMismatch(
        _ key: RegistrationKey, expected: [any Any.Type], given: [any Any.Type], path: [String]
    ) -> ResolutionError {
        ResolutionError(
            .argumentMismatch,
            "\(key.name) takes \(list(expected)), but was asked for with \(list(given)): \(text(path)).",
            path: path)
    }

    static func factoryFailed(_ key: RegistrationKey, cause: any Error, path: [String]) -> ResolutionError {
        let explained = cause as? any ExplainedError
        let reason =
            explained?.message ?? "it threw an error of type \(RegistrationKey.name(of: type(of: cause)))."
        return ResolutionError(
            .factoryFailed, "\(key.name) could not be built (\(text(path))): \(reason)",
            hint: explained?.hint, cause: cause, path: path)
    }

    static func environmentUnavailable(
        _ key: RegistrationKey, _ environment: Environment, available: [Environment]
    ) -> ResolutionError {
        let names = available.map { "'\($0.rawValue)'" }.joined(separator: " and ")
        return ResolutionError(
            .environmentUnavailable,
            "\(key.name) has no implementation for environment '\(environment.rawValue)'; it has \(names).",
            hint: "Start with --env \(available.last?.rawValue ?? "mock").", path: [key.name])
    }

    private static func text(_ path: [String]) -> String {
        path.joined(separator: " → ")
    }

    private static func list(_ types: [any Any.Type]) -> String {
        types.isEmpty
            ? "no arguments" : "(\(types.map { RegistrationKey.name(of: $0) }.joined(separator: ", ")))"
    }
}

extension ErrorCode {
    /// No active module registers what was asked for.
    public static let notRegistered: ErrorCode = "notRegistered"
    /// Something needs itself in order to be built.
    public static let cycle: ErrorCode = "cycle"
    /// A factory takes arguments of other types.
    public static let argumentMismatch: ErrorCode = "argumentMismatch"
    /// A factory threw.
    public static let factoryFailed: ErrorCode = "factoryFailed"
    /// There is no implementation for the environment.
    public static let environmentUnavailable: ErrorCode = "environmentUnavailable"
}
