import AtriumKit
import Foundation
import Testing

/// Expects that `body` throws a ``TransportError`` with a code, and returns the error.
func transportError(
    _ code: ErrorCode, _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> TransportError {
    let error = await #expect(throws: TransportError.self, sourceLocation: location) { try await body() }
    let found = try #require(error, sourceLocation: location)
    #expect(found.code == code, "\(found)", sourceLocation: location)
    return found
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// The number of threads of this process.
func threadCount() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
}
