@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumModules
internal import AtriumText
internal import AtriumViews

/// The commands about the calls of services.
extension HostCommands {
    @ActionsBuilder var calls: [Action] {
        tap
        Action(
            Self.call, "Call a method of a service, or list the methods",
            effect: .destroys, asking: "The method may change anything. Continue?",
            Argument<String?>(
                "method", "The method, as in EntityService.record", suggestions: callable.map(\.name)),
            Argument<String?>("arguments", "A JSON object; at the prompt also '--NAME VALUE' for each")
        ) { name, arguments in
            guard let name else { return .content(CallViews.methods(host.runtime.container.services)) }
            let (service, method) = try callable(name)
            let values = try CallArguments.values(arguments, of: method, "\(Self.call) \(name)")
            return .content(
                CallViews.result(try await service.call(method, values, in: host.runtime.container)))
        }
        fault
    }

    /// The command of one method, with its arguments; nil if there is no such method, or it can't be called.
    func call(_ name: String) -> Action? {
        guard let (service, method) = try? callable(name) else { return nil }
        let target = "\(service.key.service).\(method.baseName)"
        return Action(
            "\(Self.call) \(target)", "Call \(method.baseName) of \(service.key.service)", effect: .destroys,
            asking: "\(target) may change anything. Continue?",
            arguments: method.parameters.map(\.description)
        ) { [container = host.runtime.container] values in
            .content(CallViews.result(try await service.call(method, values, in: container)))
        }
    }

    /// Checks the target of a `call` that was typed.
    ///
    /// - Throws: ``ShellError`` if there is no such method, or why it can't be called.
    func checkTarget(of words: [Word]) throws {
        guard words.count > 1, !words[1].isOption else { return }
        _ = try callable(words[1].text)
    }

    /// Checks the method and the arguments of a `call`, before it asks.
    ///
    /// - Throws: ``ShellError`` or ``ArgumentError``.
    func checkCall(_ action: Action, _ values: ArgumentValues) throws {
        let parts = action.name.split(separator: " ")
        guard parts[0] == Self.call, let name = parts.count > 1 ? String(parts[1]) : values["method"] else {
            return
        }
        let (service, method) = try callable(name)
        let isTool = parts.count == 1
        try service.check(
            method,
            isTool ? CallArguments.values(values["arguments"], of: method, "\(Self.call) \(name)") : values)
    }

    /// The methods that can be called, by the names that are typed.
    private var callable: [(name: String, service: RegisteredService, method: ServiceMethod)] {
        guard offersNames else { return [] }
        return host.runtime.container.services.flatMap { service in
            service.methods.filter { $0.obstacle == nil }.map {
                ("\(service.key.service).\($0.baseName)", service, $0)
            }
        }
    }

    /// - Throws: ``ShellError`` if there is no such method, or why it can't be called.
    private func callable(_ name: String) throws -> (RegisteredService, ServiceMethod) {
        let target = try ServiceTarget(name, in: host.runtime.container.services)
        let service = target.service
        if let obstacle = service.obstacle { throw target.refusal("called", obstacle) }
        guard !target.methods.isEmpty else {
            let names = service.methods.map(\.baseName).uniqued
            throw ArgumentError(
                .missingArgument, "'call' needs a method of \(service.key.service).",
                hint: names.first.map { "\(Self.call) \(service.key.service).\($0)" })
        }
        guard let method = target.methods.first(where: { $0.obstacle == nil }) else {
            throw target.refusal("called", target.methods[0].obstacle ?? "")
        }
        return (service, method)
    }

    // MARK: - Taps

    private static let usualLimit = 100

