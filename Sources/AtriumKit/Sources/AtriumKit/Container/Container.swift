/// The registrations of all active modules.
///
/// Lives on the main actor and takes no locks: composition is work of the screen. Values are found by the
/// identity of their type and called through it: the slot is cast once, to its class, the value never.
@MainActor
@_spi(Host) public final class Container {
    /// The environment whose services are built.
    public let environment: Environment

    private var slots: [RegistrationKey: AnySlot] = [:]
    /// What is being built, from the screen down.
    private var path: [RegistrationKey] = []
    /// Receives the view models that are built while a screen is.
    private var recorder: ScreenRecorder?

    public init(environment: Environment) {
        self.environment = environment
    }

    /// How many registrations there are.
    public var count: Int { slots.count }

    /// Builds a value, or hands out the shared one.
    ///
    /// - Throws: ``ResolutionError``; the path in it leads from the screen down to what is missing.
    func resolve<Value, each Argument>(
        _ type: Value.Type, _ layer: Layer, _ argument: repeat each Argument
    ) throws -> Value {
        let key = RegistrationKey(type, layer)
        path.append(key)
        defer { path.removeLast() }
        guard let slot = slots[key] else { throw notRegistered(key) }
        guard !slot.isBuilding else { throw ResolutionError.cycle(path: names(from: key)) }
        guard let typed = slot as? Slot<Value, repeat each Argument> else {
            var given: [any Any.Type] = []
            for argument in repeat (each Argument).self { given.append(argument) }
            throw ResolutionError.argumentMismatch(
                key, expected: slot.argumentTypes, given: given, path: path.map(\.name))
        }
        do {
            return try typed.value(in: self, repeat each argument)
        } catch let error as ResolutionError {
            throw error
        } catch {
            throw ResolutionError.factoryFailed(key, cause: error, path: path.map(\.name))
        }
    }

    private func names(from key: RegistrationKey) -> [String] {
        path[(path.firstIndex(of: key) ?? 0)...].map(\.name)
    }

    private func notRegistered(_ key: RegistrationKey) -> ResolutionError {
        let otherLayer = slots.keys.first { $0.type == key.type }?.layer
        let sameName = slots.keys.contains {
            $0.name == key.name && $0.type != key.type && $0.layer == key.layer
        }
        let nearest = NearestName.of(
            key.name, among: slots.keys.filter { $0.layer == key.layer }.map(\.name).sorted())
        return .notRegistered(
            key, path: path.map(\.name), otherLayer: otherLayer, sameNameElsewhere: sameName, nearest: nearest
        )
    }
}

extension Container {
    /// Adds what a module registered, all of it or nothing.
    ///
    /// - Throws: ``RegistrationError`` for the first key that another module provides already.
    public func add(_ registry: ModuleRegistry) throws {
        for slot in registry.slots {
            if let present = slots[slot.key] {
                throw RegistrationError.duplicate(
                    slot.key, module: slot.owner.name, presentModule: present.owner.name)
            }
        }
        for slot in registry.slots { slots[slot.key] = slot }
    }

    /// Removes what `module` registered and lets go of its shared values.
    public func remove(_ module: ModuleScope) {
        for (key, slot) in slots where slot.owner === module {
            slot.reset()
            slots[key] = nil
        }
    }

    /// Builds a screen whose view models navigate with `navigator`, and collects them.
    func buildScreen<Value>(
        navigator: any Navigator, _ make: (Container) throws -> Value
    ) throws -> (Value, [RecordedViewModel]) {
        let outer = recorder
        let recorder = ScreenRecorder(navigator: navigator)
        self.recorder = recorder
        path.append(RegistrationKey(Value.self, .screen))
        defer {
            path.removeLast()
            self.recorder = outer
        }
        return (try make(self), recorder.viewModels)
    }

    func record(_ viewModel: some ViewModel) {
        recorder?.record(viewModel)
    }

    /// The navigator of the screen that is being built.
    var navigator: any Navigator {
        guard let recorder else { preconditionFailure("View models are built for a screen only.") }
        return recorder.navigator
    }
}
