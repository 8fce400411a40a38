/// A feature module's description of itself: a valid `module.json`.
public struct ModuleManifest: Sendable, Hashable {
    /// The time at which the host activates a module.
    public enum Activation: String, Sendable, CaseIterable {
        case startup

        /// When one of its links, or an interface that it provides, is first needed.
        case onDemand
    }

    /// The origin of a manifest: the build, not the author, writes ``sdk`` and ``compiler``.
    public enum Form: Sendable {
        /// A `module.json` as its author writes it, without these keys.
        case authored

        /// The manifest inside a library, to which the build has added these keys.
        case embedded
    }

    /// The name by which `modules.json` and the requirements of other modules refer to it.
    public let name: String
    /// The module's own version, with which other modules' ranges are compared.
    public let version: SemanticVersion

    /// The class that conforms to `FeatureModule`.
    public let entry: String

    /// The purpose of the module, in one line for users.
    public let summary: String
    /// The modules that this one needs, with the versions that fit.
    public let requires: [Requirement]
    /// The modules that this one uses where they are there, with the versions that fit.
    public let uses: [Requirement]
    /// The contracts that it is built on, with the versions that fit.
    public let contracts: [Requirement]
    /// The parts of the host that it may reach; nil if it does not say, and may reach all.
    public let capabilities: Capabilities?
    /// When the host activates it; ``Activation/startup`` if the manifest does not say.
    public let activation: Activation

    /// The names of the types that the module registers for others.
    public let provides: [String]

    /// The screens that the module registers, by whose links it is found before it is loaded.
    public let screens: [ScreenDeclaration]

    /// Words that can be typed on every screen, and the module's commands that they stand for.
    public let commands: [CommandDeclaration]

    /// The contribution points that its code declares, as the build read them.
    public let points: [PointDeclaration]

    /// The values that `modules.json` may set for the module, each with its type and bounds.
    public let configuration: [ConfigurationDeclaration]

    /// The version of AtriumKit that the module was built against; `nil` in an authored manifest.
    public let sdk: SemanticVersion?

    /// The version of the Swift compiler that built the module, such as `6.3.1`; `nil` in an authored
    /// manifest.
    public let compiler: String?

    /// The layout of the code that AtriumKit compiled into the module; `nil` in an authored manifest, and in
    /// a manifest stamped before layouts were counted.
    public let inlinedLayout: Int?

    /// Reads a manifest.
    ///
    /// `readScreens` are those of a manifest that does not list its screens; nil if they are unknown.
    public init(
        json: [UInt8], file: String, form: Form = .embedded, readScreens: [ScreenDeclaration]? = []
    ) throws(ManifestError) {
        var reader = try DocumentReader(json, file: file)
        let root = reader.root
        sdk = reader.stamp("sdk", form).map { reader.version($0) }
        compiler = reader.stamp("compiler", form)?.value.text
        inlinedLayout = reader.inlinedLayout(form)
        reader.checkObject(
            root,
            keys: [
                "$schema", "name", "version", "entry", "summary", "requires", "uses", "contracts",
                "capabilities", "activation", "provides", "screens", "commands", "configuration",
            ],
            required: ["name", "version", "entry", "summary"],
            ignored: ["sdk", "compiler", "inlinedLayout", "points"])
        reader.text(root["$schema"])
        name = reader.text(root["name"], .moduleName) ?? ""
        version = reader.version(root["version"], .semanticVersion)
        entry = reader.text(root["entry"], .swiftIdentifier) ?? ""
        summary = reader.text(root["summary"], .line) ?? ""
        requires = reader.requirements(root["requires"], of: name)
        uses = reader.uses(root["uses"], of: name, requiring: requires)
        contracts = reader.contracts(root["contracts"], of: name)
        capabilities = reader.capabilities(root["capabilities"])
        activation = reader.choice(root["activation"]) ?? .startup
        provides = reader.texts(root["provides"], .interfaceName)
        let listed = root["screens"].map { reader.screens($0) }
        screens = listed ?? readScreens ?? []
        commands = reader.commands(root["commands"], of: listed ?? readScreens)
        points = reader.points(form)
        configuration = reader.configuration(root["configuration"])
        try reader.finish()
    }

