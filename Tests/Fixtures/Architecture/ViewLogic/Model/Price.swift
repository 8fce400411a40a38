import Foundation

struct Price: Sendable, Equatable {
    enum State { case active, gone }

    var name: String
    var cents: Int
    var role = ""
    var state = State.active
    var date = Date(timeIntervalSince1970: 0)

    func validate() -> [String] { [] }
}
