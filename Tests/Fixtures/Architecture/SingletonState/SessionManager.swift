// Simulates faulty changes of the SDK's singletons; compiled as a module named AtriumKit.
@MainActor
final class SessionManager {
    static let shared = SessionManager()

    private(set) var user: String?
    private var credential: String?
    // error: [singleton-state] the session stores 'theme'; it holds who is signed in and nothing else:
    //        keep this in the repository that it belongs to
    var theme = "dark"
    var isSignedIn: Bool { user != nil }

    private init() {}
}

@MainActor
final class FlowManager {
    static let shared = FlowManager()

    // error: [singleton-state] 'results' grows in a singleton, which nobody releases;
    //        keep it in a repository with a 'Cache'
    private var results: [String: Int] = [:]
    private var count = 0

    private init() {}
}
