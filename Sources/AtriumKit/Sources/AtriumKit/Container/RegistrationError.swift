/// Why a module's registrations were refused.
public struct RegistrationError: ExplainedError {
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    public var category: ErrorCategory { .module }

    private init(_ code: ErrorCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    static func duplicate(_ key: RegistrationKey, module: String, presentModule: String) -> RegistrationError
    {
        let provider =
            module == presentModule
            ? "it registered that before" : "module '\(presentModule)' already provides it"
        return RegistrationError(
            .duplicate, "Module '\(module)' can't register \(key.name) as \(key.layer.phrase): \(provider).",
            hint: module == presentModule
                ? "Register each type once."
                : "Leave one of the two modules out, or register a type of its own.")
    }

    static func duplicateScreen(_ pattern: String, module: String) -> RegistrationError {
        RegistrationError(
            .duplicate, "Module '\(module)' registers the screen '\(pattern)' twice.",
            hint: "Give each destination a pattern of its own.")
    }

    @_spi(Host) public static func screensDiffer(
        module: String, undeclared: [String], unregistered: [String]
    ) -> RegistrationError {
        var parts: [String] = []
        if !undeclared.isEmpty {
            parts.append("registers \(list(undeclared)), which its manifest does not declare")
        }
        if !unregistered.isEmpty {
            parts.append("declares \(list(unregistered)), which it does not register")
        }
        return RegistrationError(
            .screensDiffer, "Module '\(module)' \(parts.joined(separator: ", and ")).",
            hint: "Make \"screens\" in module.json and register(in:) agree.")
    }

    private static func list(_ patterns: [String]) -> String {
        patterns.map { "'\($0)'" }.joined(separator: ", ")
    }
}

extension ErrorCode {
    /// Two registrations under one key.
    public static let duplicate: ErrorCode = "duplicate"
    /// Declared and registered screens do not agree.
    public static let screensDiffer: ErrorCode = "screensDiffer"
}
