/// An item presented over the current screen: a destination of the same module, or a link of any module.
public struct PresentedItem: Sendable {
    @_spi(Host) public let target: Target
    /// The name of the slot for the result; nil if the result is dropped after a restart.
    public let slot: String?

    /// Creates an item for a destination of the same module.
    public init(_ destination: any Destination, slot: String? = nil) {
        target = .destination(destination)
        self.slot = slot
    }

    /// Creates an item for a link of any module.
    public init(link: String, slot: String? = nil) {
        target = .link(link)
        self.slot = slot
    }

    /// The link of the presented item.
    public var link: String {
        get throws {
            switch target {
            case .destination(let destination): try destination.link().description
            case .link(let link): link
            }
        }
    }

    @_spi(Host) @frozen public enum Target: Sendable {
        case destination(any Destination)
        case link(String)
    }
}

/// The result of a presented screen: a value as JSON, so that it crosses modules and restarts.
public struct PresentedResult: Sendable, Hashable, Codable {
    /// The value as JSON; nil if the screen was left without one.
    public let json: String?

    /// Creates a result from JSON that was kept or sent.
    public init(json: String?) {
        self.json = json
    }

    /// Encodes a value; throws `EncodingError` if it can't be expressed as JSON.
    public init(_ value: some Encodable) throws {
        json = try StateCoding.encode(value)
    }

    /// The result of a screen that was left without one.
    public static let cancelled = PresentedResult(json: nil)

    /// Decodes the value; nil if the screen was left without one; throws ``ArgumentError`` for another type.
    public func value<Value: Decodable>(as type: Value.Type) throws -> Value? {
        guard let json else { return nil }
        do {
            return try StateCoding.decode(type, from: json)
        } catch {
            let name = (type as? any ArgumentValue.Type)?.argumentTypeName ?? "a value of type \(type)"
            throw ArgumentError(
                .invalidArgument,
                "The result of the presented screen must be \(name), not '\(json)'; it was not used.")
        }
    }
}
