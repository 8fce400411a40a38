internal import Synchronization

/// The calls of all services of a host, with their taps, faults and recordings; without it, services have no proxies.
@_spi(Host) public final class CallMonitor: Sendable {
    private struct State {
        var services: [MockDirector.Key: ServiceCalls] = [:]
        var mode: CallMode?
        /// The services of the mode; nil for all.
        var chosen: Set<MockDirector.Key>?

        func mode(of key: MockDirector.Key) -> CallMode? { chosen?.contains(key) ?? true ? mode : nil }
    }

    private let state = Mutex(State())

    public init() {}

    /// Returns the calls of a service; they outlive the generations of its module.
    public func calls(of key: MockDirector.Key) -> ServiceCalls {
        state.withLock { state in
            if let known = state.services[key] { return known }
            let made = ServiceCalls(key)
            made.set(state.mode(of: key))
            state.services[key] = made
            return made
        }
    }

    /// Records the calls of services, or answers them from a recording; nil ends both.
    ///
    /// Without `services`, all are meant, also those of modules that are loaded later.
    public func use(_ mode: CallMode?, for services: Set<MockDirector.Key>? = nil) {
        state.withLock { state in
            (state.mode, state.chosen) = (mode, services)
            for (key, calls) in state.services { calls.set(state.mode(of: key)) }
        }
    }

    public func start(_ tap: CallTap) { calls(of: tap.target.key).add(tap) }

    public func end(_ tap: CallTap) { calls(of: tap.target.key).remove(tap) }

    /// The faults of all services, sorted by module and service.
    public var faults: [(key: MockDirector.Key, fault: CallFault)] {
        state.withLock { $0.services }.sorted { $0.key < $1.key }.flatMap { key, calls in
            calls.faults.map { (key, $0) }
        }
    }

    /// Sets a fault; it replaces one of the same service and method, and comes before one of all methods.
    public func set(_ fault: CallFault, of key: MockDirector.Key) {
        calls(of: key).changeFaults { faults in
            faults.removeAll { $0.method == fault.method }
            faults.insert(fault, at: fault.method == nil ? faults.endIndex : 0)
        }
    }

    /// Ends the faults of a service and, if one is given, of one method; returns the number.
    public func endFaults(of key: MockDirector.Key, method: String?) -> Int {
        var ended = 0
        calls(of: key).changeFaults { faults in
            ended = faults.count
            faults.removeAll { method == nil || $0.method == method }
            ended -= faults.count
        }
        return ended
    }
}

/// A service that an active module registers, as `tap`, `call` and `fault` see it.
@MainActor
@_spi(Host) public struct RegisteredService {
    public let key: MockDirector.Key
    /// Why its calls can't be seen, completing "because"; nil if they can.
    public let obstacle: String?
    public let methods: [ServiceMethod]
    private let registration: Registration

    init(_ registration: Registration) {
        self.registration = registration
        key = MockDirector.Key(module: registration.owner.name, service: registration.key.name)
        methods = registration.proxy?.methods ?? []
        obstacle =
            registration.proxy.map(\.obstacle)
            ?? (registration.key.isExistential
                ? "its module was built without proxies; build it again"
                : "it is registered as a type, not as a protocol")
    }

    /// Checks arguments without calling the method, which is one of ``methods``.
    ///
    /// - Throws: ``ArgumentError`` if one is missing or does not fit.
    public func check(_ method: ServiceMethod, _ arguments: ArgumentValues) throws {
        let given = given(arguments, method)
        func check<Value>(_ type: Value.Type, _ name: String) throws { let _: Value = try given(name) }
        for parameter in method.parameters { try check(parameter.type, parameter.name) }
    }

    private func given(_ arguments: ArgumentValues, _ method: ServiceMethod) -> GivenArguments {
        GivenArguments(arguments, of: "\(key.service).\(method.baseName)")
    }

    /// Calls a method, which is one of ``methods``, with arguments as texts.
    public func call(
        _ method: ServiceMethod, _ arguments: ArgumentValues, in container: Container
    ) async throws -> CallResult {
        guard let proxy = registration.proxy,
            let index = methods.firstIndex(where: { $0.name == method.name })
        else { preconditionFailure("The method is of another service.") }
        return CallResult(
            try await proxy.call(
                index, given(arguments, method), named: registration.key.label, in: container))
    }
}

/// The result of a method, without secrets.
@_spi(Host) public struct CallResult: Sendable {
    /// The result as JSON, if it is encodable; nil if it is not, or there is none.
    public let json: JSONValue?
    /// The result in words; nil if there is none.
    public let text: String?

    init(_ value: Any) {
        text = value is Void ? nil : CallText.of(value)
        json = (try? CallCoding.json(of: value))?.hidingSecrets
    }
}

extension JSONValue {
    /// The value with the members hidden that have names of secrets.
    fileprivate var hidingSecrets: JSONValue {
        switch self {
        case .array(let items): .array(items.map(\.hidingSecrets))
        case .object(let object):
            .object(
                object.members.reduce(into: [:]) {
                    $0[$1.key] =
                        SecretName.matches($1.key) ? .string(CallText.hidden) : $1.value.hidingSecrets
                })
        default: self
        }
    }
}

extension Container {
    /// The services of active modules, sorted by module and name.
    public var services: [RegisteredService] {
        registrations.filter { $0.key.layer == .service }.map(RegisteredService.init)
            .sorted { $0.key < $1.key }
    }
}
