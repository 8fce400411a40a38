/// Tells people what happened to what is theirs.
protocol NotificationService: Sendable {
    /// Tells the person of an account.
    func send(_ kind: NotificationKind, toAccount account: String) async throws

    /// What the person of an account was told, the newest first, at most `limit` of them.
    func notifications(ofAccount account: String, limit: Int) async throws -> [Notification]
}
