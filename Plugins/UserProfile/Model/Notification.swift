import AtriumKit

struct Notification: Identifiable, Codable, Hashable, Sendable {
    let id: Int
    let kind: NotificationKind
    let createdAt: Timestamp
}

enum NotificationKind: String, Codable, Hashable, Sendable {
    case profileUpdated

    var text: String { "Your profile was updated." }
}
