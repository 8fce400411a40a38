internal import AtriumKit

/// How actions and commands are shown.
enum ActionViews {
    static func table(_ actions: [Action], key: String = "rows", heading: String = "Action") -> Content {
        guard !actions.isEmpty else { return Content() }
        return Content {
            Table(actions, key: key) {
                Column("name", label: heading) { $0.name }
                Column("arguments") { usage(of: $0) }
                Column("effect", isHidden: true) { $0.effect.rawValue }
                Column("summary") { $0.summary }
            }
        }
    }

    /// The actions of the current place, each with the number that may be typed instead of its name.
    static func numbered(_ actions: [Action]) -> Content {
        guard !actions.isEmpty else { return Content() }
        return Content {
            Table(Array(actions.enumerated())) {
                Column("number", label: "No.") { $0.offset + 1 }
                Column("name", label: "Action") { $0.element.name }
                Column("arguments") { usage(of: $0.element) }
                Column("effect", isHidden: true) { $0.element.effect.rawValue }
                Column("summary") { $0.element.summary }
            }
        }
    }

    /// The arguments as they are typed: `--name NAME [--page N]`.
    static func usage(of action: Action) -> String {
        action.arguments.map { argument in
            if argument.isSwitch { return "[--\(argument.name)]" }
            let usage = "--\(argument.name) \(placeholder(for: argument))" + (argument.isList ? "…" : "")
            return argument.isRequired ? usage : "[\(usage)]"
        }.joined(separator: " ")
    }

    private static func placeholder(for argument: ArgumentDescription) -> String {
        let choices = argument.choices.joined(separator: "|")
        return !choices.isEmpty && choices.count <= 32 ? choices : argument.name.uppercased()
    }
}
