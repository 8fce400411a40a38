import SwiftSyntax

/// All ways to a network other than the API client.
extension Rule {
    private static let networkModules: Set<String> = [
        "FoundationNetworking", "Network", "NIO", "NIOCore", "NIOPosix", "NIOHTTP1", "AsyncHTTPClient",
    ]
    private static let networkFunctions: Set<String> = [
        "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "send", "sendto", "sendmsg",
        "recv", "recvfrom", "recvmsg", "getaddrinfo", "gethostbyname",
    ]
    /// The prefixes of functions of C network libraries.
    private static let networkLibraries = ["curl_", "SSL_", "BIO_", "nghttp2_"]
    private static let networkTypes: Set<String> = [
        "s:10Foundation4HostC", "s:10Foundation10SocketPortC", "s:10Foundation10NetServiceC",
    ]
    private static let programFunctions: Set<String> = [
        "posix_spawn", "posix_spawnp", "popen", "system", "fork", "vfork", "execv", "execve", "execvp",
        "execvpe",
        "fexecve", "wordexp",
    ]
    private static let loadingFunctions: Set<String> = ["dlopen", "dlmopen", "dlsym", "dlvsym"]

    /// All traffic goes through the API client; only the transport module opens connections.
    ///
    /// A module also starts no programs and loads no libraries, since no rule sees what those do; nor does it
    /// read a URL with Foundation, which may fetch it.
    static let directNetworking = Rule(
        "direct-networking", in: { $0.role != .module(providesTransport: true) }
    ) { code in
        code.references.findings { reference in
            if let name = networking(reference.symbol) {
                return "'\(name)' talks to a network past the API client; "
                    + "ask 'APIClient', and leave the bytes to the module that provides the transport"
            }
            guard code.target.isModule, let (name, problem) = detour(reference.symbol) else { return nil }
            return "'\(name)' \(problem)"
        }
            + code.findings(at: AttributeSyntax.self) { attribute, _ in
                guard ["_silgen_name", "_extern"].contains(attribute.name) else { return nil }
                return (attribute, "'@\(attribute.name)' \(library)")
            }
    }

    /// An API that reaches a network without being meant for it.
    private static func detour(_ symbol: Symbol) -> (name: String, problem: String)? {
        if symbol.usr.hasPrefix("c:@F@") {
            let name = String(symbol.baseName)
            if programFunctions.contains(name) { return (name, program) }
            return loadingFunctions.contains(name) ? (name, library) : nil
        }
        guard symbol.usr.contains("Foundation"), let path = QualifiedName(usr: symbol.usr)?.foundationPath
        else {
            return nil
        }
        if path == "Foundation.Process" || path.hasPrefix("Foundation.Process.") {
            return ("Process", program)
        }
        let readsURL =
            symbol.kind == .initializer && symbol.usr.contains("3URLV")
            && (["init(contentsOf:", "init(byReferencing:"].contains(where: symbol.name.hasPrefix)
                || path == "Foundation.InputStream.init" && symbol.name == "init(url:)")
        guard readsURL else { return nil }
        let type = path.split(separator: ".").dropFirst().first ?? ""
        return ("\(type)(\(symbol.name.dropFirst("init(".count).prefix { $0 != ":" }):)", reading)
    }

    private static let program =
        "starts a program, which may do anything; ask 'APIClient' for data, and do the rest in Swift"
    private static let library =
        "calls a library that no rule sees; import a module, and call its functions by name"
    private static let reading =
        "reads any URL, also one of a network, past the API client; "
        + "ask 'APIClient', or read a file of this machine by its path"

    private static func networking(_ symbol: Symbol) -> String? {
        if symbol.kind == .module {
            return networkModules.contains(symbol.name) ? "import \(symbol.name)" : nil
        }
        if symbol.usr.hasPrefix("c:@F@") {
            let name = String(symbol.baseName)
            let isLibrary = networkLibraries.contains(where: name.hasPrefix)
            return isLibrary || networkFunctions.contains(name) ? name : nil
        }
        if symbol.isType, networkTypes.contains(symbol.usr) { return symbol.name }
        guard symbol.usr.hasPrefix("s:20FoundationNetworking") else { return nil }
        return QualifiedName(usr: symbol.usr)?.path.split(separator: ".").prefix(2).joined(separator: ".")
    }
}
