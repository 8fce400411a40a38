/// The rules for the names of a screen's actions, so that each can be typed and means one thing.
@_spi(Host) public enum ActionNames {
    static let limit = 40

    /// The first words of the host's commands, which come before the actions of a screen.
    ///
    /// Commands that a later host adds are not added here: existing modules may have an action of that name.
    public static let hostCommands: Set<String> = [
        "actions", "api", "back", "backup", "container", "events", "exit", "forward", "health", "help",
        "jobs", "links", "live", "mock", "module", "modules", "nav", "open", "root", "watch", "where", "why",
    ]

    /// Returns the first problem, as the end of a sentence about the screen; nil if there is none.
    static func problem(of actions: [Action]) -> String? {
        var names: Set<String> = []
        for action in actions {
            if let problem = problem(action.name) { return "has \(problem)" }
            guard names.insert(action.name).inserted else { return "has two actions '\(action.name)'" }
            if let problem = problem(ofArguments: action) { return problem }
        }
        return nil
    }

    private static func problem(_ name: String) -> String? {
        guard !name.isEmpty else { return "an action without a name" }
        guard name.count <= limit else {
            return "the action '\(name.prefix(limit))…', whose name has more than \(limit) characters"
        }
        guard isWord(name) else { return "the action '\(name)', whose name can't be typed as a command" }
        return hostCommands.contains(name) ? "the action '\(name)', which is a command of the host" : nil
    }

    private static func problem(ofArguments action: Action) -> String? {
        var names: Set<String> = []
        for argument in action.arguments {
            guard argument.name.count <= limit, isWord(argument.name) else {
                return
                    "has an action '\(action.name)' with the argument '\(argument.name.prefix(limit))', whose "
                    + "name can't be typed"
            }
            guard names.insert(argument.name).inserted else {
                return "has an action '\(action.name)' with two arguments '\(argument.name)'"
            }
        }
        return nil
    }

    /// True if a name is letters, digits, `-` and `_`, a letter first: no number, option, link or shell
    /// syntax.
    private static func isWord(_ name: String) -> Bool {
        name.first?.isLetter == true
            && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }
}