    private var tap: Action {
        Action(
            "tap", "Print the calls of a service, or list what is tapped",
            effect: .reads,
            Argument<String?>(
                "service", "A service, or one method: EntityService.page", suggestions: targets),
            Argument<Int?>("limit", "End after this many calls; default: \(Self.usualLimit)"),
            Argument<Seconds?>("for", "End after this time, such as 10m"),
            Argument<Seconds?>("slower-than", "Only calls that take longer, such as 0.1"),
            Argument("failing", "Only calls that fail", default: false),
            Argument("end", "End the tap, or all", default: false)
        ) { name, limit, time, least, failing, ends in
            guard let name else {
                guard ends else {
                    return .content(CallViews.taps(scene.taps.all.map { ($0.tap, $0.conditions) }))
                }
                scene.taps.endAll()
                return .content(Content(), "Nothing is tapped now.")
            }
            let target = try ServiceTarget(name, in: host.runtime.container.services)
            guard !ends else {
                guard scene.taps.end({ target.covers($0.key, $0.method) }) > 0 else {
                    throw ArgumentError(.notFound, "\(target.name) is not tapped.", hint: "tap")
                }
                return .content(Content(), "\(target.name) is no longer tapped.")
            }
            if let obstacle = target.service.obstacle { throw target.refusal("tapped", obstacle) }
            try check(limit: limit)
            try check(time, "for", of: "tap")
            try check(least, "slower-than", of: "tap")
            let conditions = [
                least.map { "slower than \($0.duration.words)" }, failing ? "failing" : nil,
                time.map { "for \($0.duration.words)" },
            ].compactMap(\.self).joined(separator: ", ")
            scene.taps.start(
                CallTap.Target(target.service.key, method: target.method),
                CallTap.Filter(slowerThan: least?.duration, onlyFailures: failing),
                limit: limit ?? Self.usualLimit, for: time?.duration, conditions)
            return .content(Content(), "Tapping \(target.name); 'tap \(target.name) --end' ends it.")
        }
    }

    private func check(limit: Int?) throws {
        guard let limit, !(1...1_000_000).contains(limit) else { return }
        throw ArgumentError(
            .invalidArgument, "'limit' of 'tap' must be from 1 to 1000000, not \(limit).",
            hint: "tap EntityService --limit 20")
    }

    private func check(_ time: Seconds?, _ argument: String, of command: String) throws {
        guard let time, time.duration <= .zero || time.duration > .seconds(86_400) else { return }
        throw ArgumentError(
            .invalidArgument,
            "'\(argument)' of '\(command)' must be longer than 0 s and at most 24h, not '\(time.argumentText)'."
        )
    }

    // MARK: - Faults

    private var fault: Action {
        Action(
            "fault", "Make calls of a service fail or wait, or list the faults", effect: .changes,
            Argument<String?>(
                "service", "A service, or one method: EntityService.page", suggestions: targets),
            Argument<String?>("error", "The code of the error: serviceUnavailable, notFound, …"),
            Argument<Seconds?>("delay", "The time that each call waits first"),
            Argument<Double?>("rate", "The share of the calls, from 0 to 1; default: all"),
            Argument("end", "End the faults of it, or all", default: false)
        ) { name, error, delay, rate, ends in
            guard let name else {
                if ends {
                    for (key, _) in host.calls.faults { _ = host.calls.endFaults(of: key, method: nil) }
                }
                return .content(CallViews.faults(host.calls.faults))
            }
            let target = try ServiceTarget(name, in: host.runtime.container.services)
            if ends {
                guard host.calls.endFaults(of: target.service.key, method: target.method) > 0 else {
                    throw ArgumentError(.notFound, "\(target.name) has no fault.", hint: "fault")
                }
                return .content(Content(), "\(target.name) has no fault now.")
            }
            if let obstacle = target.service.obstacle { throw target.refusal("made to fail", obstacle) }
            try check(delay, "delay", of: "fault")
            host.calls.set(
                try newFault(target, error: error, delay: delay, rate: rate), of: target.service.key)
            return .content(CallViews.faults(host.calls.faults))
        }
    }

    private func newFault(
        _ target: ServiceTarget, error: String?, delay: Seconds?, rate: Double?
    ) throws -> CallFault {
        let hint = "fault \(target.name) --error serviceUnavailable --rate 0.5"
        if let rate, !(rate > 0 && rate <= 1) {
            throw ArgumentError(
                .invalidArgument,
                "'rate' of 'fault' must be above 0 and at most 1, not \(rate.argumentText).",
                hint: hint)
        }
        guard error != nil || delay != nil || rate != nil else {
            throw ArgumentError(
                .missingArgument, "'fault' needs what is to happen: an error, a delay or a rate.", hint: hint)
        }
        if let error, error.isEmpty || !error.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) {
            throw ArgumentError(
                .invalidArgument, "'error' of 'fault' must be the code of an error: letters and digits.",
                hint: hint)
        }
        let fails = error != nil || delay == nil
        let methods = target.method == nil ? target.service.methods : target.methods
        guard methods.contains(where: { fails ? $0.canThrow : $0.isAsync }) else {
            throw target.refusal(
                fails ? "made to fail" : "delayed", fails ? "it throws no errors" : "it is not asynchronous")
        }
        return CallFault(
            method: target.method,
            error: fails ? error.map { ErrorCode(stringLiteral: $0) } ?? .serviceUnavailable : nil,
            delay: delay?.duration, rate: rate ?? 1)
    }

    private var targets: [String] {
        guard offersNames else { return [] }
        return host.runtime.container.services.filter { $0.obstacle == nil }.flatMap { service in
            [service.key.service] + service.methods.map { "\(service.key.service).\($0.baseName)" }
        }.uniqued
    }
}

