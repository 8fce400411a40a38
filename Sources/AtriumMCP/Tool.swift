internal import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumText

/// An action or a host command, as a program calls it.
struct Tool {
    enum Target {
        /// A command of the host.
        case command(Action)
        /// An action of the screens of a pattern.
        case action(LinkPattern)
        /// Any screen, without an action.
        case screen
        /// The open question.
        case answer
    }

    /// A name that clients accept: at most 64 ASCII letters, digits, underscores and hyphens.
    let name: String
    let target: Target
    let declaration: Declaration
    /// A sentence that says what it does.
    let summary: String
    /// True if it talks to a server.
    var isRemote = false

    var effect: Action.Effect { declaration.effect }

    /// True if it is a command with forms that do less, which are checked by their own effect.
    @MainActor var hasMilderForm: Bool {
        if case .command = target { HostCommands.milderForms[declaration.name] != nil } else { false }
    }

    /// True unless it runs code, and the session may not.
    @MainActor func mayRun(_ permission: Permission) -> Bool {
        if case .command = target { permission.allows(command: declaration.name) } else { true }
    }

    /// True if a session with this permission has it, at least for some forms.
    @MainActor func isListed(for permission: Permission) -> Bool {
        hasMilderForm || permission.allows(effect) && mayRun(permission)
    }

    // MARK: - Description

    /// The tool as listed to a session with this permission; the session refuses forms beyond it.
    func json(for permission: Permission) -> JSONObject {
        let isReading = effect == .reads || effect == .navigates || !permission.allows(effect)
        let title = name.split(separator: "_").joined(separator: " ")
        var json: JSONObject = [
            "name": .string(name), "title": .string(title), "description": .string(summary),
            "inputSchema": .object(schema),
            "annotations": [
                "title": .string(title), "readOnlyHint": .bool(isReading),
                "destructiveHint": .bool(effect == .destroys), "idempotentHint": .bool(effect == .reads),
                "openWorldHint": .bool(isRemote),
            ],
        ]
        if case .command = target { json["outputSchema"] = Self.resultOfHost }
        return json
    }

    /// The result of a host command; screens of modules name their members as they like.
    private static let resultOfHost: JSONValue = [
        "type": "object",
        "properties": [
            "rows": ["type": "array", "items": ["type": "object"]], "message": ["type": "string"],
            "link": ["type": "string"],
        ],
    ]

    /// The arguments as a JSON Schema.
    private var schema: JSONObject {
        var properties = JSONObject()
        var required: [JSONValue] = []
        for parameter in linkParameters {
            var property: JSONObject = ["type": ["string", "integer"]]
            property["description"] = .string(
                parameter.segment.isTail
                    ? "Of the link: any number of segments, joined by '/'." : "Of the link.")
            properties[parameter.name] = .object(property)
            if !parameter.segment.mayBeAbsent { required.append(.string(parameter.name)) }
        }
        for argument in arguments {
            properties[argument.name] = .object(argument.schema)
            if argument.isRequired { required.append(.string(argument.name)) }
        }
        var schema: JSONObject = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { schema["required"] = .array(required) }
        schema["additionalProperties"] = false
        return schema
    }

    /// The arguments, without the one that skips the confirmation: that is not the caller's to decide.
    var arguments: [ArgumentDescription] {
        declaration.arguments.filter { $0 != Action.yes.description }
    }

    /// The properties for the values in the link's path; none has the name of an argument.
    private var linkParameters: [(name: String, segment: LinkPattern.Segment)] {
        guard case .action(let pattern) = target else { return [] }
        return pattern.segments.compactMap { segment in
            guard var name = segment.name else { return nil }
            while arguments.contains(where: { $0.name == name }) { name = "link-" + name }
            return (name, segment)
        }
    }

    // MARK: - Calls

    /// The call with these values.
    ///
    /// - Throws: ``ArgumentError`` for an argument that is missing, unknown, or not of its type.
    func call(_ values: [ManifestValue.Member]) throws -> Call {
        let parameters = linkParameters
        let known = parameters.map(\.name) + arguments.map(\.name)
        for member in values where !known.contains(member.key) {
            let all = known.joined(separator: ", ")
            throw ArgumentError(
                .unknownArgument, "The tool '\(name)' has no argument '\(member.key.shortened)'.",
                hint: NearestName.of(member.key, among: known).map { "Did you mean '\($0)'?" }
                    ?? (known.isEmpty ? "It takes none." : "It takes \(all)."))
        }
        func value(_ name: String) -> ManifestValue? {
            values.first { $0.key == name && $0.value != .null }?.value
        }
        func given(_ argument: ArgumentDescription) throws -> String? {
            guard let value = value(argument.name) else {
                guard argument.isRequired else { return nil }
                throw missing(argument.name, argument.typeName)
            }
            return try text(of: value, for: argument)
        }
        let target: Call.Target
        switch self.target {
        case .command(let action): target = .command(action)
        case .screen:
            return Call(tool: name, target: .screen(try Link(try given(arguments[0]) ?? ""), action: nil))
        case .answer: return Call(tool: name, target: .answer(try given(arguments[0]) ?? ""))
        case .action(let pattern):
            target = .screen(try link(of: pattern, parameters, value), action: declaration.name)
        }
        var call = Call(tool: name, target: target, arguments: arguments)
        for argument in arguments { call.values[argument.name] = try given(argument) }
        return call
    }

