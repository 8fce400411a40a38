import Foundation

// error: [model-class] 'Order' is a class in Model, where values are;
//        make it a struct or an enum, or an aggregate model if screens share it
final class Order: Sendable {
    let id = 1
}

struct Basket: Sendable {
    // error: [model-class] 'Storage' is a class in Model, where values are;
    //        make it a struct or an enum, or an aggregate model if screens share it
    final class Storage: Sendable {}
}

extension Basket {
    // error: [model-class] 'Line' is a class in Model, where values are;
    //        make it a struct or an enum, or an aggregate model if screens share it
    class Line: NSObject {}

    func make() -> Any {
        // error: [model-class] 'Node' is a class in Model, where values are;
        //        make it a struct or an enum, or an aggregate model if screens share it
        class Node {}
        return Node()
    }
}

// error: [model-class] 'Counter' is an actor in Model, where values are;
//        make it a struct or an enum, or an aggregate model if screens share it
actor Counter {}

protocol Priced: AnyObject {}

enum Kinds {
    static func of(_ object: AnyObject) -> Bool { type(of: object) == Order.self }
}
