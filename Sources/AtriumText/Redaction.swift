@_spi(Host) internal import AtriumKit

/// Keeps secrets out of what is stored and printed.
package enum Redaction {
    /// A word as shown: without the secrets of a link, without the value of `password=VALUE`, and without JSON
    /// that may have a secret member.
    package static func shown(_ word: String) -> String {
        if isSecretJSON(word[...]) { return "…" }
        // Fast path: most words are neither a link with a query nor a name with a value.
        guard word.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "?") }) else {
            return word
        }
        let word = Link.shown(word)
        guard let equals = word.firstIndex(of: "=") else { return word }
        let (name, value) = (word[..<equals], word[word.index(after: equals)...])
        if isReference(value) { return word }
        if isSecretJSON(value) { return word[...equals] + "…" }
        guard !name.contains("?"), SecretName.matches(name) || isNearSecret(name) else { return word }
        return word[...equals] + "…"
    }

    private static func isSecretJSON(_ value: Substring) -> Bool {
        guard let first = value.utf8.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            return false
        }
        return SecretName.matches(value)
    }

    private static func isNearSecret(_ name: Substring) -> Bool {
        NearestName.of(String(name.drop { $0 == "-" }), among: SecretName.words) != nil
    }

    /// True if a value only refers to the secret.
    package static func isReference(_ value: some StringProtocol) -> Bool {
        value.hasPrefix("@env:") || value.hasPrefix("@file:")
    }

    /// True if a word looks like an email address, after which a password is typed.
    package static func isAddress(_ word: String) -> Bool {
        word.split(separator: "@", omittingEmptySubsequences: false).filter { !$0.isEmpty }.count == 2
    }

    package static func mayHoldSecret(_ line: String) -> Bool { SecretName.matches(line) }

    /// The only word shown of a line that may hold a secret anywhere.
    package static func firstWord(of line: String) -> String {
        let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        return words.count > 1 ? "\(shown(String(words[0]))) …" : "…"
    }
}
