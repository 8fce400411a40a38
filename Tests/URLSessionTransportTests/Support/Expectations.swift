import AtriumKit
import Foundation
import Testing

/// The error that `body` throws, which has to be one of a transport.
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

/// The threads of this process.
func threadCount() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
}
