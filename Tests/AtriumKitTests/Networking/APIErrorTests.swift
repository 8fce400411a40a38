import AtriumKit
import Testing

@Suite("API errors")
struct APIErrorTests {
    @Test("Each kind of error has a code and a message, and some have a hint")
    func kinds() {
        let errors = [
            APIError.invalidURL("ftp://a"), .invalidResponse("It is no JSON.", status: 200),
            .requestFailed(.timedOut, "No answer came."),
            .requestFailed(.requestFailed, "It failed.", hint: "links"),
            .serverError(code: 7, message: "Closed.", status: 409), .notAuthenticated("Sign in first."),
            .noServer,
        ]

        #expect(
            errors.map { "\($0.code): \($0.message)" } == [
                "invalidURL: 'ftp://a' is not the URL of a server.", "invalidResponse: It is no JSON.",
                "timedOut: No answer came.", "requestFailed: It failed.", "serverError: Closed.",
                "notAuthenticated: Sign in first.",
                "noServer: No server is configured for environment live.",
            ])
        #expect(
            errors.map { $0.hint?.split(separator: " ").first } == [
                "Set", "api", nil, "links", nil, "session", "Set",
            ])
    }

    @Test(
        "The server's error code is separate from the status, and nil if they are equal",
        arguments: [(7, 7), (409, nil)])
    func errorCode(_ code: Int, _ kept: Int?) {
        let error = APIError.serverError(code: code, message: "Closed.", status: 409)

        #expect(error.status == 409)
        #expect(error.errorCode == kept)
    }

    @Test("Only a server that does not answer, or is temporarily unavailable, counts as offline")
    func offline() {
        for code in [ErrorCode.serverUnreachable, .connectionLost, .timedOut] {
            #expect(APIError.requestFailed(code, "x").isOffline)
        }
        let offline = [200, 401, 404, 409, 422, 429, 500, 502, 503, 504].filter { status in
            APIError.serverError(code: status, message: "x", status: status).isOffline
        }
        #expect(offline == [502, 503, 504])
        #expect(!APIError.invalidResponse("x", status: 200).isOffline)
        #expect(!APIError.requestFailed(.tlsRefused, "x").isOffline)
        #expect(!APIError.notAuthenticated("x").isOffline)
    }
}
