@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest

/// The values set by `module configure`, by module and key; kept for the next start of the host.
///
/// The values of a removed module apply again when it returns.
package struct ConfigurationChanges: Codable, Hashable, Sendable {
    private var modules: [String: [String: JSONValue]] = [:]

    package init() {}

    /// The values of a module, by key.
    func members(of module: String) -> [ManifestValue.Member] {
        (modules[module] ?? [:]).sorted { $0.key < $1.key }.map {
            ManifestValue.Member(key: $0.key, value: ManifestValue($0.value))
        }
    }

    /// Applies edits, by module.
    func edited(by edits: [String: ConfigurationEdit]) -> ConfigurationChanges {
        var next = self
        for (module, edit) in edits {
            var values = next.modules[module] ?? [:]
            for member in edit.values { values[member.key] = JSONValue(member.value) }
            for key in edit.resets { values[key] = nil }
            next.modules[module] = values.isEmpty ? nil : values
        }
        return next
    }
}

/// One command's edits to the configuration of a module.
struct ConfigurationEdit: Sendable {
    var values: [ManifestValue.Member] = []
    /// The keys to reset to their values in modules.json, or their defaults.
    var resets: [String] = []

    /// Reads `KEY=VALUE` according to the manifest's declarations.
    ///
    /// - Throws: ``ModuleError`` that lists all problems at once; it shows no secret.
    @MainActor
    init(_ words: [String], resets: [String], of module: Module, _ present: [ManifestValue.Member]) throws {
        guard let manifest = module.manifest else {
            throw ModuleError.notActive(module.name, state: module.state)
        }
        var problems: [String] = []
        var keys: Set<String> = []
        let names = manifest.configuration.map(\.key)
        for word in words {
            guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
                problems.append("A value is written as KEY=VALUE, such as \(Self.example(manifest)).")
                continue
            }
            let (key, text) = (String(word[..<equals]), String(word[word.index(after: equals)...]))
            guard keys.insert(key).inserted else {
                problems.append("'\(key.excerpt)' is given twice.")
                continue
            }
            guard let declaration = manifest.configuration.first(where: { $0.key == key }) else {
                problems.append(Self.unknown(key, names, module.name))
                continue
            }
            let value = declaration.value(typed: text)
            if let problem = declaration.problem(with: value) {
                let isSecret = SecretName.matches(key)
                problems.append("'\(key)' \(isSecret ? declaration.rule : problem).")
            }
            values.append(.init(key: key, value: value))
        }
        for key in resets {
            guard present.contains(where: { $0.key == key }) else {
                problems.append(
                    names.contains(key)
                        ? "'\(key)' was not set with 'module configure'."
                        : Self.unknown(key, names, module.name))
                continue
            }
            guard keys.insert(key).inserted else {
                problems.append("'\(key.excerpt)' is given twice.")
                continue
            }
            self.resets.append(key)
        }
        guard problems.isEmpty else {
            throw ModuleError(
                .invalidArgument, problems.joined(separator: " "), hint: "module configure \(module.name)")
        }
    }

    private static func unknown(_ key: String, _ names: [String], _ module: String) -> String {
        let nearest = NearestName.of(key, among: names).map { " Did you mean '\($0)'?" } ?? ""
        let shown = key.excerpt
        if names.isEmpty { return "Module '\(module)' has no configuration, so there is no '\(shown)'." }
        return "Module '\(module)' has no configuration '\(shown)'." + nearest
    }

    private static func example(_ manifest: ModuleManifest) -> String {
        guard let first = manifest.configuration.first else { return "limit=5" }
        return "\(first.key)=\(first.choices.first?.text ?? first.defaultValue?.text ?? "VALUE")"
    }
}

extension ConfigurationDeclaration {
    /// The value of typed text; the text itself if it does not fit the type.
    func value(typed text: String) -> ManifestValue {
        switch type {
        case .string: .string(text)
        case .boolean:
            switch text {
            case "true", "yes", "on": .bool(true)
            case "false", "no", "off": .bool(false)
            default: .string(text)
            }
        case .integer, .number:
            Int64(text).map { .integer($0) }
                ?? Double(text).flatMap { $0.isFinite ? .number($0) : nil } ?? .string(text)
        }
    }

    /// The rule for a value, without the value itself.
    fileprivate var rule: String {
        "must be \(type == .integer ? "an integer" : "a \(type.rawValue)")\(choices.isEmpty ? "" : " that is allowed")"
    }
}
