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

    /// The names of the parameters in the pattern, in order, without their `:`.
    public var parameters: [String] {
        pattern.split(separator: "/").compactMap { $0.hasPrefix(":") ? String($0.dropFirst()) : nil }
    }

    /// The pattern without the names of its parameters; two screens of one shape would answer the same
    /// links.
    public var shape: String {
        var shape = ""
        var isInName = false
        for scalar in pattern.unicodeScalars {
            if scalar == "/" { isInName = false }
            if !isInName { shape.unicodeScalars.append(scalar) }
            if scalar == ":" { isInName = true }
        }
        return shape
    }
}
