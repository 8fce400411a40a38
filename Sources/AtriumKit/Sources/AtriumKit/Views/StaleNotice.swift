/// Says that what is shown is not what the service has now, because that can't be asked.
public struct StaleNotice: ContentElement {
    private let asOf: Timestamp
    private let hint: String

    /// - Parameters:
    ///   - asOf: When what is shown was last seen; programs get it as `asOf`.
    ///   - hint: The command that asks again.
    public init(asOf: Timestamp, hint: String) {
        self.asOf = asOf
        self.hint = hint
    }

    @ContentBuilder public var content: Content {
        Field("asOf", label: "As of", asOf)
        Notice(.warning, "As of \(asOf.displayText): the server can't be asked.", hint: hint)
    }
}
