internal import AtriumKit
internal import FoundationEssentials

/// Makes the value of an endpoint from the body of its answer.
enum AnswerDecoder {
    private static let decoder = JSONDecoder()

    /// - Throws: ``APIError`` with code `invalidResponse` where the body is something else than `Answer`.
    static func decode<Answer: Decodable>(
        _ type: Answer.Type, from response: HTTPResponse, _ plan: RequestPlan
    ) throws -> Answer {
        if Answer.self == NoAnswer.self, let nothing = NoAnswer() as? Answer { return nothing }
        guard !response.body.isEmpty else { throw APIErrors.empty(plan.name, status: response.status) }
        if let type = MediaType(response.fields), !type.isJSON {
            throw APIErrors.wrongType(plan.name, type.name, status: response.status)
        }
        do {
            return try decoder.decode(Answer.self, from: Data(response.body))
        } catch {
            let what = DecodingProblem.sentence(error)
            throw APIErrors.undecodable(plan.name, what, status: response.status)
        }
    }
}
