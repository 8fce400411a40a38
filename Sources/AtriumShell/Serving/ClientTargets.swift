internal import AtriumKit
internal import Glibc

/// The files and programs of a client to which results of its scene go, by the host's numbers.
@MainActor
final class ClientTargets {
    private let open: @MainActor (ResultDestination) throws -> any ResultTarget
    private var targets: [Int: any ResultTarget] = [:]

    init(open: @escaping @MainActor (ResultDestination) throws -> any ResultTarget) { self.open = open }

    func write(_ text: String, to number: Int) {
        var text = text
        _ = text.withUTF8 { targets[number]?.write(UnsafeRawBufferPointer($0)) }
    }

    /// Answers what a host asks every client for: a variable of the environment, or a file or program for a result.
    ///
    /// - Throws: `CancellationError` for another request; the host cancels the command.
    func answer(_ method: String, _ parameters: RPCParameters) async throws -> JSONObject {
        let number = parameters.number("target")
        switch method {
        case "environment":
            let value = parameters.text("name").flatMap { getenv($0) }.map { String(cString: $0) }
            return ["value": value.map { .string($0) } ?? .null]
        case "open":
            guard let number, let destination = ResultDestination(parameters) else {
                throw CancellationError()
            }
            targets[number] = try open(destination)
            return [:]
        case "drain":
            return ["more": .bool(try await number.flatMap { targets[$0] }?.drained() ?? false)]
        case "finish":
            try await number.flatMap { targets.removeValue(forKey: $0) }?.close(
                keeps: parameters.flag("keep"))
            return [:]
        default: throw CancellationError()
        }
    }

    /// Closes what a host left open that is gone: its command has failed.
    func closeAll() async {
        let left = targets.values
        targets = [:]
        for target in left { try? await target.close(keeps: false) }
    }
}
