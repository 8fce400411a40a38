import Foundation
import Synchronization

final class Prices: Sendable {
    // error: [singleton] 'shared' is one object of class 'Singleton.Prices' for everybody;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    static let shared = Prices()
    // error: [singleton] 'former' is one object of class 'Singleton.Prices' for everybody;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    static let former: Prices? = nil
    static let limit = 3
    static var fresh: Prices { Prices() }

    let lines = [1]
}

actor Counter: Countable {
    private var count = 0
}

protocol Countable: Sendable {}

// error: [singleton] 'counter' is one object of class 'Singleton.Counter' for everybody;
//        register it as 'shared', so that each generation has its own and tests can replace it
let counter: any Countable = Counter()
// error: [singleton] 'texts' is one object of class 'Foundation.NSCache' for everybody;
//        register it as 'shared', so that each generation has its own and tests can replace it
// error: [unchecked-sendable] 'nonisolated(unsafe)' turns the compiler's check for data races off;
//        use an actor, the main actor or a 'Mutex'
nonisolated(unsafe) let texts = NSCache<NSString, NSString>()

enum Registry {
    // error: [singleton] 'entries' is one 'Synchronization.Mutex' for everybody;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    static let entries = Mutex([String: Int]())
    // error: [singleton] 'last' can be changed by every user;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    @MainActor static var last = ""
}
