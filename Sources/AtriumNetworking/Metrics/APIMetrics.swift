package import AtriumKit

/// What happened between the API client and its server since the start or the last reset.
package struct APIMetrics: Sendable, Hashable {
    /// When counting began.
    package var since: Timestamp
    /// Each endpoint that was called, by name.
    package var endpoints: [Endpoint]
    /// How often tokens were renewed.
    package var refreshes = 0
    /// How often renewing them failed.
    package var failedRefreshes = 0
    /// How many callers wait for tokens at this moment.
    package var waitingForTokens = 0
    /// How many answers are stored, and in how many bytes.
    package var storedAnswers = 0
    package var storedBytes = 0

    /// What happened at one endpoint.
    package struct Endpoint: Sendable, Hashable {
        package let name: EndpointName
        package var counts = EndpointCounts()
        /// How long calls took that asked the server, from their start to the whole answer.
        package var latency = LatencyHistogram()
    }
}

/// What is counted at an endpoint.
package struct EndpointCounts: Sendable, Hashable {
    /// Calls that ended, however.
    package var calls = 0
    /// Calls that failed; cancelled ones are none of them.
    package var errors = 0
    /// Attempts after the first one of a call.
    package var retries = 0
    /// Calls that were answered from what is stored, without asking the server.
    package var hits = 0
    /// Calls that the server answered by confirming what is stored.
    package var confirmations = 0
    /// Calls that got the answer of another one that was under way.
    package var joins = 0
    /// Bytes of bodies; those of files are not counted.
    package var sentBytes = 0
    package var receivedBytes = 0
}