    /// Reads an author's manifest, and adds the build's stamps.
    ///
    /// `screens` are those in the module's code, for a manifest that does not list its screens; nil if they
    /// are unknown. `points` are the contribution points in the code.
    ///
    /// - Returns: The manifest, and the JSON to embed: the author's without `$schema`, with the screens and
    ///   the stamped keys.
    /// - Throws: ``ManifestError`` with all problems in the author's manifest.
    public static func stamped(
        _ json: [UInt8], file: String, sdk: SemanticVersion = SDKVersion.current,
        inlinedLayout: Int = SDKVersion.inlinedLayout, compiler: String, screens: [ScreenDeclaration]? = [],
        points: [PointDeclaration] = []
    ) throws(ManifestError) -> (manifest: ModuleManifest, embedded: String) {
        let manifest = try ModuleManifest(json: json, file: file, form: .authored, readScreens: screens)
        guard case .object(var members) = try DocumentReader(json, file: file).root.value.plain else {
            return (manifest, "{}")
        }
        members.removeAll { $0.key == "$schema" }
        insert(manifest.screens, into: &members)
        if !points.isEmpty {
            let list = points.map { ManifestValue.Member(key: $0.name, value: .string($0.element)) }
            members.append(ManifestValue.Member(key: "points", value: .object(list)))
        }
        members += stamps(sdk, inlinedLayout, compiler: compiler)
        return (manifest, ManifestValue.object(members).json)
    }

    /// The members that the build adds to an author's manifest.
    static func stamps(
        _ sdk: SemanticVersion = SDKVersion.current, _ inlinedLayout: Int = SDKVersion.inlinedLayout,
        compiler: String
    ) -> [ManifestValue.Member] {
        [("sdk", sdk.description), ("inlinedLayout", "\(inlinedLayout)"), ("compiler", compiler)].map {
            ManifestValue.Member(key: $0, value: .string($1))
        }
    }

    /// Adds the screens to a manifest that does not list them, where authors list them.
    private static func insert(_ screens: [ScreenDeclaration], into members: inout [ManifestValue.Member]) {
        guard !screens.isEmpty, !members.contains(where: { $0.key == "screens" }) else { return }
        let list = screens.map { ManifestValue.Member(key: $0.pattern, value: .string($0.summary)) }
        let index = members.firstIndex { ["commands", "configuration"].contains($0.key) }
        members.insert(
            ManifestValue.Member(key: "screens", value: .object(list)), at: index ?? members.endIndex)
    }
}

extension DocumentReader {
    /// Reads the contribution points, which the build adds.
    fileprivate mutating func points(_ form: ModuleManifest.Form) -> [PointDeclaration] {
        if form == .authored, let member = root.value.members.first(where: { $0.key == "points" }) {
            report(
                root.path(to: "points"), at: member.keyPosition,
                "'points' is read from the code by the build; remove it.")
            return []
        }
        return members(root["points"]).map { member in
            PointDeclaration(name: member.key, element: text(member.field) ?? "")
        }
    }

    /// A string that the build stamps; an authored manifest must not have it, an embedded one must.
    mutating func stamp(_ key: String, _ form: ModuleManifest.Form) -> Field? {
        let member = root.value.members.first { $0.key == key }
        switch form {
        case .authored:
            if let member {
                report(
                    root.path(to: key), at: member.keyPosition,
                    "'\(key)' is stamped by the build; remove it.")
            }
            return nil
        case .embedded:
            if let field = root[key], field.value.text?.isEmpty == false { return field }
            report(
                root.path(to: key), at: member?.value.position ?? root.value.position,
                "'\(key)' is missing or no text; build the module with the plugin EmbedManifest.")
            return nil
        }
    }

    /// The layout of AtriumKit's inlined code; nil in a manifest stamped before layouts were counted.
    mutating func inlinedLayout(_ form: ModuleManifest.Form) -> Int? {
        root["inlinedLayout"] == nil ? nil : stamp("inlinedLayout", form)?.value.text.flatMap { Int($0) }
    }

