import AtriumKit
import Foundation
import Testing

@Suite("Errors in the body of a response")
struct ResponseErrorHandlerTests {
    private func decode(_ body: String) throws -> ResponseErrorHandler {
        try JSONDecoder().decode(ResponseErrorHandler.self, from: Data(body.utf8))
    }

    @Test("An error is decoded with its message and code, and its status if there is one")
    func decoding() throws {
        #expect(
            try decode(#"{"errorCode": 7, "errorMsg": "Closed.", "more": 1}"#)
                == ResponseErrorHandler(errorMsg: "Closed.", errorCode: 7))
        #expect(try decode(#"{"errorCode": 7, "errorMsg": "Closed.", "statusCode": 409}"#).statusCode == 409)
    }

    @Test(
        "A body without message or error code can't be decoded", arguments: ["errorCode", "errorMsg"])
    func incomplete(_ missing: String) {
        let members = ["errorCode": "7", "errorMsg": #""Closed.""#].filter { $0.key != missing }
        let body = "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined() + "}"

        #expect {
            try decode(body)
        } throws: { error in
            guard case DecodingError.keyNotFound(let key, _)? = error as? DecodingError else { return false }
            return key.stringValue == missing
        }
    }

    @Test("The message of the error is the server's")
    func explained() {
        let error: any ExplainedError = ResponseErrorHandler(errorMsg: "Closed.", errorCode: 7)

        #expect(error.message == "Closed.")
        #expect(error.code == .serverError)
    }
}
