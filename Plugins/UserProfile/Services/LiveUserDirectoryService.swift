import AtriumKit

/// Asks the server which people there are.
struct LiveUserDirectoryService: UserDirectoryService {
    private let api: any APIClient

    init(api: any APIClient) {
        self.api = api
    }

    func users(_ query: UserQuery) async throws -> UserPage {
        try await ServiceFailure.mapped("The users could not be listed") {
            try await api.request(.users(query)).userPage
        }
    }

    func user(_ id: String) async throws -> DirectoryUser {
        try await ServiceFailure.mapped("The user '\(id)' could not be read") {
            do {
                return try await api.request(.user(id)).user
            } catch let error as APIError where error.isNotFound {
                throw DirectoryError.notFound(id)
            }
        }
    }
}