    /// Reads the screens: no two patterns may match the same link, nor may a pattern repeat a parameter name.
    fileprivate mutating func screens(_ field: Field) -> [ScreenDeclaration] {
        var earlier = FirstOccurrences<String>()
        let members = members(field, keys: .linkPattern)
        return members.map { member in
            let screen = ScreenDeclaration(pattern: member.key, summary: text(member.field, .line) ?? "")
            guard member.isKeyValid else { return screen }
            var first: SourcePosition?
            for shape in screen.shapes { first = earlier.insert(shape, at: member.keyPosition) ?? first }
            if let first, let other = members.first(where: { $0.keyPosition == first }) {
                report(
                    member.field.path, at: member.keyPosition,
                    "\(Wording.quoted(member.key)) answers the same links as "
                        + "\(Wording.quoted(other.key)) on line \(first.line); remove one of them.")
            }
            for mistake in screen.mistakes { report(member.field.path, at: member.keyPosition, mistake) }
            return screen
        }
    }

    /// Reads the commands: each must begin with a link of the module, if its screens are known.
    fileprivate mutating func commands(
        _ field: Field?, of screens: [ScreenDeclaration]?
    ) -> [CommandDeclaration] {
        members(field, keys: .commandName).map { member in
            let command = CommandDeclaration(name: member.key, line: text(member.field, .line) ?? "")
            let link = command.line.prefix { $0 != " " }
            if let screens, !command.line.isEmpty, !screens.contains(where: { $0.mayMatch(link) }) {
                report(
                    member.field,
                    "A command must begin with a link of the module, and \(Wording.quoted(String(link))) is none."
                )
            }
            return command
        }
    }

    /// Reads the configuration: choices, bounds and the default must be of the declared type, and the default
    /// one of the choices and within the bounds.
    fileprivate mutating func configuration(_ field: Field?) -> [ConfigurationDeclaration] {
        members(field, keys: .configurationKey).compactMap { member in
            let field = member.field
            checkObject(
                field, keys: ["type", "default", "choices", "minimum", "maximum", "summary"],
                required: ["type", "summary"])
            let summary = text(field["summary"], .line) ?? ""
            let type: ConfigurationDeclaration.ValueType? = choice(field["type"])
            let choices = choices(field["choices"], of: type)
            let minimum = bound("minimum", field, of: type)
            let maximum = bound("maximum", field, of: type)
            if let least = minimum?.number, let most = maximum?.number, least > most,
                let field = field["maximum"]
            {
                report(field, "The maximum is less than the minimum.")
            }
            guard let type else { return nil }
            let declaration = ConfigurationDeclaration(
                key: member.key, type: type, defaultValue: field["default"]?.value.plain, choices: choices,
                minimum: minimum, maximum: maximum, summary: summary)
            if let field = field["default"], let problem = declaration.problem(with: field.value.plain) {
                report(field, "The default \(problem).")
            }
            return declaration
        }
    }

    /// Reads the minimum or the maximum.
    private mutating func bound(
        _ key: String, _ declaration: Field, of type: ConfigurationDeclaration.ValueType?
    ) -> ManifestValue? {
        guard let field = declaration[key], let type else { return nil }
        guard type == .integer || type == .number else {
            report(field, "Only an integer or a number has a \(key).")
            return nil
        }
        let plain = ConfigurationDeclaration(key: "", type: type, summary: "")
        if let problem = plain.problem(with: field.value.plain) {
            report(field, "The \(key) \(problem).")
            return nil
        }
        return field.value.plain
    }

    private mutating func choices(
        _ field: Field?, of type: ConfigurationDeclaration.ValueType?
    ) -> [ManifestValue] {
        let plain = type.map { ConfigurationDeclaration(key: "", type: $0, summary: "") }
        var earlier = FirstOccurrences<ManifestValue>()
        let items = items(field)
        if let field, case .array = field.value.plain, items.isEmpty {
            report(field, "Found 0 items; allowed: at least 1 item.")
        }
        for item in items {
            checkUnique(item, &earlier)
            if let problem = plain?.problem(with: item.value.plain) {
                report(item, "A choice \(problem).")
            }
        }
        return items.map(\.value.plain)
    }
}

/// A screen in a manifest, known before the module is loaded.
public struct ScreenDeclaration: Sendable, Hashable {
    /// The pattern of its links, such as `entities/:id`.
    public let pattern: String
    /// The purpose of the screen, in one line for users.
    public let summary: String

    public init(pattern: String, summary: String) {
        (self.pattern, self.summary) = (pattern, summary)
    }

    /// The names of the parameters in the pattern, in order, without their `:`, `?` and `*`.
    var parameters: [String] {
        pattern.split(separator: "/").compactMap { segment in
            guard segment.hasPrefix(":") else { return nil }
            let name = segment.dropFirst()
            return String(name.hasSuffix("?") || name.hasSuffix("*") ? name.dropLast() : name)
        }
    }

