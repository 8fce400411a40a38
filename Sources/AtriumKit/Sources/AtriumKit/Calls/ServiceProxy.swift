/// The proxy of a service, through which users of the service call it: for `tap`, `call` and `fault`.
///
/// The build writes one for each protocol that a module registers as a service, and ``FeatureModule/serviceProxies``
/// with all of them; a proxy forwards every call, and off it costs a branch.
public final class ServiceProxy: Sendable {
    /// The name of a service without a proxy; nil with one.
    let name: String?
    let type: (any Any.Type)?
    /// Why the service has no proxy; nil if it has one.
    let obstacle: String?
    /// A ``Maker`` of the service's type.
    private let maker: (any AnyObject & Sendable)?
    private let listMethods: @Sendable () -> [ServiceMethod]
    private let resolveAndCall:
        @MainActor @Sendable (Container, _ name: String?, _ method: Int, GivenArguments) async throws -> Any

    /// Describes a proxy: `make` creates it for a service, `call` calls a method of a service by its index.
    public init<Service>(
        _ type: Service.Type, _ methods: @escaping @Sendable () -> [ServiceMethod],
        make: @escaping @MainActor @Sendable (Service, ServiceCalls) -> Service,
        call: @escaping @MainActor @Sendable (Service, _ method: Int, GivenArguments) async throws -> Any
    ) {
        name = nil
        self.type = Service.self
        obstacle = nil
        maker = Maker(make)
        listMethods = methods
        resolveAndCall = { container, name, method, arguments in
            try await call(container.value(Service.self, .service, named: name), method, arguments)
        }
    }

    /// Describes a service without a proxy, for the reason that completes "It can't be tapped because …".
    public init(_ name: String, without obstacle: String) {
        self.name = name
        type = nil
        self.obstacle = obstacle
        maker = nil
        listMethods = { [] }
        resolveAndCall = { _, _, _, _ in preconditionFailure("A service without a proxy has no methods.") }
    }

    var methods: [ServiceMethod] { listMethods() }

    /// Creates the proxy of a service, whose type is that of the proxy.
    @MainActor func make<Service>(_ service: Service, _ calls: ServiceCalls) -> Service {
        guard let maker else { return service }
        return unsafeDowncast(maker, to: Maker<Service>.self).make(service, calls)
    }

    @MainActor func call(
        _ method: Int, _ arguments: GivenArguments, named name: String?, in container: Container
    ) async throws -> Any {
        try await resolveAndCall(container, name, method, arguments)
    }

    private final class Maker<Service>: Sendable {
        let make: @MainActor @Sendable (Service, ServiceCalls) -> Service

        init(_ make: @escaping @MainActor @Sendable (Service, ServiceCalls) -> Service) {
            self.make = make
        }
    }
}

/// A method of a service, as its protocol declares it.
public struct ServiceMethod: Sendable {
    /// The name with its labels, as in `submit(_:ofAccount:)`.
    public let name: String
    /// The parameters, in order.
    public let parameters: [Parameter]
    /// True if it is asynchronous.
    public let isAsync: Bool
    /// True if it can throw any error.
    public let canThrow: Bool
    /// Why `call` can't call it; nil if it can.
    public let obstacle: String?

    /// Describes a method.
    public init(
        _ name: String, _ parameters: [Parameter] = [], isAsync: Bool = false, canThrow: Bool = false,
        obstacle: String? = nil
    ) {
        (self.name, self.parameters, self.obstacle) = (name, parameters, obstacle)
        (self.isAsync, self.canThrow) = (isAsync, canThrow)
    }

    /// The name without labels.
    @_spi(Host) public var baseName: String { Self.baseName(of: name) }

    static func baseName(of name: String) -> String { String(name.prefix { $0 != "(" }) }

    /// A parameter of a method.
    public struct Parameter: Sendable {
        /// The name inside of the method.
        public let name: String
        /// The type.
        public let type: any Any.Type

        /// Describes a parameter.
        public init(_ name: String, _ type: any Any.Type) { (self.name, self.type) = (name, type) }

        /// The parameter as an argument of a command: texts, numbers and choices as they are, others as JSON.
        @_spi(Host) public var description: ArgumentDescription {
            let typed = type as? any ArgumentValue.Type
            return ArgumentDescription(
                name: name, summary: typed == nil ? "\(RegistrationKey.name(of: type)), as JSON" : "",
                typeName: typed?.argumentTypeName ?? "JSON", isRequired: !(type is any OptionalValue.Type),
                defaultText: nil, choices: typed?.argumentChoices ?? [], suggestions: [],
                isSecret: SecretName.matches(name), isList: type == [String].self)
        }
    }
}

/// The arguments of a method that `call` calls, as texts.
public struct GivenArguments: Sendable {
    private let method: String
    private let texts: ArgumentValues

    init(_ texts: ArgumentValues, of method: String) { (self.texts, self.method) = (texts, method) }

    /// The value of an argument: read as ``ArgumentValue`` does, else decoded from JSON.
    ///
    /// - Throws: ``ArgumentError`` if it is missing, does not fit, or has a type that no text has.
    public func callAsFunction<Value>(_ name: String) throws -> Value {
        let argument = ServiceMethod.Parameter(name, Value.self).description
        guard let text = texts[name] else {
            if let absent = (Value.self as? any OptionalValue.Type)?.none as? Value { return absent }
            throw ArgumentError.missing(argument, of: method)
        }
        if let type = Value.self as? any ArgumentValue.Type {
            let isChoice = argument.choices.isEmpty || argument.choices.contains(text)
            guard isChoice, let value = type.init(argument: text) as? Value else {
                throw isChoice
                    ? ArgumentError.wrongType(argument, of: method, given: text)
                    : ArgumentError.notAChoice(argument, of: method, given: text)
            }
            return value
        }
        guard let type = Value.self as? any Decodable.Type else {
            throw ArgumentError(
                .invalidArgument,
                "'\(name)' of '\(method)' is of type \(RegistrationKey.name(of: Value.self)), "
                    + "which can't be given as text.")
        }
        guard let value = Self.decode(type, text) as? Value else {
            throw ArgumentError(
                .invalidArgument,
                "'\(name)' of '\(method)' must be JSON of \(RegistrationKey.name(of: Value.self)).")
        }
        return value
    }

    /// Decodes JSON, or the text of a value that JSON writes as a text.
    private static func decode(_ type: any Decodable.Type, _ text: String) -> Any? {
        (try? StateCoding.decode(type, from: text))
            ?? (try? StateCoding.decode(type, from: JSONValue.string(text).serialized))
    }
}

/// A type that may have no value.
private protocol OptionalValue { static var none: Self { get } }

extension Optional: OptionalValue {}
