/// The end of Swift code that is typed after `swift`, found by the brackets and texts that are open in it.
package struct SwiftCode: Hashable, Sendable {
    package static let word = "swift"

    /// The brackets, quotes and comments that are open, outermost first: `(`, `{`, `/*`; of a text
    /// what closes it: `"`, `"""`, `"#`.
    private(set) var open: [String] = []

    /// What closes the interpolation at the end of unfinished code, with its text; empty outside of texts.
    package static func closing(of code: String) -> String {
        var read = SwiftCode()
        _ = read.end(in: code[...].unicodeScalars)
        guard let text = read.open.firstIndex(where: { $0.hasPrefix("\"") }) else { return "" }
        return read.open[text...].reversed().map { sign in
            let closing = opening.first { String($0.value) == sign }.map { String($0.key) }
            // A text of several lines ends on a line of its own.
            return closing ?? (sign.hasPrefix("\"\"\"") ? "\n" + sign : sign)
        }.joined()
    }

    /// Reads code up to a `;` or a line end outside of everything that is open, and notes what is open there.
    mutating func end(in code: Substring.UnicodeScalarView) -> String.Index {
        var rest = code
        while let scalar = rest.first {
            if open.isEmpty, scalar == ";" || scalar == "\n" || scalar == "\r" { return rest.startIndex }
            switch open.last {
            case "/*"?: take(&rest, to: "*/")
            case let sign? where sign.hasPrefix("\""): readText(&rest, sign)
            default: readCode(&rest, scalar)
            }
        }
        // A text of one line does not go on.
        if let sign = open.last, sign.hasPrefix("\""), !sign.hasPrefix("\"\"\"") { open.removeLast() }
        return rest.endIndex
    }

    private mutating func readCode(_ rest: inout Substring.UnicodeScalarView, _ scalar: Unicode.Scalar) {
        if Self.starts(rest, "//") {
            rest = rest.drop { $0 != "\n" }
        } else if Self.starts(rest, "/*") {
            open.append("/*")
            rest = rest.dropFirst(2)
        } else if let quotes = Self.quotes(rest) {
            let hashes = rest.prefix { $0 == "#" }.count
            open.append(quotes + String(repeating: "#", count: hashes))
            rest = rest.dropFirst(hashes + quotes.count)
        } else {
            switch scalar {
            case "(", "[", "{": open.append(String(scalar))
            case ")", "]", "}": if open.last == Self.opening[scalar] { open.removeLast() }
            default: break
            }
            rest = rest.dropFirst()
        }
    }

    /// The quotes at the start of a text, perhaps after `#`; nil if none begins.
    private static func quotes(_ rest: Substring.UnicodeScalarView) -> String? {
        let rest = rest.drop { $0 == "#" }
        guard rest.first == "\"" else { return nil }
        return starts(rest, "\"\"\"") ? "\"\"\"" : "\""
    }

    private mutating func readText(_ rest: inout Substring.UnicodeScalarView, _ sign: String) {
        let escape = "\\" + sign.drop { $0 == "\"" }
        if Self.starts(rest, escape + "(") {
            open.append("(")
            rest = rest.dropFirst(escape.count + 1)
        } else if Self.starts(rest, escape) {
            rest = rest.dropFirst(escape.count + 1)
        } else {
            take(&rest, to: sign)
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
