// error: [unchecked-sendable] '@unchecked Sendable' turns the compiler's check for data races off;
//        use an actor, the main actor or a 'Mutex'
final class TokenStore: @unchecked Sendable {
    private var token: String?
    // error: [unchecked-sendable] 'nonisolated(unsafe)' turns the compiler's check for data races off;
    //        use an actor, the main actor or a 'Mutex'
    nonisolated(unsafe) private var expiry = 0
}

class Tokens {
    var all: [String] = []
}

// error: [unchecked-sendable] '@unchecked Sendable' turns the compiler's check for data races off;
//        use an actor, the main actor or a 'Mutex'
extension Tokens: @unchecked Sendable {}

actor Safe {
    private var token: String?
    nonisolated let name = "@unchecked"
}
