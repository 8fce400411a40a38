import AtriumKit

/// Who signed up.
///
/// Its link is `member`.
struct MemberDestination: Destination {
    static let pattern: LinkPattern = "member"
}
