internal import AtriumKit

/// A result that lies apart.
///
/// The size of a type of the SDK is known only at run time. What holds one has no fixed size either, and each
/// copy of a request would ask for it.
final class BoxedResult: Sendable {
    let content: PresentedResult

    init(_ content: PresentedResult) {
        self.content = content
    }
}

extension BoxedResult: Hashable {
    static func == (left: BoxedResult, right: BoxedResult) -> Bool { left.content == right.content }

    func hash(into hasher: inout Hasher) {
        hasher.combine(content)
    }
}

/// As the result itself.
extension BoxedResult: Codable {
    convenience init(from decoder: any Decoder) throws {
        self.init(try PresentedResult(from: decoder))
    }

    func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
    }
}
