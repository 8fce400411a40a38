/// Why a text is no version or no range, as the middle of a sentence.
struct VersionRefusal: Error {
    let reason: String
    var isTooLarge = false
}

/// Reads the parts of versions and version ranges.
struct VersionReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        self.rest = text[...].utf8
    }

    /// Whether everything has been read.
    var isAtEnd: Bool { rest.isEmpty }

    /// What is left, for messages.
    var remainder: String { String(Substring(rest)) }

    /// Steps over a piece of text if it is next.
    mutating func take(_ piece: String) -> Bool {
        guard rest.starts(with: piece.utf8) else { return false }
        rest = rest.dropFirst(piece.utf8.count)
        return true
    }

    /// Steps over spaces and returns whether there were any.
    mutating func skipSpaces() -> Bool {
        let count = rest.count
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return rest.count < count
    }

    /// Reads a part of a version: a number without leading zeros.
    mutating func number(_ name: String) throws(VersionRefusal) -> Int {
        let digits = rest.prefix(while: \.isDigit)
        if digits.isEmpty {
            throw VersionRefusal(
                reason: isAtEnd
                    ? "its \(name) number is missing"
                    : "found \(Wording.quoted(remainder)) instead of its \(name) number")
        }
        if digits.count > 1, digits.first == UInt8(ascii: "0") {
            throw VersionRefusal(reason: "its \(name) number has a leading zero")
        }
        guard let value = Int(Substring(digits)), value <= SemanticVersion.largestPart else {
            throw VersionRefusal(
                reason: "its \(name) number is larger than \(SemanticVersion.largestPart)",
                isTooLarge: true)
        }
        rest = rest.dropFirst(digits.count)
        return value
    }

    /// Reads the identifiers of a prerelease, after its `-`.
    mutating func prerelease() throws(VersionRefusal) -> [PrereleaseIdentifier] {
        var identifiers: [PrereleaseIdentifier] = []
        repeat {
            let identifier = PrereleaseIdentifier(checked: try self.identifier("prerelease"))
            if identifier.isNumeric, identifier.text.hasPrefix("0"), identifier.text != "0" {
                throw VersionRefusal(reason: "its prerelease number '\(identifier)' has a leading zero")
            }
            identifiers.append(identifier)
        } while take(".")
        return identifiers
    }

    /// Reads build metadata, after its `+`.
    mutating func build() throws(VersionRefusal) -> String {
        var identifiers: [String] = []
        repeat { identifiers.append(try identifier("build")) } while take(".")
        return identifiers.joined(separator: ".")
    }

    private mutating func identifier(_ kind: String) throws(VersionRefusal) -> String {
        let letters = rest.prefix { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
        if letters.isEmpty { throw VersionRefusal(reason: "a \(kind) identifier is empty") }
        rest = rest.dropFirst(letters.count)
        return String(Substring(letters))
    }
}
