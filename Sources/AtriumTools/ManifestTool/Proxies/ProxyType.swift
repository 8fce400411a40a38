struct ProxyType {
    private let forwarded: ForwardedProtocol

    init(_ forwarded: ForwardedProtocol) { self.forwarded = forwarded }

    private var name: String { forwarded.name }

    private var methods: String {
        forwarded.methods.enumerated().map { method($0, $1) }.joined(separator: "\n")
    }

    var text: String {
        """
        /// Forwards the calls of \(name).
        private final class Atrium\(name)Proxy: \(name) {
            private let atriumService: any \(name)
            private let atriumCalls: ServiceCalls
            private let atriumFlag: CallsFlag

            init(_ service: any \(name), _ calls: ServiceCalls) {
                (atriumService, atriumCalls, atriumFlag) = (service, calls, calls.flag)
            }

        \(forwarded.properties.map { "    \($0)\n" }.joined())\(methods)
        \(description)}

        """
    }

    /// The method, and what it does while the service is tapped: apart, as its frame would slow the call.
    private func method(_ index: Int, _ method: ForwardedMethod) -> String {
        let passed = method.parameters.map(\.passed)
        let call = method.marks + method.call(on: "atriumService", passed)
        guard method.isTapped else { return "    \(method.declaration) { \(call) }\n" }
        // An argument that the method may change is marked, as `&count`: such a call can't be recorded.
        let shown = method.parameters.filter(\.isValue).map { "\"\($0.passed)\": \($0.name) as Any" }
        let arguments = shown.isEmpty ? "[:]" : "[\(shown.joined(separator: ", "))]"
        let types = method.failure.map { failure in
            "()\(method.isAsync ? " async" : "") throws(\(failure)) -> \(method.result ?? "Void") in "
        }
        let name = "atriumCall\(index)"
        return """
                \(method.declaration) {
                    guard atriumFlag.isOn else { return \(call) }
                    return \(method.marks)\(method.call(on: "self", named: name, passed))
                }

                \(method.declaration(named: name)) {
                    \(method.marks)atriumCalls.perform("\(method.selector)", \(arguments)) { \(types ?? "")\(call) }
                }

            """
    }

    /// The description of the proxy, for the container.
    private var description: String {
        let cases = forwarded.methods.enumerated().filter { obstacle(of: $1) == nil }.map { index, method in
            let call = method.call(on: "service", method.parameters.map { "given(\"\($0.name)\")" })
            return "            case \(index): return \(given(method))\(call) as Any\n"
        }
        return """
                @MainActor static var proxy: ServiceProxy {
                    ServiceProxy((any \(name)).self) {
                        [
            \(forwarded.methods.map { "                \(listed($0)),\n" }.joined())            ]
                    } make: {
                        Atrium\(name)Proxy($0, $1)
                    } call: { service, method, given in
                        switch method {
            \(cases.joined())            default: preconditionFailure("The method can't be called.")
                        }
                    }
                }

            """
    }

    /// The marks of a call whose arguments may be refused.
    private func given(_ method: ForwardedMethod) -> String {
        (method.isThrowing || !method.parameters.isEmpty ? "try " : "") + (method.isAsync ? "await " : "")
    }

    private func listed(_ method: ForwardedMethod) -> String {
        let obstacle = obstacle(of: method)
        let parameters = method.parameters.map { ".init(\"\($0.name)\", (\($0.type)).self)" }
        var arguments = ["\"\(method.selector)\""]
        if obstacle == nil, !parameters.isEmpty {
            arguments.append("[\(parameters.joined(separator: ", "))]")
        }
        if method.isAsync { arguments.append("isAsync: true") }
        if method.isThrowing, method.failure == nil { arguments.append("canThrow: true") }
        if let obstacle { arguments.append("obstacle: \"\(obstacle)\"") }
        return "ServiceMethod(\(arguments.joined(separator: ", ")))"
    }

    private func obstacle(of method: ForwardedMethod) -> String? {
        method.obstacle ?? (forwarded.isSendable ? nil : "its protocol is not Sendable")
    }
}
