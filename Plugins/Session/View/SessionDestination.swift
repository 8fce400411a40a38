import AtriumKit

/// The place that shows who is signed in.
struct SessionDestination: Destination {
    static let pattern: LinkPattern = "session"
}
