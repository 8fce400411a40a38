import AtriumKit

/// Who signed up; its link is `member`.
struct MemberDestination: Destination {
    static let pattern: LinkPattern = "member"
}
