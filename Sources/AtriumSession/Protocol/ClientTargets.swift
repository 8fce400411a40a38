internal import AtriumKit
internal import AtriumLanguage
internal import AtriumRedirection
internal import AtriumText
internal import Glibc

/// The client's files and programs that receive results of its scene, by the host's numbers.
@MainActor
final class ClientTargets {
    private let open: @MainActor (OutputRedirection) async throws -> any ResultTarget
    private var targets: [Int: any ResultTarget] = [:]
    /// Why a target can't be written any more; reported in the answer to the host's next request about it.
    private var failures: [Int: ShellError] = [:]

    init(open: @escaping @MainActor (OutputRedirection) async throws -> any ResultTarget) { self.open = open }

    func write(_ text: String, to number: Int) {
        guard let target = targets[number], failures[number] == nil else { return }
        var text = text
        guard let errno = text.withUTF8({ target.write(UnsafeRawBufferPointer($0)) }) else { return }
        failures[number] = .outputFailed(target.name, errno: errno)
    }

    /// Answers a host's requests for a file or program that receives a result.
    ///
    /// - Throws: `CancellationError` for any other request; the host cancels the command.
    func answer(_ method: String, _ parameters: RPCParameters) async throws -> JSONObject {
        let number = parameters.number("target")
        switch method {
        case "open":
            guard let number, let destination = OutputRedirection(parameters) else {
                throw CancellationError()
            }
            targets[number] = try await RunningJobs.$runsInBackground.withValue(parameters.flag("background"))
            {
                try await open(destination)
            }
            return [:]
        case "drain":
            guard let number, let target = targets[number] else { return ["more": false] }
            if let failure = failures[number] { throw failure }
            return ["more": .bool(try await target.drained())]
        case "finish":
            guard let number, let target = targets.removeValue(forKey: number) else { return [:] }
            let failure = failures.removeValue(forKey: number)
            try await target.close(keeps: failure == nil && parameters.flag("keep"))
            if let failure { throw failure }
            return [:]
        default: throw CancellationError()
        }
    }

    /// Closes targets left open by a host that has exited: its command has failed.
    func closeAll() async {
        let left = targets.values
        targets = [:]
        for target in left { try? await target.close(keeps: false) }
    }
}

extension OutputRedirection {
    /// The destination in a host's request, as ``HostClient`` receives it; nil if it names none.
    package init?(_ parameters: RPCParameters) {
        if let file = parameters.text("file") {
            self = .file(Word(text: file, start: 0), appends: parameters.flag("append"))
        } else if let program = parameters.text("program") {
            self = .program(program)
        } else if parameters.flag("pager") {
            self = .pager
        } else {
            return nil
        }
    }
}
