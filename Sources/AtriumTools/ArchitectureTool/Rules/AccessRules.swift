/// What the layers of a module, and its code as a whole, must not refer to.
extension Rule {
    /// Only view models, aggregate models and use cases have repositories; the registration builds them.
    ///
    /// Concerns a module's own declarations; the SDK's types say what a layer gets from the SDK.
    static let repositoryAccess = Rule("repository-access") { code in
        code.references.findings { reference in
            guard reference.symbol.kind != .parameter, let other = code.layer(of: reference.symbol.usr)
            else { return nil }
            let layer = code.layer(of: reference)
            let advice: String
            switch (layer, other) {
            case (.view, .repository), (.view, .service):
                advice = "let its view model ask, and show what that holds"
            case (.model, .repository): advice = "a model is a value; let a repository or a view model ask"
            default: return nil
            }
            return
                "\(layer.words) refers to '\(code.name(of: reference))', which is \(other.words); \(advice)"
        }
    }

    private static let networkModules: Set<String> = [
        "FoundationNetworking", "Network", "NIO", "NIOCore", "NIOPosix", "NIOHTTP1", "AsyncHTTPClient",
    ]
    private static let networkFunctions: Set<String> = [
        "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "send", "sendto", "sendmsg",
        "recv", "recvfrom", "recvmsg", "getaddrinfo", "gethostbyname",
    ]

    /// All traffic goes through the API client; only the transport's module opens connections.
    static let directNetworking = Rule(
        "direct-networking", in: { $0.role != .module(providesTransport: true) }
    ) { code in
        code.references.findings { reference in
            networking(reference.symbol).map {
                "'\($0)' talks to a network past the API client; "
                    + "ask 'APIClient', and leave the bytes to the module that provides the transport"
            }
        }
    }

    private static func networking(_ symbol: Symbol) -> String? {
        if symbol.kind == .module {
            return networkModules.contains(symbol.name) ? "import \(symbol.name)" : nil
        }
        if symbol.usr.hasPrefix("c:@F@") {
            let name = String(symbol.baseName)
            return networkFunctions.contains(name) ? name : nil
        }
        guard symbol.usr.hasPrefix("s:20FoundationNetworking") else { return nil }
        return QualifiedName(usr: symbol.usr)?.path.split(separator: ".").prefix(2).joined(separator: ".")
    }

    /// A module's folders are its layers; no rule checks what lies elsewhere.
    static let folderNames = Rule(
        "folder-name", in: { $0.role == .module(providesTransport: false) }
    ) { code in
        code.files.enumerated().compactMap { index, file in
            guard let folder = file.folder, Layer(rawValue: folder) == nil else { return nil }
            let first = file.occurrences.first
            let known = Layer.folders.joined(separator: ", ")
            return Finding(
                file: index, line: first?.line ?? 1, column: first?.column ?? 1,
                message:
                    "the folder '\(folder)' is no layer, so nothing in it is checked; use one of \(known)")
        }
    }
}
