/// A type-erased screen of a module: reads its links, restores its destinations, and builds it.
@MainActor
@_spi(Host) public final class ScreenRegistration {
    public nonisolated let pattern: LinkPattern
    /// The name that stack entries keep.
    public nonisolated let name: String
    /// The names that stack entries of earlier versions keep.
    public nonisolated let formerNames: [String]
    /// The version of the destination's properties.
    public nonisolated let version: Int
    public nonisolated let guards: [GuardName]
    public nonisolated let module: String
    /// The identity of the destination's type, which differs between builds of a module.
    public nonisolated let destinationType: ObjectIdentifier
    /// Returns the destination of a link; nil if the link's path does not match.
    public let destination: @MainActor (Link) throws -> (any Destination)?
    /// The modules without which the screen is absent.
    public internal(set) var needs: [String] = []
    /// Returns the destination for verification: the declared sample, else one made up; nil if that fails.
    public let sample: @MainActor () -> (any Destination)?
    /// The names that the query of its links may have.
    public let queryNames: @MainActor () -> [String]
    private let decode: @MainActor (String) throws -> any Destination
    private let migrate: @MainActor (JSONObject, Int) throws -> JSONObject?
    private let make: Make

    private typealias Make =
        @MainActor (
            any Destination, Container, any Navigator, ViewportMonitor?
        ) throws -> Screen

    convenience init<Shown: Destination, Body: View>(
        _ type: Shown.Type, registration: Registration,
        factory: @escaping @MainActor (borrowing ScreenContext<Shown>) throws -> Body
    ) {
        self.init(type, of: registration.owner.name) { destination, container, navigator, viewport in
            try container.buildScreen(registration, navigator: navigator, viewport: viewport) { core in
                try factory(ScreenContext(core, destination))
            }
        }
    }

    /// Creates a screen that is not registered in the container, such as one of the host itself; `make`
    /// records in the scope the objects of the stack entry.
    public convenience init<Shown: Destination>(
        _ type: Shown.Type, module: String,
        make: @escaping @MainActor (Shown, EntryScope) throws -> any View
    ) {
        self.init(type, of: module) { destination, _, navigator, viewport in
            let entry = EntryScope(navigator: navigator, viewport: viewport)
            return Screen(view: try make(destination, entry), entry: entry)
        }
    }

    private init<Shown: Destination>(
        _ type: Shown.Type, of module: String,
        make: @escaping @MainActor (Shown, Container, any Navigator, ViewportMonitor?) throws -> Screen
    ) {
        pattern = Shown.pattern
        name = Shown.name
        formerNames = Shown.formerNames
        version = Shown.version
        guards = Shown.guards
        self.module = module
        destinationType = ObjectIdentifier(type)
        destination = { try Shown(link: $0) }
        sample = { Shown.sample ?? (try? Shown(from: SampleDecoder())) }
        queryNames = {
            DestinationShape(Shown.self, names: [], findsKinds: true).names.filter { name in
                !Shown.pattern.segments.contains { $0.name == name }
            }
        }
        decode = { try StateCoding.decode(Shown.self, from: $0) }
        migrate = { try Shown.migrate($0, from: $1) }
        self.make = { destination, container, navigator, viewport in
            guard let destination = destination as? Shown else {
                preconditionFailure("A screen is built for a destination of its own type.")
            }
            return try make(destination, container, navigator, viewport)
        }
    }

    /// Builds the screen, with `viewport` or else the container's.
    public func build(
        _ destination: any Destination, in container: Container, navigator: any Navigator,
        viewport: ViewportMonitor? = nil
    ) throws -> Screen {
        try make(destination, container, navigator, viewport)
    }

    /// Restores a destination from its properties as JSON, migrated to the current version.
    public func restore(properties: String, version: Int) throws -> any Destination {
        guard version <= self.version else { throw ServiceError.newer(self, version: version) }
        guard version < self.version else {
            do { return try decode(properties) } catch { throw ServiceError.damaged(self, cause: error) }
        }
        let kept: JSONObject
        do {
            kept = try StateCoding.decode(JSONObject.self, from: properties)
        } catch { throw ServiceError.damaged(self, cause: error) }
        do {
            if let migrated = try migrate(kept, version) {
                return try decode(JSONValue.object(migrated).serialized)
            }
        } catch { throw ServiceError.notMigrated(self, version: version, cause: error) }
        throw ServiceError.notMigrated(self, version: version)
    }
}

/// A built screen: its view, and the objects of its stack entry.
@MainActor
@_spi(Host) public final class Screen {
    public let view: any View
    /// The objects that live as long as the screen's stack entry.
    public let entry: EntryScope
    /// The view models of the stack entry, in the order in which they were built.
    public var viewModels: [RecordedViewModel] { entry.viewModels }

    init(view: any View, entry: EntryScope) {
        self.view = view
        self.entry = entry
    }
}

extension ServiceError {
    fileprivate static func newer(_ screen: ScreenRegistration, version: Int) -> ServiceError {
        ServiceError(
            "newerEntry",
            "The stack entry '\(screen.name)' was saved by version \(version) of its destination, and module "
                + "'\(screen.module)' has version \(screen.version).",
            hint: "Load a newer build of \(screen.module).")
    }

    fileprivate static func notMigrated(
        _ screen: ScreenRegistration, version: Int, cause: (any Error)? = nil
    ) -> ServiceError {
        ServiceError(
            "unreadableEntry",
            "The stack entry '\(screen.name)' was saved by version \(version) of its destination, which version "
                + "\(screen.version) of module '\(screen.module)' can't migrate.", hint: "back", cause: cause)
    }

    fileprivate static func damaged(_ screen: ScreenRegistration, cause: any Error) -> ServiceError {
        ServiceError(
            "unreadableEntry",
            "The stack entry '\(screen.name)' is damaged: module '\(screen.module)' can't read it.",
            hint: "back", cause: cause)
    }
}
