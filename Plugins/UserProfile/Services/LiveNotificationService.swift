import AtriumKit

/// Has the server tell people.
struct LiveNotificationService: NotificationService {
    private let api: any APIClient

    init(api: any APIClient) {
        self.api = api
    }

    func send(_ kind: NotificationKind, toAccount account: String) async throws {
        try await ServiceFailure.mapped("The notification could not be sent") {
            _ = try await api.request(.notify(kind, account))
        }
    }

    /// A kind of a later server is left out.
    func notifications(ofAccount account: String, limit: Int) async throws -> [Notification] {
        try await ServiceFailure.mapped("The notifications could not be read") {
            try await api.request(.notifications(account, limit: limit)).rows
                .compactMap { try $0.notification() }
        }
    }
}
