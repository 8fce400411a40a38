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

struct Cache: Sendable {
    // error: [singleton] 'shared' is one 'Singleton.Cache' for everybody;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    static let shared = Cache()
    static let empty = Cache(size: 0)

    var size = 10
}

struct Client: Sendable {
    // error: [singleton] 'live' is one value that does work in its closure 'load' for everybody;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    static let live = Client { 1 }
    static let retries = 3

    let load: @Sendable () async throws -> Int
}

struct Store: Sendable {
    // error: [singleton] 'current' is one value with an object of class 'Singleton.Prices' for everybody;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    static let current = Store(prices: Prices())

    let prices: Prices
}

extension Store {
    // error: [singleton] 'all' is one value with an object of class 'Singleton.Prices' for everybody;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    static let all = ["first": [Prices()]]
    // error: [singleton] 'last' can be changed by every user;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    @MainActor private static var last = 0
    @MainActor static var lastOfAll: Int { last }
    // A function that makes an object is none.
    static let make: @Sendable () -> Prices = { Prices() }
}

enum Session {
    // error: [singleton] 'user' can be changed by every user;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    @TaskLocal static var user = ""
}

actor Queue {
    // error: [singleton] 'shared' is one object of class 'Singleton.Queue' for everybody;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    static let shared = Queue()
}

class Base {
    // error: [singleton] 'instance' is one object of class 'Singleton.Prices' for everybody;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    fileprivate static let instance = Prices()
    class var sharedInstance: Prices { instance }
}
