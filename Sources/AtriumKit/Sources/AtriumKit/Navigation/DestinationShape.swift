/// The properties of a destination, found by decoding it from samples.
final class DestinationShape {
    /// A property that was read.
    struct Property {
        let name: String
        var isOptional = false
        var kind: Kind?
    }

    /// What a property holds.
    enum Kind {
        case text
        case list
        case other
    }

    private(set) var properties: [Property] = []
    /// The names that the destination has no property for.
    private(set) var unknownNames: [String]
    private let asksForValues: Bool

    /// Decodes a destination from samples.
    ///
    /// - Parameters:
    ///   - type: The destination.
    ///   - names: The names in its pattern.
    ///   - asksForValues: Whether to find the kinds of the properties, not only their names. Costs casts, which are
    ///     slow with many libraries loaded.
    init(_ type: any Destination.Type, names: [String], asksForValues: Bool) {
        unknownNames = names
        self.asksForValues = asksForValues
        _ = try? type.init(from: SampleDecoder(shape: self))
    }

    func property(_ name: String) -> Property? {
        properties.first { $0.name == name }
    }

    /// Takes the keys of the destination.
    ///
    /// A destination may have several kinds of keys, so decoding continues until every name was found.
    ///
    /// - Throws: As soon as everything needed is known.
    func take<Key: CodingKey>(_ type: Key.Type) throws {
        unknownNames.removeAll { Key(stringValue: $0) != nil }
        if !asksForValues, unknownNames.isEmpty { throw SampleDecoder.Unknown() }
    }

    func ask(_ name: String) {
        if property(name) == nil { properties.append(Property(name: name)) }
    }

    func askOptional(_ name: String) {
        properties.append(Property(name: name, isOptional: true))
    }

    /// Records the kind of the property that was read last.
    func note(_ kind: Kind) {
        guard let last = properties.indices.last, properties[last].kind == nil else { return }
        properties[last].kind = kind
    }
}

extension LinkPattern {
    /// Why links of a destination can't have this form, as the end of a sentence; nil if they can.
    func problem(for type: any Destination.Type) -> String? {
        if let problem { return problem }
        let names = segments.compactMap(\.name)
        guard !names.isEmpty else { return nil }
        let hasOptions = segments.contains(where: \.mayBeAbsent)
        let shape = DestinationShape(type, names: names, asksForValues: hasOptions)
        if let name = shape.unknownNames.first { return "the destination has no property '\(name)'" }
        for case let (segment, property?) in segments.map({ ($0, $0.name.flatMap(shape.property)) }) {
            if let problem = Self.problem(of: segment, property) { return problem }
        }
        return nil
    }

    private static func problem(of segment: Segment, _ property: DestinationShape.Property) -> String? {
        switch (segment, property.kind) {
        case (.argument(let name), .list), (.optional(let name), .list):
            return "'\(name)' is a list, which only ':\(name)*' at the end can be"
        case (.optional(let name), _) where !property.isOptional:
            return "':\(name)?' may be absent, and the property '\(name)' is not optional"
        case (.tail(let name), .other):
            return "':\(name)*' is any number of segments, and the property '\(name)' neither text nor a list"
        default: return nil
        }
    }
}
