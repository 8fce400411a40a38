import AtriumKit

/// Who signed up; its link is `new/member`.
struct MemberDestination: Destination {
    static let pattern: LinkPattern = "new/member"
}
