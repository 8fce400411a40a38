internal import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumSession
internal import AtriumText
internal import AtriumViews

// Screens as resources.

extension MCPSession {
    func read(_ parameters: RPCParameters) async throws -> JSONObject {
        if parameters.text("uri") == Catalog.logURI {
            return Catalog.contents(
                LogViews.list(try host.logFile.lines(LogFilter(), last: 100)), of: Catalog.logURI)
        }
        let (uri, link) = try resource(parameters)
        let (stack, view) = try await open(link, uri)
        return withExtendedLifetime(stack) { Catalog.contents(view.body, of: uri) }
    }

    func subscribe(_ parameters: RPCParameters) async throws -> JSONObject {
        if parameters.text("uri") == Catalog.logURI {
            logSubscription = host.logFile.follow(LogFilter()) { [weak self] _, _ in
                self?.notify("resources/updated", ["uri": .string(Catalog.logURI)])
            }
            return [:]
        }
        let (uri, link) = try resource(parameters)
        try await scene.watches.watch(link.description, version: host.runtime.container.version) {
            [weak self] in
            guard let self else { throw CancellationError() }
            return try await open(link, uri)
        }
        subscriptions[link.description] = uri
        return [:]
    }

    func unsubscribe(_ parameters: RPCParameters) throws -> JSONObject {
        if parameters.text("uri") == Catalog.logURI {
            logSubscription = nil
            return [:]
        }
        let (_, link) = try resource(parameters)
        subscriptions[link.description] = nil
        scene.watches.stop(link.description)
        return [:]
    }

    func resourceDidChange(_ link: String) {
        guard let uri = subscriptions[link] else { return }
        notify("resources/updated", ["uri": .string(uri)])
    }

    private func resource(_ parameters: RPCParameters) throws -> (uri: String, Link) {
        guard let uri = parameters.text("uri") else {
            throw RPCError.invalidParameters("'uri' must be a string.")
        }
        guard let link = Catalog.link(of: uri) else { throw RPCError.noResource(uri) }
        return (uri, link)
    }

    /// Opens a screen on a separate stack, which the caller keeps while it uses the screen.
    ///
    /// - Throws: An error if a guard does not allow it, or redirects.
    private func open(_ link: Link, _ uri: String) async throws -> (stack: Coordinator, view: any View) {
        let opened = await SessionManager.running(on: scene.coordinator) {
            do {
                return Result<_, any Error>.success(try await openOnOwnStack(link, uri))
            } catch {
                return .failure(error)
            }
        }
        return try opened.get()
    }

    private func openOnOwnStack(
        _ link: Link, _ uri: String
    ) async throws -> (stack: Coordinator, view: any View) {
        session.runner.interpreter.noteWhoIsSignedIn()
        guard let route = try await scene.coordinator.route(to: link) else {
            if let reason = host.reasonAgainst(link) { throw reason }
            throw RPCError.noResource(uri)
        }
        if let redirect = try await scene.coordinator.redirect(from: route) { throw redirect.refusal }
        let stack = scene.coordinator.detached()
        try await stack.enter(try stack.build(route))
        guard let screen = try await stack.loadedScreen() else { throw RPCError.noResource(uri) }
        return (stack, screen.view)
    }
}

extension RPCError {
    fileprivate static func noResource(_ uri: String) -> RPCError {
        RPCError(
            ShellError(
                "notFound", "There is no resource '\(uri.shortened)'.",
                hint: "'resources/list' and 'resources/templates/list' say which there are."), number: -32002)
    }
}
