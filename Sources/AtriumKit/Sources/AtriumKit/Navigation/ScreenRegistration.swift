/// A screen that a module registered, without its types: how to read, keep and build it.
@MainActor
@_spi(Host) public final class ScreenRegistration {
    /// The form of its links.
    public nonisolated let pattern: LinkPattern
    /// The name that stack entries keep.
    public nonisolated let name: String
    /// The version of the destination's properties.
    public nonisolated let version: Int
    /// The module that registered it.
    public nonisolated let module: String
    /// The guards that it asks for.
    public nonisolated let guards: [GuardName]
    /// The identity of the destination's type.
    public nonisolated let destinationType: ObjectIdentifier
    /// The destination of a link; nil where the link's path does not match.
    public let destination: @MainActor (Link) throws -> (any Destination)?
    /// The destination that JSON was made from.
    public let decode: @MainActor (String) throws -> any Destination
    /// A destination to try the screen with; nil where none can be made up.
    let sample: @MainActor () -> (any Destination)?
    private let make: @MainActor (any Destination, Container, any Navigator) throws -> Screen

    init<Place: Destination, Shown: View>(
        _ type: Place.Type, registration: Registration,
        factory: @escaping @MainActor (borrowing ScreenContext<Place>) throws -> Shown
    ) {
        pattern = Place.pattern
        name = Place.name
        version = Place.version
        module = registration.owner.name
        guards = Place.guards
        destinationType = ObjectIdentifier(type)
        destination = { try Place(link: $0) }
        decode = { try StateCoding.decode(Place.self, from: $0) }
        sample = { Place.sample ?? (try? Place(from: SampleDecoder())) }
        make = { destination, container, navigator in
            guard let place = destination as? Place else {
                preconditionFailure("A screen is built for a destination of its own type.")
            }
            let entry = EntryScope(navigator: navigator)
            let view = try container.buildScreen(registration, entry: entry) { core in
                try factory(ScreenContext(core, place))
            }
            return Screen(view: view, entry: entry)
        }
    }

    /// A screen of the host itself, which nothing of the container is needed for.
    @_spi(Host) public init<Place: Destination>(
        _ type: Place.Type, module: String, make: @escaping @MainActor (Place, EntryScope) throws -> any View
    ) {
        pattern = Place.pattern
        name = Place.name
        version = Place.version
        self.module = module
        guards = Place.guards
        destinationType = ObjectIdentifier(type)
        destination = { try Place(link: $0) }
        decode = { try StateCoding.decode(Place.self, from: $0) }
        sample = { Place.sample }
        self.make = { destination, _, navigator in
            guard let place = destination as? Place else {
                preconditionFailure("A screen is built for a destination of its own type.")
            }
            let entry = EntryScope(navigator: navigator)
            return Screen(view: try make(place, entry), entry: entry)
        }
    }

    /// What was kept of a destination, by this or an older version of the module.
    public func restore(properties: String, version: Int) throws -> any Destination {
        guard version == self.version else { throw LinkError.unsupported("version") }
        return try decode(properties)
    }

    /// Builds the screen at `destination`, with new view models.
    public func build(
        _ destination: any Destination, in container: Container, navigator: any Navigator
    ) throws -> Screen {
        try make(destination, container, navigator)
    }
}

/// A screen that was built: its view, and what belongs to its stack entry.
@MainActor
@_spi(Host) public final class Screen {
    public let view: any View
    public let entry: EntryScope
    public var viewModels: [RecordedViewModel] { entry.viewModels }

    init(view: any View, entry: EntryScope) {
        self.view = view
        self.entry = entry
    }
}
