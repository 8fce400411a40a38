/// Names that say that what they stand for is a secret.
@_spi(Host) public enum SecretName {
    @_spi(Host) public static let words = ["password", "secret", "token"]

    /// Whether a text holds such a word, in whatever case.
    @_spi(Host) public static func matches(_ text: some StringProtocol) -> Bool {
        let text = text.lowercased()
        return words.contains { text.contains($0) }
    }
}
