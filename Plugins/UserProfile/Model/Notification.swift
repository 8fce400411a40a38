import AtriumKit

struct Notification: Identifiable, Codable, Hashable, Sendable {
    let id: Int
    let kind: NotificationKind
    let createdAt: Timestamp
}

enum NotificationKind: String, Codable, Hashable, Sendable {
    case profileUpdated

    var text: String { switch self { case .profileUpdated: "Your profile was updated." } }
}
