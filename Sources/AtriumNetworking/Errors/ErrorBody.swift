internal import AtriumKit
internal import FoundationEssentials

/// What the body of an answer says about what is wrong, in any of the forms that servers have for it.
struct ErrorBody {
    /// Described as RFC 9457 asks for.
    let problem: ProblemDetails?
    /// Described by a number and a sentence.
    let handler: ResponseErrorHandler?
    /// The name of an OAuth error (RFC 6749, 5.2; RFC 6750, 3.1).
    let oauth: String?
    private let description: String?

    init(_ response: HTTPResponse, redact: Redactor) {
        let data = Data(response.body)
        let isProblem = MediaType(response.fields)?.isProblem ?? false
        problem = isProblem ? Self.problem(data)?.redacted(redact) : nil
        handler = ErrorCodeBody.handler(response)?.redacted(redact)
        let body = try? JSONDecoder().decode(OAuthBody.self, from: data)
        oauth = body?.error.flatMap { $0.utf8.count <= 60 ? redact($0) : nil }
        description = redact(body?.errorDescription)
    }

    /// What is wrong, as a sentence of the server; nil where it says none.
    var sentence: String? {
        let said = problem?.detail ?? problem?.title ?? handler?.errorMsg ?? description ?? oauth
        guard let said, !said.isEmpty else { return nil }
        return APIErrors.sentence(said)
    }

    private static func problem(_ data: Data) -> ProblemDetails? {
        try? JSONDecoder().decode(ProblemDetails.self, from: data)
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
