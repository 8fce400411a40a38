/// What the profile service answers to a submitted profile.
enum SubmissionReceipt: Hashable, Sendable {
    /// It is stored, as this version.
    case accepted(ProfileVersion)
    /// It is not stored: why, as a sentence where the service says it.
    case refused(String?)
    /// It is not stored: what it was to replace was replaced already.
    case outdated
}
