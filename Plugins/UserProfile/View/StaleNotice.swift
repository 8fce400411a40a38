import AtriumKit

/// Says that what is shown is not what the service has now, because that can't be asked.
struct StaleNotice: View {
    let asOf: Timestamp
    /// The command that asks again.
    let hint: String

    var body: Content {
        Field("asOf", label: "As of", asOf)
        Notice(.warning, "As of \(asOf.displayText): the server can't be asked.", hint: hint)
    }
}
