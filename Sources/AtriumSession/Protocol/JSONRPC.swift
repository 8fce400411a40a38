package import AtriumKit
package import AtriumManifest
internal import AtriumText

/// A JSON-RPC 2.0 message; each is on one line.
package enum RPCMessage: Sendable {
    case request(RPCID, method: String, RPCParameters)
    case notification(method: String, RPCParameters)
    /// The outcome of a request that this side sent.
    case response(RPCID, Result<RPCParameters, RPCError>)
    /// An error that answers no request, as its `id` is null: the other side refuses the connection.
    case refusal(RPCError)
    /// A line that is not a message, with its identifier if it has one.
    case invalid(RPCID?, RPCError)

    /// Reads a line: JSON in UTF-8, at most 64 levels deep.
    package init(line: [UInt8]) {
        do throws(JSONSyntaxError) {
            let (json, refused) = try LocatedJSON.replacingValues(in: line)
            self = Self.message(json)
            if let refused { self = .invalid(json["id"].flatMap(RPCID.init), .parseError(refused)) }
        } catch {
            self = .invalid(RPCID(inBroken: line), .parseError(error))
        }
    }

    private static func message(_ json: LocatedJSON) -> RPCMessage {
        guard case .object = json.plain else {
            return .invalid(nil, .invalidRequest("A message is a JSON object; there are no batches."))
        }
        let id = json["id"].flatMap(RPCID.init)
        guard json["jsonrpc"]?.text == "2.0" else {
            return .invalid(id, .invalidRequest("Member 'jsonrpc' must be \"2.0\"."))
        }
        if case .null? = json["id"]?.plain, json["method"] == nil, let error = json["error"] {
            return .refusal(RPCError(error))
        }
        guard json["id"] == nil || id != nil else {
            return .invalid(nil, .invalidRequest("Member 'id' must be a string or an integer."))
        }
        guard let method = json["method"] else { return response(json, id) }
        guard let name = method.text else {
            return .invalid(id, .invalidRequest("Member 'method' must be a string."))
        }
        let parameters = RPCParameters(json["params"])
        return id.map { .request($0, method: name, parameters) } ?? .notification(method: name, parameters)
    }

    private static func response(_ json: LocatedJSON, _ id: RPCID?) -> RPCMessage {
        guard let id else { return .invalid(nil, .invalidRequest("Member 'method' is missing.")) }
        if let error = json["error"] {
            return .response(id, .failure(RPCError(error)))
        }
        guard let result = json["result"] else {
            return .invalid(id, .invalidRequest("Members 'method', 'result' and 'error' are missing."))
        }
        return .response(id, .success(RPCParameters(result)))
    }

    // MARK: - Lines

    package static func request(_ id: RPCID, _ method: String, _ parameters: JSONObject) -> String {
        line(["jsonrpc": "2.0", "id": id.json, "method": .string(method), "params": .object(parameters)])
    }

    package static func notification(_ method: String, _ parameters: JSONObject) -> String {
        line(["jsonrpc": "2.0", "method": .string(method), "params": .object(parameters)])
    }

    package static func result(_ id: RPCID, _ result: JSONObject) -> String {
        line(["jsonrpc": "2.0", "id": id.json, "result": .object(result)])
    }

    package static func failure(_ id: RPCID?, _ error: RPCError) -> String {
        line(["jsonrpc": "2.0", "id": id?.json ?? .null, "error": .object(error.json)])
    }

    private static func line(_ message: JSONObject) -> String { JSONValue.object(message).serialized + "\n" }
}

/// The identifier of a request.
package enum RPCID: Hashable, Sendable {
    case number(Int64)
    case text(String)

    package init?(_ json: LocatedJSON) {
        switch json.plain {
        case .integer(let number): self = .number(number)
        case .string(let text): self = .text(text)
        default: return nil
        }
    }

    package var json: JSONValue {
        switch self {
        case .number(let number): .integer(number)
        case .text(let text): .string(text)
        }
    }
}

/// The parameters of a request, or its result.
package struct RPCParameters: Sendable {
    package let json: LocatedJSON?

    package init(_ json: LocatedJSON?) { self.json = json }

    package func text(_ key: String) -> String? { json?[key]?.text }

    package func number(_ key: String) -> Int? {
        guard case .integer(let number)? = json?[key]?.plain else { return nil }
        return Int(number)
    }

    package func flag(_ key: String) -> Bool {
        guard case .bool(let flag)? = json?[key]?.plain else { return false }
        return flag
    }

    package subscript(key: String) -> RPCParameters { RPCParameters(json?[key]) }

    package var items: [RPCParameters] { json?.items.map { RPCParameters($0) } ?? [] }
}

package struct RPCError: Error, Sendable {
    package let number: Int
    package let message: String
    /// The code, message and hint of an error of the host.
    package let data: RPCParameters

    package static let internalErrorNumber = -32603

    package init(_ number: Int, _ message: String, data: RPCParameters = RPCParameters(nil)) {
        self.number = number
        self.message = message
        self.data = data
        details = nil
    }

    /// Reads the member `error` of a message.
    package init(_ json: LocatedJSON) {
        var number = Self.internalErrorNumber
        if case .integer(let code)? = json["code"]?.plain { number = Int(code) }
        self.init(number, json["message"]?.text ?? "The request failed.", data: RPCParameters(json["data"]))
    }

    /// An error of the host, with its code and its hint.
    package init(_ error: any ExplainedError, number: Int = -32000) {
        self.number = number
        message = error.message
        data = RPCParameters(nil)
        details = [
            "code": .string(error.code.rawValue), "message": .string(error.message),
            "hint": error.hint.map { .string($0) } ?? .null,
            "exit": .integer(Int64(ExitStatus(error).rawValue)),
        ]
    }

    private let details: JSONObject?

    package static func parseError(_ error: JSONSyntaxError) -> RPCError {
        RPCError(-32700, "The line is not valid JSON at column \(error.position.column): \(error.message)")
    }
    package static func invalidRequest(_ reason: String) -> RPCError { RPCError(-32600, reason) }
    package static func unknownMethod(_ name: String) -> RPCError {
        RPCError(-32601, "There is no method '\(name.shortened)'.")
    }
    package static func invalidParameters(_ reason: String) -> RPCError { RPCError(-32602, reason) }

    package var json: JSONObject {
        var json: JSONObject = ["code": .integer(Int64(number)), "message": .string(message)]
        if let details { json["data"] = .object(details) }
        return json
    }
}
