extension String {
    /// The text without escape sequences for colours and weights.
    package var withoutEscapes: String {
        var plain = String.UnicodeScalarView()
        var isEscape = false
        for scalar in unicodeScalars {
            if scalar == "\u{1B}" { isEscape = true }
            if !isEscape { plain.append(scalar) }
            if scalar == "m" { isEscape = false }
        }
        return String(plain)
    }

    /// The scalars except spaces and newlines.
    package var visibleScalars: [Unicode.Scalar] {
        unicodeScalars.filter { $0 != " " && $0 != "\n" }
    }
}

extension [Unicode.Scalar] {
    /// Whether `whole` contains the scalars in this order, possibly with others between them.
    package func isFound(in whole: [Unicode.Scalar]) -> Bool {
        var rest = whole[...]
        for scalar in self {
            guard let index = rest.firstIndex(of: scalar) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }
}
