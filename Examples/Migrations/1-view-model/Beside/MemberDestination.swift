import AtriumKit

/// Who signed up.
///
/// Its link is `new/member`.
struct MemberDestination: Destination {
    static let pattern: LinkPattern = "new/member"
}
