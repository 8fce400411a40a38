internal import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumText

/// The tools, resources and prompts that a host offers to programs, from the same declarations as `help`.
@MainActor
struct Catalog {
    let scene: Scene

    private var host: ShellHost { scene.host }

    // MARK: - Tools

    /// Shell commands that are useless to a program, or never end.
    private static let unusable: Set = ["live", "top"]

    /// All tools by name, whatever their effect.
    var tools: [Tool] {
        let commands = HostCommands(scene: scene).all.filter { command in
            (command.subject != .shell || command.action.name == HostCommands.help)
                && !Self.unusable.contains(command.action.name)
        }
        var tools = commands.map { command in
            let declaration = Declaration(command.action)
            return Tool(
                name: Self.name(["host"] + declaration.name.split(separator: " ").map(String.init)),
                target: .command(command.action), declaration: declaration,
                summary: declaration.summary + ".")
        }
        tools.append(contentsOf: ownTools)
        for screen in host.screens.all {
            let summary = host.summary(of: screen)
            let origin = "On the screen '\(screen.pattern)'" + (summary.isEmpty ? "." : ": \(summary).")
            tools += actions(of: screen).map { action in
                Tool(
                    name: Self.name(of: action, on: screen.pattern), target: .action(screen.pattern),
                    declaration: action, summary: "\(action.summary). \(origin)",
                    isRemote: host.environment == .live)
            }
        }
        return Self.withUniqueNames(tools).sorted { $0.name < $1.name }
    }

    /// Tools for what the prompt does with a link alone, and with the answer to a question.
    private var ownTools: [Tool] {
        let show = Action(
            "show", "Show a screen without opening it", effect: .reads,
            Argument<String>("link", "Its link, such as 'host_links' lists")
        ) { _ in .updated }
        let answer = Action(
            "answer", "Answer the open question", effect: .navigates,
            Argument<String>("answer", "One of the answers that the question lists")
        ) { _ in .updated }
        return [
            Tool(
                name: "host_show", target: .screen, declaration: Declaration(show),
                summary: show.summary + "."),
            Tool(
                name: "host_answer", target: .answer, declaration: Declaration(answer),
                summary: answer.summary + "."),
        ]
    }

    /// The declared actions of a screen, plus its present ones if it is the current screen.
    private func actions(of screen: ScreenRegistration) -> [Declaration] {
        let declared = host.declared.actions(of: screen) ?? []
        let coordinator = scene.coordinator
        guard coordinator.currentRegistration === screen, let shown = coordinator.shownScreen else {
            return declared
        }
        let more = shown.view.listedActions.map(Declaration.init)
        return declared + more.filter { action in !declared.contains { $0.name == action.name } }
    }

    private static func name(of action: Declaration, on pattern: LinkPattern) -> String {
        let parts = pattern.segments.map { segment in
            if case .literal(let text) = segment { text } else { segment.name ?? "" }
        }
        return name(parts + [action.name])
    }

    /// Joins words to a name; characters other than ASCII letters, digits and hyphens become their code.
    private static func name(_ parts: [String]) -> String {
        let text = parts.map { part in
            part.unicodeScalars.map { scalar in
                let isPlain = scalar.isASCII && (Character(scalar).isLetter || Character(scalar).isNumber)
                return isPlain || scalar == "-" || scalar == "_"
                    ? String(scalar) : "u" + String(scalar.value, radix: 16)
            }.joined()
        }.joined(separator: "_")
        guard text.utf8.count > nameLimit else { return text }
        // FNV-1a, so that a long name is the same in every session.
        let hash = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return String(text.prefix(nameLimit - 9)) + "_" + String(hash, radix: 16)
    }

    private static let nameLimit = 64

    private static func withUniqueNames(_ tools: [Tool]) -> [Tool] {
        var names: Set<String> = []
        return tools.map { tool in
            var name = tool.name
            var number = 2
            while !names.insert(name).inserted {
                name = String(tool.name.prefix(nameLimit - 4)) + "_\(number)"
                number += 1
            }
            guard name != tool.name else { return tool }
            return Tool(
                name: name, target: tool.target, declaration: tool.declaration, summary: tool.summary,
                isRemote: tool.isRemote)
        }
    }

    /// Loads the on-demand modules, whose actions are unknown until then.
    ///
    /// - Returns: The errors of those that can't be loaded.
    func loadModules() async -> [any ExplainedError] {
        var problems: [any ExplainedError] = []
        for module in host.runtime.modules where module.isOnDemand {
            guard module.manifest?.screens.isEmpty == false else { continue }
            do {
                try await host.runtime.load(module)
            } catch {
                problems.append(ShellError.explain(error))
            }
        }
        return problems
    }

    // MARK: - Resources

    static let scheme = "atrium:///"
    /// The log, which is no screen.
    static let logURI = "atrium://log"
    private static let type: JSONValue = "application/json"

