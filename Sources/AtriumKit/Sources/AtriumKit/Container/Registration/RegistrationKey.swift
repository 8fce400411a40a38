/// The identity of a registration: its type, its layer and its name.
@_spi(Host) public struct RegistrationKey: Hashable, Sendable {
    public let type: any Any.Type
    public let layer: Layer
    /// The name among registrations of one type; nil without one.
    public let label: String?

    init(_ type: any Any.Type, _ layer: Layer, named label: String? = nil) {
        self.type = type
        self.layer = layer
        self.label = label
    }

    /// The type as users write it, with the registration's name: `PriceService 'primary'`.
    public var name: String {
        if layer == .screen, let screen = type as? any Destination.Type { return screen.pattern.description }
        return Self.name(of: type, label)
    }

    /// The type of a list's elements as code writes it.
    var elements: String { _typeName(type, qualified: false) }

    static func name(of type: any Any.Type, _ label: String?) -> String {
        let name = name(of: type)
        return label.map { "\(name) '\($0)'" } ?? name
    }

    var word: UInt { CellIndex.word(type, layer.tag) }

    public static func == (left: RegistrationKey, right: RegistrationKey) -> Bool {
        left.type == right.type && left.layer == right.layer && left.label == right.label
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type))
        hasher.combine(layer)
        hasher.combine(label)
    }

    /// Returns a type's name without its module: `EntityService` for `any Entities.EntityService`, and
    /// `BookService` for `any RecordService<Book>`.
    public static func name(of type: any Any.Type) -> String {
        let (name, item) = parts(of: type)
        return (item ?? "") + name.dropFirst(item == nil ? 0 : "Record".count)
    }

    /// The type as code writes it: `PriceService`, or `RecordService<Book>`.
    public var code: String {
        let (name, item) = Self.parts(of: type)
        return name + (item.map { "<\($0)>" } ?? "")
    }

    /// The type with the Swift module that defines it: `Payments.PaymentService`.
    var qualifiedName: Substring {
        let name = _typeName(type, qualified: true)
        return name.hasPrefix("any ") ? name.dropFirst(4) : name[...]
    }

    var isExistential: Bool { elements.hasPrefix("any ") }

    /// A type's name, and the record of one for all records.
    private static func parts(of type: any Any.Type) -> (name: String, item: String?) {
        var name = _typeName(type, qualified: false)[...]
        if name.hasPrefix("any ") { name = name.dropFirst(4) }
        guard name.hasPrefix("Record"), name.hasSuffix(">"), let start = name.firstIndex(of: "<") else {
            return (String(name), nil)
        }
        // The runtime writes `RecordService<Self.RecordService.Item == Book>`.
        let item = name[start...].dropFirst().dropLast().split(separator: " ").last ?? ""
        return (String(name[..<start]), String(item))
    }
}
