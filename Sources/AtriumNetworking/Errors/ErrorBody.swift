internal import AtriumKit
internal import FoundationEssentials
internal import Glibc

/// The error description in the body of a response, in any form that servers use.
struct ErrorBody {
    /// RFC 9457.
    let problem: ProblemDetails?
    let handler: ResponseErrorHandler?
    /// The name of an OAuth error (RFC 6749, 5.2; RFC 6750, 3.1).
    let oauth: String?
    private let description: String?

    init(_ response: HTTPResponse, redact: Redactor) {
        let data = Data(response.body)
        let isProblem = MediaType(response.fields)?.isProblem ?? false
        let problem = isProblem ? try? JSONDecoder().decode(ProblemDetails.self, from: data) : nil
        self.problem = problem?.redacted(redact)
        handler = ErrorCodeBody.handler(response)?.redacted(redact)
        let body = try? JSONDecoder().decode(OAuthBody.self, from: data)
        oauth = body?.error.flatMap { $0.utf8.count <= 60 ? redact($0) : nil }
        description = redact(body?.errorDescription)
    }

    /// The server's sentence, if there is one.
    var sentence: String? {
        let said = problem?.detail ?? problem?.title ?? handler?.errorMsg ?? description ?? oauth
        guard let said, !said.isEmpty else { return nil }
        return APIErrors.sentence(said)
    }

    private struct OAuthBody: Decodable {
        let error: String?
        let errorDescription: String?

        private enum CodingKeys: String, CodingKey {
            case error
            case errorDescription = "error_description"
        }
    }
}

/// Bodies with a member `errorCode` that is not 0: errors with any status.
enum ErrorCodeBody {
    private struct Body: Decodable {
        let errorCode: Int
        let errorMsg: String?
    }

    static func handler(_ response: HTTPResponse) -> ResponseErrorHandler? {
        // Every response passes here: most have no such member and need no second decoding.
        guard mentionsCode(response.body),
            let body = try? JSONDecoder().decode(Body.self, from: Data(response.body)), body.errorCode != 0
        else { return nil }
        return ResponseErrorHandler(
            errorMsg: body.errorMsg ?? "", errorCode: body.errorCode, statusCode: response.status)
    }

    /// Searches for the C, which is rarer than the other letters.
    private static func mentionsCode(_ body: [UInt8]) -> Bool {
        let name = Array("\"errorCode\"".utf8)
        let offset = 6
        return body.withUnsafeBytes { bytes in
            var start = offset
            while start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(UInt8(ascii: "C")), bytes.count - start)
            {
                let index = base.distance(to: UnsafeRawPointer(found))
                if bytes[(index - offset)...].starts(with: name) { return true }
                start = index + 1
            }
            return false
        }
    }
}