    static func link(of uri: String) -> Link? {
        guard uri.hasPrefix(scheme) else { return nil }
        return try? Link(String(uri.dropFirst(scheme.count)))
    }

    /// The log, and the screens whose links have no values.
    var resources: [JSONObject] {
        let log: JSONObject = [
            "uri": .string(Self.logURI), "name": "log", "title": "The newest lines of the log",
            "description": "Messages of modules and host.", "mimeType": Self.type,
        ]
        return [log]
            + scene.knownLinks.filter { !$0.hasParameters }.map { known in
                var json: JSONObject = [
                    "uri": .string(Self.scheme + known.pattern.description),
                    "name": .string(known.pattern.description),
                ]
                describe(known, in: &json)
                return json
            }
    }

    /// The screens whose links have values, by RFC 6570.
    var resourceTemplates: [JSONObject] {
        scene.knownLinks.filter(\.hasParameters).map { known in
            var json: JSONObject = [
                "uriTemplate": .string(Self.scheme + Self.template(of: known.pattern)),
                "name": .string(known.pattern.description),
            ]
            describe(known, in: &json)
            return json
        }
    }

    private func describe(_ known: KnownLink, in json: inout JSONObject) {
        if !known.summary.isEmpty { json["title"] = .string(known.summary) }
        json["description"] = .string("A screen of module \(known.module).")
        json["mimeType"] = Self.type
    }

    private static func template(of pattern: LinkPattern) -> String {
        var text = ""
        for segment in pattern.segments {
            switch segment {
            case .literal(let literal):
                text += (text.isEmpty ? "" : "/") + Link(segments: [literal]).description
            case .argument(let name): text += (text.isEmpty ? "" : "/") + "{\(name)}"
            case .optional(let name): text += "{/\(name)}"
            case .tail(let name): text += "{/\(name)*}"
            }
        }
        return text
    }

    static func contents(_ content: Content, of uri: String) -> JSONObject {
        let text = JSONValue.object(content.json).serialized
        return ["contents": [["uri": .string(uri), "mimeType": type, "text": .string(text)]]]
    }

    /// A line of the log, as the parameters of a notification.
    static func message(_ line: LogLine) -> JSONObject {
        var data: JSONObject = ["time": .string(line.time), "message": .string(line.message)]
        if let origin = line.origin {
            data["scene"] = .string(origin.scene)
            data["command"] = .string(origin.command)
        }
        return [
            "level": .string(LogLevels.name(of: line.level)), "logger": .string(line.module),
            "data": .object(data),
        ]
    }

    // MARK: - Prompts

    /// A prompt for each module that has screens, and those for questions about the host.
    var prompts: [JSONObject] {
        let ofModules: [JSONObject] = modulesWithScreens.map { module in
            [
                "name": .string(module.name), "title": .string("Work with \(module.name)"),
                "description": .string(module.manifest?.summary ?? ""),
                "arguments": [
                    ["name": "task", "description": "What you want to do", "required": false]
                ],
            ]
        }
        return ofModules + TaskPrompt.all.map(\.listed)
    }

    private var modulesWithScreens: [Module] {
        host.runtime.modules.filter {
            $0.manifest?.screens.isEmpty == false && ($0.state.isActive || $0.isOnDemand)
        }
        .sorted { $0.name < $1.name }
    }

    /// The prompt with a module's help, and the tools that carry it out, or that for a question; nil if there
    /// is no such prompt.
    func prompt(_ name: String, task: String?, permission: Permission) -> JSONObject? {
        if let prompt = TaskPrompt.all.first(where: { $0.name == name }) {
            let names = tools.filter { $0.isListed(for: permission) }.map(\.name)
            return Self.prompt(prompt.summary, prompt.text(about: task, mayCall: names.contains))
        }
        guard let module = modulesWithScreens.first(where: { $0.name == name }),
            let manifest = module.manifest
        else { return nil }
        let screens = scene.knownLinks.filter { $0.module == name }
        let tools = tools.filter { permission.allows($0.effect) }
        var lines = ["The module \(name) \(manifest.version) of this Atrium host: \(manifest.summary)."]
        for screen in screens {
            lines += [
                "",
                "Screen \(screen.pattern) (\(Self.scheme)\(Self.template(of: screen.pattern))): \(screen.summary).",
            ]
            lines += tools.compactMap { tool in
                guard case .action(let pattern) = tool.target, pattern == screen.pattern else { return nil }
                return "- tool \(tool.name): \(tool.declaration.summary)."
            }
        }
        if let task, !task.isEmpty { lines += ["", "Task: \(task)"] }
        return Self.prompt(manifest.summary, lines.joined(separator: "\n"))
    }

    private static func prompt(_ summary: String, _ text: String) -> JSONObject {
        [
            "description": .string(summary),
            "messages": [["role": "user", "content": ["type": "text", "text": .string(text)]]],
        ]
    }
}

extension KnownLink {
    fileprivate var hasParameters: Bool { pattern.segments.contains { $0.name != nil } }
}
