/// The layers that the code of a layer must not refer to, as a table.
///
/// Concerns a module's own declarations; the SDK's types say what a layer gets from the SDK.
enum LayerPolicy {
    static let rules: [any Rule] = [repositoryAccess]

    /// Only view models, aggregate models and use cases have repositories; the registration builds them.
    private static let repositoryAccess = LayerRule(
        name: "repository-access",
        refusals: [
            .init(.view, to: [.repository, .service], "let its view model ask, and show what that holds"),
            .init(.model, to: [.repository], "a model is a value; let a repository or a view model ask"),
        ])
}

/// A rule that consists of rows of the table.
struct LayerRule: Rule {
    let name: String
    let refusals: [Refusal]

    /// What a layer must not refer to.
    struct Refusal {
        let layer: Layer
        let others: Set<Layer>
        let advice: String

        init(_ layer: Layer, to others: Set<Layer>, _ advice: String) {
            self.layer = layer
            self.others = others
            self.advice = advice
        }
    }

    func violations(in code: CodeBase) -> [Violation] {
        guard code.target.isModule else { return [] }
        return code.references.compactMap { reference in
            guard reference.symbol.kind != .parameter, let other = code.layer(of: reference.symbol.usr),
                let refusal = refusal(of: other, by: code.layer(of: reference))
            else { return nil }
            return violation(
                at: reference,
                "\(refusal.layer.words) refers to '\(code.name(of: reference))', which is \(other.words); \(refusal.advice)"
            )
        }
    }

    private func refusal(of other: Layer, by layer: Layer) -> Refusal? {
        refusals.first { $0.layer == layer && $0.others.contains(other) }
    }
}

/// All traffic goes through the API client; only the transport's module opens connections.
struct DirectNetworking: Rule {
    let name = "direct-networking"

    private let modules: Set<String> = [
        "FoundationNetworking", "Network", "NIO", "NIOCore", "NIOPosix", "NIOHTTP1", "AsyncHTTPClient",
    ]
    private let functions: Set<String> = [
        "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "send", "sendto", "sendmsg",
        "recv", "recvfrom", "recvmsg", "getaddrinfo", "gethostbyname",
    ]

    func violations(in code: CodeBase) -> [Violation] {
        if code.target.role == .module(providesTransport: true) { return [] }
        return code.references.compactMap { reference in
            guard let used = networking(reference.symbol) else { return nil }
            return violation(
                at: reference,
                "'\(used)' talks to a network past the API client; "
                    + "ask 'APIClient', and leave the bytes to the module that provides the transport")
        }
    }

    private func networking(_ symbol: Symbol) -> String? {
        if symbol.kind == .module { return modules.contains(symbol.name) ? "import \(symbol.name)" : nil }
        if symbol.usr.hasPrefix("c:@F@") {
            return functions.contains(String(symbol.baseName)) ? String(symbol.baseName) : nil
        }
        guard symbol.usr.hasPrefix("s:20FoundationNetworking") else { return nil }
        return QualifiedName(usr: symbol.usr)?.path.split(separator: ".").prefix(2).joined(separator: ".")
    }
}
