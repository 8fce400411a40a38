/// What the layers of a module, and its code as a whole, must not refer to.
extension Rule {
    /// Only view models, aggregate models and use cases have repositories; the registration builds them.
    ///
    /// Concerns a module's own declarations; the SDK's types say what a layer gets from the SDK.
    static let repositoryAccess = Rule("repository-access") { code in
        code.references.findings { reference in
            guard reference.symbol.kind != .parameter, let other = code.accessedLayer(of: reference.symbol)
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

    /// Services belong to repositories; what is above a repository asks that.
    ///
    /// Concerns all that lies in Services/, and every protocol that only services implement. The API and the database
    /// are for services alone.
    static let serviceAccess = Rule("service-access") { code in
        let above: Set<Layer> = [.viewModel, .aggregateModel, .useCase]
        return code.references.findings { reference in
            let layer = code.layer(of: reference)
            if above.contains(layer), reference.symbol.kind != .parameter,
                code.accessedLayer(of: reference.symbol) == .service
            {
                return "\(layer.words) refers to '\(code.name(of: reference))', which is a service; "
                    + "let a repository ask it, and decide what the answer means"
            }
            if layer == .composition, reference.symbol.kind.isFunction,
                code.isServiceMember(reference.symbol),
                code.ownLayer(of: reference) == nil
            {
                return
                    "the module's registration calls '\(reference.symbol.baseName)' of a service, in a closure or a "
                    + "function of its own; let a repository ask it, and decide what the answer means"
            }
            guard above.union([.view, .repository]).contains(layer), let type = dataSource(reference.symbol)
            else { return nil }
            return
                "\(layer.words) refers to '\(type)', which is for services; let a service ask, behind a protocol"
        }
    }

    private static func dataSource(_ symbol: Symbol) -> String? {
        guard symbol.usr.hasPrefix("s:9AtriumKit"), let name = QualifiedName(usr: symbol.usr) else {
            return nil
        }
        return ["APIClient", "Database", "HTTPTransport"].first { name.isWithin("AtriumKit.\($0)") }
    }

    /// A layer knows those below it: no model knows a view model, and no view model a view.
    static let upwardReference = Rule("upward-reference") { code in
        code.references.findings { reference in
            let layer = code.layer(of: reference)
            guard reference.symbol.kind != .parameter, let above = layersAbove[layer] else { return nil }
            if let part = interface(reference.symbol) {
                return
                    "\(layer.words) refers to '\(part)', which is for views; hold what is shown, and let the view arrange it"
            }
            guard let type = code.types(around: reference.symbol.usr).first,
                let other = code.ownLayer(of: type), above.contains(other)
            else { return nil }
            return
                "\(layer.words) refers to '\(code.name(of: reference))', which is \(other.words) and above it; "
                + "\(other == .view ? "navigate with the context's 'navigator'" : "let what is above call, and return values")"
        }
    }

    private static let layersAbove: [Layer: Set<Layer>] = [
        .viewModel: [.view], .aggregateModel: [.view, .viewModel],
        .useCase: [.view, .viewModel, .aggregateModel],
        .repository: [.view, .viewModel, .aggregateModel, .useCase],
        .model: [.view, .viewModel, .aggregateModel, .useCase], .service: [],
    ]
    private static let interfaceTypes = [
        "View", "Content", "ContentElement", "ContentBuilder", "Title", "Text", "Field", "Notice", "Verbatim",
        "Group",
        "StaleNotice", "Table", "Column", "Loadable",
    ]

    /// The part of the SDK that only views use; nil for others.
    private static func interface(_ symbol: Symbol) -> String? {
        guard symbol.usr.hasPrefix("s:9AtriumKit"), symbol.isType || symbol.kind == .initializer,
            let path = QualifiedName(usr: symbol.usr)?.path
        else { return nil }
        let type = path.split(separator: ".").dropFirst().first.map(String.init) ?? ""
        let isWhole = path == "AtriumKit.\(type)" || path == "AtriumKit.\(type).init"
        return isWhole && interfaceTypes.contains(type) ? type : nil
    }

    // MARK: - Networks and programs

    private static let networkModules: Set<String> = [
        "FoundationNetworking", "Network", "NIO", "NIOCore", "NIOPosix", "NIOHTTP1", "AsyncHTTPClient",
    ]
    private static let networkFunctions: Set<String> = [
        "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "send", "sendto", "sendmsg",
        "recv", "recvfrom", "recvmsg", "getaddrinfo", "gethostbyname",
    ]
    /// How the functions of C libraries for networks begin.
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

    /// All traffic goes through the API client; only the transport's module opens connections.
    ///
    /// A module starts no program and loads no library either, since no rule sees what those do; and it reads no URL
    /// with Foundation, which may fetch it.
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
            + code.files.enumerated().flatMap { file, source in
                source.tokens.all.filter { ["_silgen_name", "_extern"].contains($0.text) }.map { token in
                    Finding(
                        file: file, line: token.line, column: token.column,
                        message: "'@\(token.text)' \(library)")
                }
            }
    }

    /// What reaches a network without being made for it.
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
