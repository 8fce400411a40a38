import AtriumNetworking
import AtriumTesting
import LiveTestSupport
import TestSupport

@testable import AtriumKit
@testable import Entities

/// A live service over HTTP with its own reference server and a signed-in user.
struct ServedEntityService: WrappedEntityService {
    let server: ReferenceServer
    let api: APIManager
    let service: ResourceRecordService<Entity>

    init() async throws {
        let server = try ReferenceServer { $0.isSeeded = false }
        api = try LiveAPI.device(of: server)
        self.server = server
        service = liveEntityService(api)
        try await LiveAPI.signIn(api)
    }
}
