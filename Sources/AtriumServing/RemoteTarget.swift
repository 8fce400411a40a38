internal import AtriumKit
internal import AtriumLanguage
internal import AtriumRedirection
internal import AtriumSession
internal import AtriumText
internal import Glibc

/// A file or program of a client that receives the result of a command.
@MainActor
package final class RemoteTarget: ResultTarget {
    private let number: Int64
    private weak var frontEnd: ServedFrontEnd?
    package let name = "The client's file or program"

    init(_ number: Int64, of frontEnd: ServedFrontEnd) {
        self.number = number
        self.frontEnd = frontEnd
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
        if RunningJobs.runsInBackground { parameters["background"] = true }
        _ = try await ask("open", parameters)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> CInt? {
        guard let frontEnd, !frontEnd.hasEnded else { return EPIPE }
        frontEnd.send(String(decoding: bytes, as: UTF8.self), to: "target", ["target": .integer(number)])
        return nil
    }

    package func drained() async throws -> Bool {
        await frontEnd?.drained()
        return try await ask("drain", ["target": .integer(number)]).flag("more")
    }

    package func close(keeps: Bool) async throws {
        _ = try await ask("finish", ["target": .integer(number), "keep": .bool(keeps)])
    }

    private func ask(_ method: String, _ parameters: JSONObject) async throws -> RPCParameters {
        guard let frontEnd else { throw CancellationError() }
        do {
            return try await frontEnd.ask(method, parameters)
        } catch let error as RPCError {
            throw ShellError(error)
        }
    }
}
