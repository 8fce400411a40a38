import AtriumKit

/// A message to a person.
struct Notification: Identifiable, Codable, Hashable, Sendable {
    let id: Int
    let kind: NotificationKind
    let createdAt: Timestamp
}

/// What a notification is about.
enum NotificationKind: String, Codable, Hashable, Sendable {
    case profileUpdated

    /// The notification as a sentence.
    var text: String {
        switch self {
        case .profileUpdated: "Your profile was updated."
        }
    }
}
