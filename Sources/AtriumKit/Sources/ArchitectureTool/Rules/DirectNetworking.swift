/// All traffic goes through the API client: nobody but the module of the transport talks to a network.
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
