/// What the profile service answers to a submitted profile.
struct SubmissionReceipt: Hashable, Sendable {
    let isAccepted: Bool
    /// Why it was refused, as a sentence; nil where it was not.
    let reason: String?

    static let accepted = SubmissionReceipt(isAccepted: true, reason: nil)

    static func refused(_ reason: String?) -> SubmissionReceipt {
        SubmissionReceipt(isAccepted: false, reason: reason)
    }
}
