/// Names and addresses of servers as URLs have them.
enum ServerHost {
    /// Whether a text is a name, four numbers with dots, or an address of version 6 in brackets.
    static func isValid(_ text: Substring) -> Bool {
        if text.first == "[" { return text.last == "]" && isVersion6(text.dropFirst().dropLast()) }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        // Numbers alone are an address, and never a name.
        return labels.allSatisfy(isNumber) ? isVersion4(text) : labels.allSatisfy(isLabel)
    }

    private static func isVersion4(_ text: Substring) -> Bool {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.allSatisfy { isNumber($0) && UInt8($0) != nil }
    }

    /// Whether a text is an address of version 6 (RFC 4291, section 2.2).
    private static func isVersion6(_ text: Substring) -> Bool {
        let sides = text.split(separator: "::", omittingEmptySubsequences: false)
        guard sides.count <= 2 else { return false }
        var groups = sides.filter { !$0.isEmpty }
            .flatMap { $0.split(separator: ":", omittingEmptySubsequences: false) }
        var count = groups.count
        if let last = groups.last, isVersion4(last) {
            groups.removeLast()
            count += 1
        }
        let areGroups = groups.allSatisfy { (1...4).contains($0.count) && $0.allSatisfy(\.isHexDigit) }
        return areGroups && (sides.count == 2 ? count < 8 : count == 8)
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// Whether a text is a part of a name (RFC 1123, section 2.1), with the underscore that names in use have.
    private static func isLabel(_ text: Substring) -> Bool {
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        return isWord && (1...63).contains(text.utf8.count) && text.first != "-" && text.last != "-"
    }
}
