/// The end of Swift code that is typed after `swift`, found by the brackets and texts that are open in it.
package struct SwiftCode: Hashable, Sendable {
    package static let word = "swift"

    /// The brackets, quotes and comments that are open, outermost first: `(`, `{`, `"`, `"""`, `/*`.
    private(set) var open: [String] = []

    /// Reads code up to a `;` or a line end outside of everything that is open, and notes what is open there.
    mutating func end(in code: Substring.UnicodeScalarView) -> String.Index {
        var rest = code
        while let scalar = rest.first {
            if open.isEmpty, scalar == ";" || scalar == "\n" || scalar == "\r" { return rest.startIndex }
            switch open.last {
            case "/*"?: take(&rest, to: "*/")
            case "\"\"\""?, "\""?: readText(&rest)
            default: readCode(&rest, scalar)
            }
        }
        // A text of one line does not go on.
        if open.last == "\"" { open.removeLast() }
        return rest.endIndex
    }

    private mutating func readCode(_ rest: inout Substring.UnicodeScalarView, _ scalar: Unicode.Scalar) {
        if Self.starts(rest, "//") {
            rest = rest.drop { $0 != "\n" }
        } else if Self.starts(rest, "/*") {
            open.append("/*")
            rest = rest.dropFirst(2)
        } else if Self.starts(rest, "\"\"\"") {
            open.append("\"\"\"")
            rest = rest.dropFirst(3)
        } else {
            switch scalar {
            case "\"", "(", "[", "{": open.append(String(scalar))
            case ")", "]", "}": if open.last == Self.opening[scalar] { open.removeLast() }
            default: break
            }
            rest = rest.dropFirst()
        }
    }

    private mutating func readText(_ rest: inout Substring.UnicodeScalarView) {
        if Self.starts(rest, "\\(") {
            open.append("(")
            rest = rest.dropFirst(2)
        } else if rest.first == "\\" {
            rest = rest.dropFirst(2)
        } else {
            take(&rest, to: open.last ?? "\"")
        }
    }

    /// Takes the sign that closes what is open, or one scalar.
    private mutating func take(_ rest: inout Substring.UnicodeScalarView, to sign: String) {
        if Self.starts(rest, sign) {
            open.removeLast()
            rest = rest.dropFirst(sign.unicodeScalars.count)
        } else {
            rest = rest.dropFirst()
        }
    }

    private static let opening: [Unicode.Scalar: String] = [")": "(", "]": "[", "}": "{"]

    private static func starts(_ rest: Substring.UnicodeScalarView, _ sign: String) -> Bool {
        rest.starts(with: sign.unicodeScalars)
    }
}
