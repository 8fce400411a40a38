/// What a registration is found by: the identity of its type, and its layer.
@_spi(Host) public struct RegistrationKey: Hashable, Sendable {
    let type: ObjectIdentifier
    let layer: Layer
    /// The type's name as people write it.
    public let name: String

    init(_ type: any Any.Type, _ layer: Layer) {
        self.type = ObjectIdentifier(type)
        self.layer = layer
        self.name = Self.name(of: type)
    }

    public static func == (left: RegistrationKey, right: RegistrationKey) -> Bool {
        left.type == right.type && left.layer == right.layer
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(layer)
    }

    /// A type's name without its module: `EntityService` for `any Entities.EntityService`.
    static func name(of type: any Any.Type) -> String {
        let name = _typeName(type, qualified: false)
        return name.hasPrefix("any ") ? String(name.dropFirst(4)) : name
    }
}
