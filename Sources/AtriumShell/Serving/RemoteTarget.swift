internal import AtriumKit
internal import AtriumLanguage
internal import AtriumRuntime

/// A file or program of a client that receives the result of a command.
@MainActor
final class RemoteTarget: ResultTarget {
    private let number: Int64
    private let send: (String, Int64) -> CInt?
    private let waitUntilSent: () async -> Void
    private let ask: (String, JSONObject) async throws -> RPCParameters
    let name = "The client's file or program"

    init(
        _ number: Int64, send: @escaping (String, Int64) -> CInt?, drained: @escaping () async -> Void,
        ask: @escaping (String, JSONObject) async throws -> RPCParameters
    ) {
        self.number = number
        self.send = send
        waitUntilSent = drained
        self.ask = ask
    }

    func open(_ destination: OutputRedirection) async throws {
        var parameters: JSONObject = ["target": .integer(number)]
        switch destination {
        case .file(let word, let appends):
            parameters["file"] = .string(word.text)
            parameters["append"] = .bool(appends)
        case .program(let text): parameters["program"] = .string(text)
        case .pager: parameters["pager"] = true
        }
        _ = try await ask("open", parameters)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> CInt? {
        send(String(decoding: bytes, as: UTF8.self), number)
    }

    func drained() async throws -> Bool {
        await waitUntilSent()
        return try await ask("drain", ["target": .integer(number)]).flag("more")
    }

    func close(keeps: Bool) async throws {
        _ = try await ask("finish", ["target": .integer(number), "keep": .bool(keeps)])
    }
}
