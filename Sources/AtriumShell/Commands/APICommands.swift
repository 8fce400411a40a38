@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumNetworking

/// The commands that show what passes between the host and its server.
@MainActor
struct APICommands {
    let host: ShellHost

    var all: [Action] { [api, tokens, reset] }

    private var api: Action {
        Action(
            "api", "Shows what was asked of the server: calls, errors, how long they took", effect: .reads
        ) {
            let client = try client
            let metrics = await client.metrics
            return .content(APIViews.metrics(metrics, url: client.configuration.base.text))
        }
    }

    private var tokens: Action {
        Action("api tokens", "Shows whose tokens requests carry, without the tokens", effect: .reads) {
            let tokens = try await client.tokens
            return .content(APIViews.tokens(tokens))
        }
    }

    private var reset: Action {
        Action("api reset", "Begins to count anew", effect: .changes) {
            try await client.resetMetrics()
            return .content(Content(), "Counting begins anew.")
        }
    }

    private var client: APIManager {
        get throws {
            guard host.environment == .live else { throw APICommandError.otherEnvironment(host.environment) }
            guard let client = host.api else { throw APIError.noServer }
            return client
        }
    }
}

/// Why there is nothing to tell of a server.
struct APICommandError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?

    static func otherEnvironment(_ environment: Environment) -> APICommandError {
        APICommandError(
            code: .wrongEnvironment,
            message: "A server is asked in environment live only; this is \(environment.rawValue).",
            hint: "atrium --env live")
    }
}
