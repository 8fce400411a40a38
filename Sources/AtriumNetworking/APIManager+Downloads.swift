@_spi(Host) package import AtriumKit
internal import FoundationEssentials
internal import Glibc

extension APIManager {
    package nonisolated func download(
        _ call: APICall, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws {
        var call = call
        call.freshness = .none
        let plan = try await plan(call, isDownload: true)
        try Task.checkCancellation()
        guard case .server(nil, let authorization) = try await source(of: plan) else { return }
        let file = StagedFile(for: path, name: RandomName.make(random))
        defer { file.discard() }
        let response = try await perform(plan, nil, authorization) { transport, request in
            try await file.renamingErrors {
                try await transport.download(request, to: file.stagedPath, progress: progress)
            }
        }
        do {
            try await check(response, file, plan)
            try file.publish()
        } catch {
            await countError(plan.name, error)
            throw error
        }
    }

    /// Checks a response with status 200 to 299 as ``request(_:)`` does.
    private nonisolated func check(
        _ response: HTTPResponse, _ file: StagedFile, _ plan: RequestPlan
    ) async throws {
        var whole = response
        // A body that is too large for memory is not an error description.
        if let body = file.content(limit: plan.request.answerLimit) { whole.body = body }
        if let handler = ErrorCodeBody.handler(whole) {
            let redact = await redactor(plan)
            throw APIErrors.handled(handler.redacted(redact), plan.name)
                .answered(redact.answer(whole, names: authorization))
        }
        guard ![204, 205, 206].contains(response.status) else {
            throw APIErrors.undecodable(
                plan.name, "status \(response.status) instead of the whole file.", status: response.status)
        }
        let accepted = AcceptedTypes(plan.request.fields)
        if let type = MediaType(response.fields), !accepted.contains(type) {
            throw APIErrors.undecodable(
                plan.name, "\(type.name.prefix(80)) instead of \(accepted).", status: response.status)
        }
    }
}

/// A download beside its final path until it is complete and valid.
struct StagedFile: Sendable {
    let path: String
    /// In the same folder, so that publishing is one `rename`.
    let stagedPath: String

    init(for path: String, name: String) {
        self.path = path
        stagedPath = "\(path).\(name)"
    }

    /// Runs `body` and replaces the staged path in its errors by the final one.
    func renamingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as TransportError {
            throw TransportError(
                error.code, error.message.replacing(stagedPath, with: path), hint: error.hint,
                neverSent: error.neverSent)
        }
    }

    /// The bytes written; nil if there are more than `limit`, or they can't be read.
    func content(limit: Int) -> [UInt8]? {
        var status = stat()
        guard stat(stagedPath, &status) == 0, status.st_size <= limit else { return nil }
        // Foundation leaks its buffer when it reads an empty file.
        if status.st_size == 0 { return [] }
        return (try? Data(contentsOf: URL(filePath: stagedPath))).map(Array.init)
    }

    /// Moves the file to its final path.
    ///
    /// - Throws: ``APIError``; an existing file stays.
    func publish() throws {
        guard rename(stagedPath, path) == 0 else { throw APIErrors.fileNotWritten(path, errno) }
    }

    /// Removes the file unless it was published.
    func discard() { unlink(stagedPath) }
}