/// A service that a user names, or one of its methods.
@MainActor
struct ServiceTarget {
    let service: RegisteredService
    /// The method without labels; nil for all.
    let method: String?
    /// The methods of that name; empty without one.
    let methods: [ServiceMethod]

    var name: String { service.key.service + (method.map { ".\($0)" } ?? "") }

    /// Finds a service in any letter case, with or without its module before it and a method after it.
    ///
    /// - Throws: ``ShellError`` if there is none, or several modules have one of the name.
    init(_ name: String, in services: [RegisteredService]) throws {
        if let service = try Self.service(name, in: services) {
            (self.service, method, methods) = (service, nil, [])
            return
        }
        guard let dot = name.lastIndex(of: "."), let service = try Self.service(name[..<dot], in: services)
        else {
            throw ShellError.unknown(
                .notFound, name, among: services.map(\.key.service).uniqued,
                else: "'call' lists the services with their methods."
            ) { "There is no service '\($0)'." }
        }
        let wanted = name[name.index(after: dot)...].lowercased()
        methods = service.methods.filter { $0.baseName.lowercased() == wanted }
        self.service = service
        method = methods.first?.baseName
        guard method != nil || service.obstacle != nil else {
            throw ShellError.unknown(
                .notFound, name,
                among: service.methods.map { "\(service.key.service).\($0.baseName)" }.uniqued,
                else: "'call' lists the methods."
            ) { "There is no method '\($0)'." }
        }
    }

    private static func service(
        _ name: some StringProtocol, in services: [RegisteredService]
    ) throws -> RegisteredService? {
        let wanted = name.lowercased()
        let found = services.filter {
            [$0.key.service, "\($0.key.module).\($0.key.service)"].contains { $0.lowercased() == wanted }
        }
        guard found.count > 1 else { return found.first }
        throw ShellError(
            .invalidArgument, "Several modules have a service '\(String(name).shortened)'.",
            hint: "Write one of: "
                + found.map { "\($0.key.module).\($0.key.service)" }.joined(separator: ", "))
    }

    func covers(_ key: MockDirector.Key, _ method: String?) -> Bool {
        key == service.key && (self.method == nil || self.method == method)
    }

    /// The error for a service or a method that can't be reached.
    func refusal(_ what: String, _ obstacle: String) -> ShellError {
        ShellError(
            .notFound, "\(name) can't be \(what), because \(obstacle).",
            hint: "container \(service.key.service)")
    }
}

/// The arguments of a method, given as one JSON object.
private enum CallArguments {
    @MainActor
    static func values(_ text: String?, of method: ServiceMethod, _ command: String) throws -> ArgumentValues
    {
        var values = ArgumentValues()
        guard let text else { return values }
        guard let object = try? StateCoding.decode(JSONObject.self, from: text) else {
            throw ArgumentError(
                .invalidArgument, "'arguments' of 'call' must be a JSON object.",
                hint: "\(command) --arguments '{\"id\": 1}'")
        }
        let names = method.parameters.map(\.name)
        for member in object.members {
            guard names.contains(member.key) else {
                throw ArgumentError(
                    .unknownArgument, "'\(command)' has no argument '\(member.key.shortened)'.",
                    hint: names.isEmpty ? "It takes none." : "It takes \(names.joined(separator: ", ")).")
            }
            switch member.value {
            case .null: break
            case .string(let text): values[member.key] = text
            case .bool(let flag): values[member.key] = flag.argumentText
            default: values[member.key] = member.value.serialized
            }
        }
        return values
    }
}
