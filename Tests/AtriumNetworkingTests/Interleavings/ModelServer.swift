import AtriumKit
import AtriumTesting
import Synchronization
import Testing

/// A server that issues and checks tokens, and can be given a fault for the next request.
///
/// Refresh tokens rotate. A spent one gets the same successor again, since the client may have lost the
/// response.
final class ModelServer: Sendable {
    enum Fault: Sendable {
        /// The access token is revoked; for a refresh, the whole sign-in.
        case refuse
        /// The request is performed and its response lost.
        case lose
        /// The request is not performed: status 503.
        case unavailable
    }

    private struct State {
        var good: [String: String] = [:]
        var renewals: [String: (id: String, successor: String?)] = [:]
        var ended: Set<String> = []
        var issued = 0
        var fault: Fault?
        var refused: Set<String> = []
        var spent: Set<String> = []
    }

    private let state = Mutex(State())

    /// The access tokens that were refused in a response to the client.
    var refused: Set<String> { state.withLock { $0.refused } }
    /// The refresh tokens whose successors have reached the client.
    var spent: Set<String> { state.withLock { $0.spent } }
    /// The sign-ins that were ended.
    var ended: Set<String> { state.withLock { $0.ended } }

    func fail(_ fault: Fault?) { state.withLock { $0.fault = fault } }

    /// Invalidates all access tokens.
    func expire() { state.withLock { $0.good = [:] } }

    /// Signs a person in.
    func signIn(_ id: String) -> AccessTokens {
        state.withLock { state in
            let number = Self.issue(id, &state)
            return .sample(number, id: id)
        }
    }

    func reply(_ request: HTTPRequest) throws -> HTTPResponse {
        try state.withLock { state in
            let fault = state.fault
            state.fault = nil
            if fault == .unavailable { return .json("", status: 503) }
            let response =
                request.isForTokens
                ? Self.renew(request, fault, &state) : Self.answer(request, fault, &state)
            if fault == .lose { throw TransportError(.connectionLost, "Closed.") }
            if response.status == 401, let token = request.token { state.refused.insert(token) }
            if request.isForTokens, response.status == 200 { state.spent.insert(request.spentToken) }
            return response
        }
    }

    private static func issue(_ id: String, _ state: inout State) -> Int {
        state.issued += 1
        state.good["access-\(id)-\(state.issued)"] = id
        state.renewals["refresh-\(id)-\(state.issued)"] = (id, nil)
        return state.issued
    }

    private static func renew(_ request: HTTPRequest, _ fault: Fault?, _ state: inout State) -> HTTPResponse {
        guard let (id, successor) = state.renewals[request.spentToken] else { return .invalidGrant }
        if fault == .refuse { state.ended.insert(id) }
        guard !state.ended.contains(id) else {
            state.good = state.good.filter { $0.value != id }
            return .invalidGrant
        }
        if let successor, let number = Int(successor) { return .tokens(number, id: id) }
        let number = issue(id, &state)
        state.renewals[request.spentToken]?.successor = "\(number)"
        return .tokens(number, id: id)
    }

    private static func answer(_ request: HTTPRequest, _ fault: Fault?, _ state: inout State) -> HTTPResponse
    {
        guard let token = request.token else { return person("nobody") }
        if fault == .refuse { state.good[token] = nil }
        return state.good[token].map(person) ?? .unauthorized
    }

    private static func person(_ name: String) -> HTTPResponse {
        .json(#"{"id": 1, "name": "\#(name)"}"#)
    }
}

extension HTTPRequest {
    /// The refresh token in a refresh request.
    var spentToken: String { String(text.split(separator: "=").last ?? "") }

    /// The sign-in that a token belongs to.
    static func signIn(of token: String) -> String {
        String(token.split(separator: "-").dropFirst().first ?? "")
    }
}
