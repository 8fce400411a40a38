/// A screen that a manifest announces, known before the module is loaded.
public struct ScreenDeclaration: Sendable, Hashable {
    /// The pattern of its links, such as `entities/:id`.
    public let pattern: String

    /// What the screen shows, in one line.
    public let summary: String

    /// Makes a declaration.
    public init(pattern: String, summary: String) {
        self.pattern = pattern
        self.summary = summary
    }

    /// The names of the parameters in the pattern, in order, without their `:`, `?` and `*`.
    public var parameters: [String] {
        pattern.split(separator: "/").compactMap { segment in
            guard segment.hasPrefix(":") else { return nil }
            let name = segment.dropFirst()
            return String(name.hasSuffix("?") || name.hasSuffix("*") ? name.dropLast() : name)
        }
    }

    /// The forms that its links have, without the names of parameters: one, or one for each number of
    /// parameters that may be absent.
    ///
    /// Two screens that have a form in common would answer the same links. A tail is a form of its own, as
    /// every other form comes before it.
    public var shapes: [String] {
        var shapes: [String] = []
        var shape = ""
        for segment in pattern.split(separator: "/", omittingEmptySubsequences: false) {
            if segment.hasSuffix("?") { shapes.append(shape) }
            if !shape.isEmpty { shape += "/" }
            if segment.hasPrefix(":") {
                shape += segment.hasSuffix("*") ? "*" : ":"
            } else {
                shape += segment
            }
        }
        return shapes + [shape]
    }
}
