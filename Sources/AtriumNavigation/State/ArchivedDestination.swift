@_spi(Host) package import AtriumKit

/// The properties of a destination: the value itself where it was gone to in this process, else as JSON.
///
/// Most entries are left again without ever being kept, and JSON costs more than to build their screens.
package struct ArchivedDestination: Sendable {
    private let form: Form

    private enum Form: Sendable {
        case value(any Destination)
        case json(String)
    }

    package init(_ destination: any Destination) {
        form = .value(destination)
    }

    package init(json: String) {
        form = .json(json)
    }

    /// The properties as JSON.
    package var json: String {
        get throws {
            switch form {
            case .value(let destination): try StateCoding.encode(destination)
            case .json(let text): text
            }
        }
    }

    /// The same without the value, whose type belongs to a generation of its module.
    package var frozen: ArchivedDestination {
        get throws { ArchivedDestination(json: try json) }
    }
}

extension ArchivedDestination: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(json: try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(try json)
    }
}

extension ArchivedDestination: Hashable {
    package static func == (left: ArchivedDestination, right: ArchivedDestination) -> Bool {
        (try? left.json) == (try? right.json)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(try? json)
    }
}
