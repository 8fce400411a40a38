internal import AtriumCommands
internal import AtriumNavigation
internal import AtriumServing
internal import AtriumSession

extension SceneServer {
    /// Serves also programs that speak the Model Context Protocol; at the end of their input their calls have
    /// `patience` to end.
    package func servePrograms(patience: Duration = .seconds(10)) {
        modes["mcp"] = { [unowned self] client, parameters throws(RPCError) in
            let allowed = parameters.text("allow") ?? Permission.reads.rawValue
            guard let permission = Permission(rawValue: allowed) else {
                throw RPCError.invalidParameters("'allow' must be reads, changes or destroys.")
            }
            var description = FrontEndDescription(parameters)
            description.name = "a client of MCP"
            let stream = client.stream
            return MCPSession(
                client.begin(freeName("mcp"), NavigationState(), description), permission: permission,
                patience: patience, send: { stream.send($0) }, drained: { await stream.drained() },
                didEnd: { [weak client, weak self] reason in
                    client?.end(because: self?.isEnding == true ? Self.endReason : reason)
                })
        }
    }
}
