import AtriumKit
import Foundation
import Testing

@Suite("The error that a server puts into a body")
struct ResponseErrorHandlerTests {
    private func decode(_ body: String) throws -> ResponseErrorHandler {
        try JSONDecoder().decode(ResponseErrorHandler.self, from: Data(body.utf8))
    }

    @Test("It is read with its sentence and its number, with the status where that is told")
    func decoding() throws {
        #expect(
            try decode(#"{"errorCode": 7, "errorMsg": "Closed.", "more": 1}"#)
                == ResponseErrorHandler(errorMsg: "Closed.", errorCode: 7))
        #expect(try decode(#"{"errorCode": 7, "errorMsg": "Closed.", "statusCode": 409}"#).statusCode == 409)
    }

    @Test(
        "A body without its sentence or its number is none", arguments: ["errorCode", "errorMsg"])
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

    @Test("The person reads the server's sentence")
    func explained() {
        let error: any ExplainedError = ResponseErrorHandler(errorMsg: "Closed.", errorCode: 7)

        #expect(error.message == "Closed.")
        #expect(error.code == .serverError)
    }
}
