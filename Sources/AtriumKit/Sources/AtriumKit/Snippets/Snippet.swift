/// The names in scope of Swift code that is typed at a prompt; for code that the host writes around it.
@MainActor
public final class Snippet {
    /// A piece of code; its value is nil if it has none.
    public typealias Body = @MainActor (Snippet) async throws -> Any?

    private let container: Container
    /// The current screen's view and view models.
    private let current: () throws -> (view: (any View)?, viewModels: [RecordedViewModel])
    public let session: SessionManager
    public let clock: any WallClock
    public let log: Logger
    /// The lines that the code has printed, up to ``limit``.
    @_spi(Host) public private(set) var printed = ""
    /// The number of bytes beyond them.
    @_spi(Host) public private(set) var dropped = 0

    /// The most that is kept of what the code prints, in bytes.
    @_spi(Host) public static let limit = 64 * 1024

    @_spi(Host) public init(
        container: Container, session: SessionManager, clock: any WallClock, log: Logger,
        current: @escaping () throws -> (view: (any View)?, viewModels: [RecordedViewModel])
    ) {
        (self.container, self.session, self.clock, self.log) = (container, session, clock, log)
        self.current = current
    }

    /// Returns what modules registered for a type, built on first use.
    ///
    /// - Throws: ``ServiceError`` if nothing is registered; what building it throws.
    public func resolve<Value>(_ type: Value.Type, named name: String? = nil) throws -> Value {
        let layer = [Layer.repository, .service, .useCase, .aggregateModel, .infrastructure].first {
            container.find(RegistrationKey(type, $0, named: name)) != nil
        }
        guard let layer else {
            throw ServiceError(
                "notRegistered", "Nothing is registered for '\(RegistrationKey.name(of: type, name))'.",
                hint: "'container' lists what is registered.")
        }
        return try container.value(type, layer, named: name)
    }

    /// The view of the current screen; nil at the root.
    public func screen() throws -> (any View)? { try current().view }

    /// The view model of the current screen; nil if it has none.
    public func viewModel() throws -> (any ViewModel)? { try current().viewModels.first?.viewModel }

    /// The view model of a type.
    ///
    /// - Throws: ``ServiceError`` if the current screen has none.
    public func viewModel<Model: ViewModel>(_ type: Model.Type) throws -> Model {
        if let model = try current().viewModels.lazy.compactMap({ $0.viewModel as? Model }).first {
            return model
        }
        throw ServiceError("noViewModel", "The current screen has no \(RegistrationKey.name(of: type)).")
    }

    /// Prints a text above the value.
    public func print(_ text: String) {
        let room = max(0, Self.limit - printed.utf8.count)
        guard dropped > 0 || text.utf8.count > room else { return printed += text }
        // Nothing after what was cut, and no half of a character.
        var end = dropped > 0 ? text.startIndex : text.utf8.index(text.startIndex, offsetBy: room)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        printed += text[..<end]
        dropped += text.utf8.distance(from: end, to: text.endIndex)
    }

    /// Begins the output of the next piece of code.
    @_spi(Host) public func beginOutput() { (printed, dropped) = ("", 0) }
}

/// A value that Swift code at a prompt has named, for the lines after it.
@MainActor
public final class SnippetValue<Value> {
    private let make: @MainActor () async throws -> Value
    public var value: Value?

    public init(_ make: @escaping @MainActor () async throws -> Value) {
        self.make = make
    }

    /// Computes the value.
    public func fill() async throws { value = try await make() }
}