    private func link(
        of pattern: LinkPattern, _ parameters: [(name: String, segment: LinkPattern.Segment)],
        _ value: (String) -> ManifestValue?
    ) throws -> Link {
        var segments: [String] = []
        for segment in pattern.segments {
            if case .literal(let text) = segment {
                segments.append(text)
                continue
            }
            guard let name = parameters.first(where: { $0.segment == segment })?.name else { continue }
            guard let value = value(name) else {
                if segment.mayBeAbsent { continue }
                throw missing(name, "a text")
            }
            let text = try text(of: value, for: name, "a text", as: ["string", "integer"])
            segments += segment.isTail ? text.split(separator: "/").map(String.init) : [text]
        }
        return Link(segments: segments)
    }

    /// A value as an action takes it; nil for an empty list.
    private func text(of value: ManifestValue, for argument: ArgumentDescription) throws -> String? {
        if argument.isSecret {
            let text = try text(of: value, for: argument.name, "the name of a secret")
            guard text.hasPrefix("@env:") || text.hasPrefix("@file:") else {
                throw ArgumentError(
                    "plainSecret", "'\(argument.name)' is a secret, which is not given as text.",
                    hint: "Give @env:NAME, a variable of the environment of 'atrium mcp', or @file:PATH.")
            }
            return text
        }
        guard argument.isList else {
            return try text(of: value, for: argument.name, argument.typeName, as: argument.jsonTypes)
        }
        guard case .array(let items) = value else {
            return try text(of: value, for: argument.name, argument.typeName)
        }
        guard !items.isEmpty else {
            if argument.isRequired { throw missing(argument.name, argument.typeName) }
            return nil
        }
        return try items.map { try text(of: $0, for: argument.name, argument.typeName) }
            .joined(separator: "\0")
    }

    /// A value as an argument takes it, if it is of a type that the schema names.
    private func text(
        of value: ManifestValue, for argument: String, _ typeName: String, as types: [String] = ["string"]
    ) throws -> String {
        let (type, text): (String, String)
        switch value {
        case .string(let string) where !string.utf8.contains(0): (type, text) = ("string", string)
        case .bool(let flag): (type, text) = ("boolean", flag ? "yes" : "no")
        case .integer(let number): (type, text) = ("integer", String(number))
        case .number(let number):
            // 1e3 is a whole number too.
            let whole = Int64(exactly: number)
            (type, text) = (whole == nil ? "number" : "integer", whole.map { String($0) } ?? String(number))
        case .string, .null, .array, .object: (type, text) = ("", "")
        }
        guard types.contains(type) || type == "integer" && types.contains("number") else {
            throw ArgumentError(
                .invalidArgument, "'\(argument)' of the tool '\(name)' must be \(typeName).")
        }
        return text
    }

    private func missing(_ argument: String, _ type: String) -> ArgumentError {
        ArgumentError(
            .missingArgument, "The tool '\(name)' needs a value for '\(argument)'.",
            hint: "Add '\(argument)', \(type).")
    }
}

extension LinkPattern.Segment {
    fileprivate var isTail: Bool { if case .tail = self { true } else { false } }
}

// MARK: - Schemas

extension ArgumentDescription {
    /// The values as a JSON Schema.
    fileprivate var schema: JSONObject {
        var schema = JSONObject()
        if isSecret {
            schema = ["type": "string", "pattern": "^@(env|file):.+"]
        } else if isList {
            schema = ["type": "array", "items": ["type": "string"]]
            if isRequired { schema["minItems"] = 1 }
        } else {
            let types = jsonTypes.map { JSONValue.string($0) }
            schema["type"] = types.count == 1 ? types[0] : .array(types)
            if jsonType == "string", !choices.isEmpty { schema["enum"] = .array(choices.map { .string($0) }) }
        }
        if let value = defaultValue { schema["default"] = value }
        schema["description"] = .string(description)
        return schema
    }

    /// The types of its values; a duration may also be a text such as `10m`.
    fileprivate var jsonTypes: [String] {
        typeName == Seconds.argumentTypeName ? [jsonType, "string"] : [jsonType]
    }

    private var jsonType: String {
        if choices == Bool.argumentChoices { return "boolean" }
        guard choices.isEmpty else { return "string" }
        return switch typeName {
        case Int.argumentTypeName: "integer"
        case Double.argumentTypeName, Seconds.argumentTypeName: "number"
        default: "string"
        }
    }

    private var description: String {
        let summary = summary.isEmpty ? typeName : summary
        return isSecret
            ? "\(summary). A secret: @env:NAME for a variable of the environment, or @file:PATH; never its text."
            : summary
    }

    private var defaultValue: JSONValue? {
        guard let text = defaultText, !isSecret else { return nil }
        if isList { return .array(text.split(separator: "\0").map { .string(String($0)) }) }
        switch jsonType {
        case "boolean": return .bool(text == "yes")
        case "integer": return Int64(text).map { .integer($0) }
        case "number": return Double(text).map { .number($0) }
        default: return .string(text)
        }
    }
}
