import AtriumKit
import Foundation

/// Takes an answer as it arrives: into memory, up to a limit, or into a file.
final class AnswerBody {
    /// The largest body that is kept in memory, in bytes.
    private let limit: Int
    /// Where the body of an answer of status 200 to 299 goes; nil for memory.
    private let path: String?
    private let progress: @Sendable (TransferProgress) -> Void
    private var answer: HTTPResponse?
    private var file: PartialFile?
    private var received: Int64 = 0
    /// How many bytes the server says that there are; nil where it does not.
    private var expected: Int64?

    /// Whether the head is there.
    var hasBegun: Bool { answer != nil }

    init(limit: Int, _ path: String?, _ progress: @escaping @Sendable (TransferProgress) -> Void) {
        self.limit = limit
        self.path = path
        self.progress = progress
    }

    /// Takes the head of the answer.
    ///
    /// - Parameters:
    ///   - head: Its status and fields.
    ///   - length: How many bytes the body will have; below 0 where that is not known.
    ///   - request: What is answered.
    /// - Throws: ``TransportError`` where the body is too large, or its file can't be made.
    func begin(_ head: HTTPResponse, _ length: Int64, of request: HTTPRequest) throws {
        answer = head
        expected = length < 0 ? nil : length
        if let path, (200..<300).contains(head.status) {
            file = try PartialFile(beside: path)
            return
        }
        guard request.method != .head, let expected else { return }
        guard expected <= limit else { throw TransportError.answerTooLarge(request) }
        answer?.body.reserveCapacity(Int(min(expected, 1 << 20)))
    }

    /// Takes more of the body.
    func append(_ data: Data, of request: HTTPRequest) throws {
        received += Int64(data.count)
        if let file {
            try file.append(data)
            return progress(TransferProgress(received: received, expected: expected))
        }
        guard received <= limit else { throw TransportError.answerTooLarge(request) }
        answer?.body.append(contentsOf: data)
    }

    /// The whole answer; a file is put in its place.
    func finish(of request: HTTPRequest) throws -> HTTPResponse {
        guard let answer else { throw TransportError.noAnswer(request) }
        try file?.publish()
        return answer
    }
}
