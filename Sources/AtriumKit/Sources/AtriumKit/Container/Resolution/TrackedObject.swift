/// An object that a factory of a module built, without keeping it alive.
@_spi(Host) public struct TrackedObject {
    private let type: any Any.Type
    private let label: String?
    private weak var object: AnyObject?
    /// The module whose factory built the object; nil if there is none.
    public let module: String?
    /// The number of the module's build, from 1; 0 without a module.
    public let generation: Int

    init(_ object: AnyObject, type: any Any.Type, label: String? = nil, of scope: ModuleScope?) {
        self.type = type
        self.label = label
        self.object = object
        module = scope?.name
        generation = scope?.generation ?? 0
    }

    /// Tracks a module's own instance, as an object of the generation of `scope`.
    public init(_ instance: any FeatureModule, of scope: ModuleScope) {
        self.init(instance, type: Swift.type(of: instance), of: scope)
    }

    /// The type as users write it, with the registration's name.
    public var name: String { RegistrationKey.name(of: type, label) }

    /// True if something still retains the object.
    public var isAlive: Bool { object != nil }

    var key: TypeAndLabel { TypeAndLabel(type: ObjectIdentifier(type), label: label) }

    struct TypeAndLabel: Hashable {
        let type: ObjectIdentifier
        let label: String?
    }
}

/// A shared object of a module, with the objects that were built from it and may hold it.
@_spi(Host) public struct SharedObject {
    public let object: TrackedObject
    /// The shared objects whose factories resolved it, directly or through values that are no objects.
    public let dependents: [TrackedObject]
    private let entryDependents: Set<TrackedObject.TypeAndLabel>

    @MainActor init?(_ slot: Slot) {
        guard let object = slot.trackedObject else { return nil }
        self.object = object
        var dependents: [TrackedObject] = []
        var entryDependents: Set<TrackedObject.TypeAndLabel> = []
        var seen = [ObjectIdentifier(slot): slot]
        var waiting = slot.dependents
        while let next = waiting.popLast() {
            guard seen.updateValue(next, forKey: ObjectIdentifier(next)) == nil else { continue }
            if let dependent = next.trackedObject {
                dependents.append(dependent)
                continue
            }
            if next.box == nil {
                entryDependents.insert(
                    TrackedObject.TypeAndLabel(type: ObjectIdentifier(next.key.type), label: next.key.label))
            }
            waiting += next.dependents
        }
        self.dependents = dependents
        self.entryDependents = entryDependents
    }

    /// True if the factory of `other`, an object of a stack entry, resolved this object, perhaps indirectly.
    public func mayBeHeld(by other: TrackedObject) -> Bool { entryDependents.contains(other.key) }
}

extension Container {
    /// Returns the shared objects that factories of a generation built; not structs, and not transient
    /// values, which belong to the values that resolved them.
    public func objects(of module: ModuleScope) -> [SharedObject] {
        (owned[ObjectIdentifier(module)] ?? []).compactMap { registration in
            guard let slot = table.slot(registration.key), slot.registration === registration else {
                return nil
            }
            return SharedObject(slot)
        }
    }
}

extension Slot {
    fileprivate var trackedObject: TrackedObject? {
        guard let object = ((implementation ?? box) as? any ObjectBox)?.object else { return nil }
        return TrackedObject(object, type: key.type, label: key.label, of: registration?.owner)
    }
}

/// A box whose value may be an object, whatever its static type.
private protocol ObjectBox {
    var object: AnyObject? { get }
}

extension ValueBox: ObjectBox {
    var object: AnyObject? {
        let value = (value as? any OptionalValue)?.wrapped ?? value
        return type(of: value as Any) is AnyClass ? value as AnyObject : nil
    }
}

private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    var wrapped: Any? { self }
}
