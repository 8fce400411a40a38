package import AtriumKit

/// What an operation is called in messages and metrics: `GET v1/entities/:id`, without values.
package struct EndpointName: Sendable, Hashable, CustomStringConvertible {
    package let method: HTTPMethod
    package let pattern: String

    package init(_ method: HTTPMethod, _ pattern: String) {
        self.method = method
        self.pattern = pattern
    }

    init(_ call: APICall) {
        self.init(call.method, call.pattern)
    }

    package var description: String { "\(method) \(pattern)" }
}
