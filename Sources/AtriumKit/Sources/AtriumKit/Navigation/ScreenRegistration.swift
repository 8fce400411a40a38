/// A screen that a module registered, without its types: how to read, keep and build it.
@MainActor
@_spi(Host) public final class ScreenRegistration {
    /// The form of its links.
    public nonisolated let pattern: LinkPattern
    /// The name that stack entries keep.
    public nonisolated let name: String
    /// The names under which earlier versions of the module kept it.
    public nonisolated let formerNames: [String]
    /// The version of the destination's properties.
    public nonisolated let version: Int
    /// The guards that everybody has to pass who goes there, in order.
    public nonisolated let guards: [GuardName]
    /// The module that registered it.
    public nonisolated let module: String
    /// The identity of the destination's type.
    public nonisolated let destinationType: ObjectIdentifier
    /// The destination of a link; nil where the link's path does not match.
    public let destination: @MainActor (Link) throws -> (any Destination)?
    /// A destination to try the screen with; nil where none can be made up.
    let sample: @MainActor () -> (any Destination)?
    private let decode: @MainActor (String) throws -> any Destination
    private let migrate: @MainActor (JSONObject, Int) throws -> JSONObject?
    private let make: @MainActor (any Destination, Container, any Navigator) throws -> Screen

    convenience init<Place: Destination, Shown: View>(
        _ type: Place.Type, registration: Registration,
        factory: @escaping @MainActor (borrowing ScreenContext<Place>) throws -> Shown
    ) {
        self.init(type, of: registration.owner.name) { place, container, navigator in
            let entry = EntryScope(navigator: navigator)
            do {
                let view = try container.buildScreen(registration, entry: entry) { core in
                    try factory(ScreenContext(core, place))
                }
                return Screen(view: view, entry: entry)
            } catch {
                // What its view models started ends with it.
                entry.leave()
                throw error
            }
        }
    }

    /// A screen that no container knows, such as one of the host itself.
    ///
    /// - Parameters:
    ///   - type: The destination that it shows.
    ///   - module: Whose screen stack entries say it is.
    ///   - make: Builds the view; what it makes for its stack entry it records in the scope.
    public convenience init<Place: Destination>(
        _ type: Place.Type, module: String,
        make: @escaping @MainActor (Place, EntryScope) throws -> any View
    ) {
        self.init(type, of: module) { place, _, navigator in
            let entry = EntryScope(navigator: navigator)
            return Screen(view: try make(place, entry), entry: entry)
        }
    }

    private init<Place: Destination>(
        _ type: Place.Type, of module: String,
        make: @escaping @MainActor (Place, Container, any Navigator) throws -> Screen
    ) {
        pattern = Place.pattern
        name = Place.name
        formerNames = Place.formerNames
        version = Place.version
        guards = Place.guards
        self.module = module
        destinationType = ObjectIdentifier(type)
        destination = { try Place(link: $0) }
        sample = { Place.sample ?? (try? Place(from: SampleDecoder())) }
        decode = { try StateCoding.decode(Place.self, from: $0) }
        migrate = { try Place.migrate($0, from: $1) }
        self.make = { destination, container, navigator in
            guard let place = destination as? Place else {
                preconditionFailure("A screen is built for a destination of its own type.")
            }
            return try make(place, container, navigator)
        }
    }

    /// Builds the screen at `destination`, with new view models.
    public func build(
        _ destination: any Destination, in container: Container, navigator: any Navigator
    ) throws -> Screen {
        try make(destination, container, navigator)
    }

    /// The destination that was kept, brought to the version of today.
    ///
    /// - Parameters:
    ///   - properties: Its properties as JSON.
    ///   - version: The version of the destination that kept them.
    /// - Returns: A destination of the screen's type.
    /// - Throws: ``RestoreError`` where they are damaged, of a later version, or of an earlier one that the
    ///   destination does not migrate.
    public func restore(properties: String, version: Int) throws -> any Destination {
        guard version <= self.version else { throw RestoreError.newer(self, version: version) }
        guard version < self.version else {
            do { return try decode(properties) } catch { throw RestoreError.damaged(self, cause: error) }
        }
        let kept: JSONObject
        do {
            kept = try StateCoding.decode(JSONObject.self, from: properties)
        } catch { throw RestoreError.damaged(self, cause: error) }
        do {
            if let migrated = try migrate(kept, version) {
                return try decode(JSONValue.object(migrated).serialized)
            }
        } catch { throw RestoreError.notMigrated(self, version: version, cause: error) }
        throw RestoreError.notMigrated(self, version: version)
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
