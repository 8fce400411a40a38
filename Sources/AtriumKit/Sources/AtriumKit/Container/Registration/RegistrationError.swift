/// The reason that a module's registrations were refused.
public struct RegistrationError: ExplainedError {
    /// `duplicate`, `screensDiffer`, `badName`, `badPattern`, `notProvided` and the like.
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    /// Always `module`.
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
                ? "Register each type once, or under another name."
                : "Leave one of the two modules out, or register a type of its own.")
    }

    /// The error for registering ``SessionWriter``, which only the context of a repository provides.
    static func notRegistrable(_ key: RegistrationKey, module: String) -> RegistrationError {
        RegistrationError(
            .notAllowed, "Module '\(module)' can't register \(key.name): only a repository may have it.",
            hint: "Register the repository, with methods for what others may do.")
    }

    static func badName(_ key: RegistrationKey, module: String) -> RegistrationError {
        let type = RegistrationKey.name(of: key.type)
        return RegistrationError(
            .badName,
            "Module '\(module)' registers \(type) under a name that is empty, has control characters, or "
                + "is longer than 200 bytes.",
            hint: "Name it with letters, digits and spaces.")
    }

    static func badAction(_ screen: String, module: String, _ problem: String) -> RegistrationError {
        RegistrationError(
            .badName, "The screen '\(screen)' of module '\(module)' \(problem).",
            hint:
                "Name actions and arguments with letters, digits and hyphens, each once, and not like a command "
                + "of the host ('help').")
    }

    static func badRecord(_ type: any Any.Type, module: String, _ problem: String) -> RegistrationError {
        RegistrationError(
            .badRecord,
            "Module '\(module)' can't register the record '\(type)': "
                + (problem.hasSuffix(".") ? problem : problem + "."),
            hint: "Correct the declaration of its fields.")
    }

    static func duplicateScreen(_ pattern: String, module: String) -> RegistrationError {
        RegistrationError(
            .duplicate, "Module '\(module)' registers the screen '\(pattern)' twice.",
            hint: "Give each destination a pattern of its own.")
    }

    static func badSeed(_ name: String, module: String) -> RegistrationError {
        RegistrationError(
            .badName, "Module '\(module)' can't register the seed '\(name)': the name is taken, or no name.",
            hint: "Give each seed of a module a word of its own, such as 'demo'.")
    }

    /// The error for registrations that are bound to a module which the manifest does not name.
    @_spi(Host) public static func notUsed(module: String, other: String) -> RegistrationError {
        RegistrationError(
            .notDeclared,
            "Module '\(module)' registers something while '\(other)' is present, but its manifest does not use it.",
            hint: "Name \(other) in \"uses\" in the module.json of \(module).")
    }

    static func badPattern(_ pattern: LinkPattern, module: String, _ problem: String) -> RegistrationError {
        RegistrationError(
            .badPattern,
            "Module '\(module)' can't register the screen '\(pattern)': \(problem).",
            hint: "Patterns look like 'entities', 'entities/:id', 'reports/:year?' or 'files/:path*'.")
    }

    static func duplicateStory(_ name: String, module: String) -> RegistrationError {
        RegistrationError(
            .duplicate, "Module '\(module)' registers the story '\(name)' twice.",
            hint: "Give each story of the module a name of its own.")
    }

    static func badStory(_ name: String, module: String) -> RegistrationError {
        RegistrationError(
            .badName,
            "Module '\(module)' can't register the story '\(name)': its name has no letter or digit, "
                + "has a control character, or is longer than 200 bytes.",
            hint: "Use a few words, such as 'sold out'.")
    }

    static func outdated() -> RegistrationError {
        RegistrationError(
            .outdated, "The container was changed while another change of it was being prepared.",
            hint: "Prepare the change again.")
    }

    /// The error for screens that differ between the manifest and the registrations.
    @_spi(Host) public static func screensDiffer(
        module: String, undeclared: [String], unregistered: [String]
    ) -> RegistrationError {
        RegistrationError(
            .screensDiffer, "Module '\(module)' \(difference(undeclared, unregistered)).",
            hint: "Register each screen always; if module.json has \"screens\", make it agree with "
                + "register(in:).")
    }

    /// The error for interfaces that the manifest declares and the module does not register.
    @_spi(Host) public static func notProvided(module: String, names: [String]) -> RegistrationError {
        RegistrationError(
            .notProvided,
            "Module '\(module)' declares that it provides \(list(names)), which it does not register.",
            hint: "Make \"provides\" in module.json and register(in:) agree.")
    }

    /// The error for infrastructure that the module registers and the manifest does not declare.
    @_spi(Host) public static func notDeclared(module: String, names: [String]) -> RegistrationError {
        RegistrationError(
            .notDeclared,
            "Module '\(module)' registers \(list(names)) as infrastructure, which its manifest does not declare.",
            hint: "Add \(names.map { "\"\($0)\"" }.joined(separator: ", ")) to \"provides\" in module.json.")
    }

    private static func difference(_ undeclared: [String], _ unregistered: [String]) -> String {
        var parts: [String] = []
        if !undeclared.isEmpty {
            parts.append("registers \(list(undeclared)), which its manifest does not declare")
        }
        if !unregistered.isEmpty {
            parts.append("declares \(list(unregistered)), which it does not register")
        }
        return parts.joined(separator: ", and ")
    }

    private static func list(_ names: [String]) -> String {
        names.map { "'\($0)'" }.joined(separator: ", ")
    }
}

extension ErrorCode {
    /// Two registrations have the same key.
    public static let duplicate: ErrorCode = "duplicate"
    /// Declared and registered screens do not agree.
    public static let screensDiffer: ErrorCode = "screensDiffer"
    /// A registration's name can't be typed or shown.
    public static let badName: ErrorCode = "badName"
    /// A screen's pattern is not valid, or does not fit its destination.
    public static let badPattern: ErrorCode = "badPattern"
    /// The fields of a record have names or rules that can't hold.
    public static let badRecord: ErrorCode = "badRecord"
    /// A declared interface is not registered.
    public static let notProvided: ErrorCode = "notProvided"
    /// A module registers infrastructure that its manifest does not declare.
    public static let notDeclared: ErrorCode = "notDeclared"
    /// A change was prepared for a state that is no longer current.
    public static let outdated: ErrorCode = "outdated"
}
