internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules
internal import AtriumViews

/// The command that changes the configuration of a module while the host runs.
extension HostCommands {
    @ActionsBuilder var configuration: [Action] {
        Action(
            "module configure", "Set values of a module's configuration, or show them", effect: .changes,
            Argument<String>("name", "The module", suggestions: moduleNames),
            Argument<[String]>(
                "value", "KEY=VALUE; without any, show the values", default: [],
                suggestions: typedConfiguration.flatMap(Self.suggestions)),
            plan,
            Argument<[String]>(
                "reset", "A key whose value of modules.json, or default, counts again", default: [],
                suggestions: typedConfiguration.filter { $0.origin == .command }.map(\.key))
        ) { name, values, isPlan, resets in
            guard !values.isEmpty || !resets.isEmpty else {
                return .content(ConfigurationViews.list(try configuration(of: name)))
            }
            return try await run(
                .configure(name, values, resets: resets), isPlan,
                unchanged: "Module '\(name)' is configured so already.")
        }
    }

    private func configuration(of name: String) throws -> [ConfiguredValues.Value] {
        host.runtime.configuration(of: try module(name))
    }

    /// The configuration of the module that was typed before the word being completed.
    private var typedConfiguration: [ConfiguredValues.Value] {
        guard offersNames, let name = typed.first(where: { moduleNames.contains($0) }) else { return [] }
        return (try? configuration(of: name)) ?? []
    }

    private static func suggestions(for value: ConfiguredValues.Value) -> [String] {
        guard let declaration = value.declaration else { return [] }
        let choices = declaration.choices.isEmpty ? declaration.type.choices : declaration.choices.map(\.text)
        return choices.isEmpty ? [value.key + "="] : choices.map { "\(value.key)=\($0)" }
    }
}

extension ConfigurationDeclaration.ValueType {
    fileprivate var choices: [String] { self == .boolean ? ["true", "false"] : [] }
}
