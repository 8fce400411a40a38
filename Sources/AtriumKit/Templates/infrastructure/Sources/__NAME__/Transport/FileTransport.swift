import AtriumKit
import FoundationEssentials

/// A transport that answers each request from a file, without a server.
///
/// The answer to `GET https://any.server/v1/entities/1?fields=all` is `FOLDER/GET/v1/entities/1.json`, with
/// status 200. Without such a file the status is 404, as from a server.
struct FileTransport: HTTPTransport {
    let folder: String

    static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let file = try path(of: request)
        guard let answer = FileManager.default.contents(atPath: file) else {
            let problem = #"{"title": "Not Found", "status": 404, "detail": "There is no recorded answer."}"#
            return HTTPResponse(
                status: 404, fields: ["Content-Type": "application/problem+json"], body: Array(problem.utf8))
        }
        guard answer.count <= request.answerLimit else {
            throw TransportError(
                .answerTooLarge, "The answer in '\(file)' has more than \(request.answerLimit) bytes.")
        }
        return HTTPResponse(status: 200, fields: ["Content-Type": "application/json"], body: Array(answer))
    }

    func download(
        _ request: HTTPRequest, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> HTTPResponse {
        var response = try await send(request)
        guard response.status == 200 else { return response }
        try AtomicFile.write(response.body, to: path)
        progress(TransferProgress(received: Int64(response.body.count), expected: Int64(response.body.count)))
        response.body = []
        return response
    }

    /// Returns the path of the answer; never one outside of the folder.
    private func path(of request: HTTPRequest) throws -> String {
        let parts = request.url.prefix { $0 != "?" && $0 != "#" }.split(
            separator: "/", omittingEmptySubsequences: true)
        // The scheme and the server precede the path.
        guard parts.count >= 2, parts[0].hasSuffix(":"), !parts.contains(".."), !request.url.contains("\0")
        else {
            throw TransportError(
                .invalidURL, "'\(request.url)' is not a URL that can be answered.", neverSent: true)
        }
        return ([folder, request.method.rawValue] + parts.dropFirst(2).map(String.init))
            .joined(separator: "/") + ".json"
    }
}