    /// The mistakes of the pattern itself: each parameter needs a name of its own.
    public var mistakes: [String] {
        var names: Set<String> = []
        return parameters.filter { !names.insert($0).inserted }.map {
            "Parameter \(Wording.quoted(":" + $0)) appears twice; each needs a name of its own."
        }
    }

    /// True if a link may match the pattern.
    func mayMatch(_ link: Substring) -> Bool {
        let parts = link.split(separator: "/", omittingEmptySubsequences: false)
        let own = pattern.split(separator: "/")
        let fits = zip(own, parts).allSatisfy { $0 == $1 || $0.hasPrefix(":") }
        return fits && (parts.count <= own.count || own.last?.hasSuffix("*") == true)
            && own.dropFirst(parts.count).allSatisfy { $0.hasSuffix("?") || $0.hasSuffix("*") }
    }

    /// The forms of its links, without parameter names: one, or one for each number of parameters that may be
    /// absent.
    ///
    /// Two screens with a form in common would match the same links. A tail is a separate form, as every
    /// other form takes precedence.
    public var shapes: [String] {
        var shapes: [String] = []
        var shape = ""
        for segment in pattern.split(separator: "/", omittingEmptySubsequences: false) {
            if segment.hasSuffix("?") { shapes.append(shape) }
            if !shape.isEmpty { shape += "/" }
            if segment.hasPrefix(":") {
                shape += segment.hasSuffix("*") ? "*" : ":"
            } else {
                shape += segment
            }
        }
        return shapes + [shape]
    }
}

/// A word that stands for a command: `sign-in` for `session sign-in`.
public struct CommandDeclaration: Sendable, Hashable {
    /// The word that is typed.
    public let name: String
    /// The command that runs instead; it begins with a link of the module.
    public let line: String
}

/// A value that `modules.json` may set for a module.
public struct ConfigurationDeclaration: Sendable, Hashable {
    /// The types that a configured value can have.
    public enum ValueType: String, Sendable, CaseIterable {
        case string, integer, number, boolean

        /// True if a value is of this type; a whole number such as `1.0` is an integer, as in JSON Schema.
        func includes(_ value: ManifestValue) -> Bool {
            switch (self, value.canonical) {
            case (.string, .string), (.integer, .integer), (.number, .integer), (.number, .number),
                (.boolean, .bool):
                true
            default: false
            }
        }
    }

    /// The key under which `modules.json` sets the value.
    public let key: String
    /// The type that a configured value must have.
    public let type: ValueType
    /// The value if `modules.json` sets none; nil if there is no default.
    public var defaultValue: ManifestValue?

    /// The allowed values; empty if every value of the type is allowed.
    public var choices: [ManifestValue] = []

    /// The smallest number allowed; nil if there is none.
    public var minimum: ManifestValue?
    /// The largest number allowed; nil if there is none.
    public var maximum: ManifestValue?

    /// The effect of the value, in one line for users.
    public let summary: String

    /// Why a value can't be set, as the words after its name in a sentence: `must be an integer, not 'x'`;
    /// `nil` if it can.
    public func problem(with value: ManifestValue) -> String? {
        guard type.includes(value) else {
            return "must be \(type == .integer ? "an integer" : "a \(type.rawValue)"), not \(value.excerpt)"
        }
        if let range, !isInRange(value) { return "must be \(range), not \(value.excerpt)" }
        if choices.isEmpty || choices.contains(where: { $0.canonical == value.canonical }) { return nil }
        return "must be \(Wording.alternatives(choices.map(\.excerpt))), not \(value.excerpt)"
    }

    /// The bounds in words, such as `from 1 to 1024`; nil without any.
    public var range: String? {
        switch (minimum, maximum) {
        case (let least?, let most?): "from \(least.excerpt) to \(most.excerpt)"
        case (let least?, nil): "\(least.excerpt) or more"
        case (nil, let most?): "\(most.excerpt) or less"
        case (nil, nil): nil
        }
    }

    private func isInRange(_ value: ManifestValue) -> Bool {
        guard let number = value.number else { return true }
        return number >= minimum?.number ?? -.infinity && number <= maximum?.number ?? .infinity
    }
}
