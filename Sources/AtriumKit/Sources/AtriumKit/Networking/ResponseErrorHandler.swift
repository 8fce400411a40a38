/// The error that a server puts into a body, also under status 200: a code that is not 0, and a sentence.
public struct ResponseErrorHandler: ExplainedError, Decodable, Hashable {
    /// The server's sentence.
    public let errorMsg: String
    /// The server's number; 0 is no error.
    public let errorCode: Int
    /// The HTTP status of the answer; nil until it is known.
    public var statusCode: Int?

    public init(errorMsg: String, errorCode: Int, statusCode: Int? = nil) {
        self.errorMsg = errorMsg
        self.errorCode = errorCode
        self.statusCode = statusCode
    }

    public var code: ErrorCode { .serverError }
    public var message: String { errorMsg }
}
