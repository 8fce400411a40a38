import AtriumKit
import AtriumTesting
import Foundation
import TestSupport
import Testing

@testable import AtriumNetworking

/// Gives the client every number that an answer can have, in its fields and its body, at its bounds.
///
/// The variable ATRIUM_NUMBERS has the number of cases.
@Suite("Numbers of answers at their bounds")
struct AnswerNumberTests {
    private static let cases =
        ProcessInfo.processInfo.environment["ATRIUM_NUMBERS"].flatMap { Int($0) } ?? 4_000

    private static let bounds = [
        "-9223372036854775808", "-1", "0", "1", "60", "2147483648", "1000000000000", "9007199254740993",
        "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e18", "1e30", "1e400", "-0",
        "0.5", String(repeating: "9", count: 40),
    ]

    @Test("None traps: each call ends with an answer or an error that says why")
    func calls() async throws {
        var numbers = SeededGenerator(seed: 35)
        var answered = 0
        for number in 0..<Self.cases {
            let responses = (0..<3).map { _ in Self.response(using: &numbers) }
            let turns = Turns(responses.map { .success($0) } + [.success(.row)])
            let client = try TestClient(
                tokens: .sample(expiresAt: Timestamp(microseconds: 0)), random: numbers.next()
            ) { _ in try turns.next() }

            for _ in 0..<2 {
                do {
                    _ = try await client.manager.request(.row(1))
                    answered += 1
                } catch {
                    try #require(error is APIError, "case \(number): \(error)")
                }
            }
        }
        #expect(answered > 0)
    }

    private static func response(using numbers: inout SeededGenerator) -> HTTPResponse {
        func number() -> String { bounds.randomElement(using: &numbers) ?? "0" }
        let body = [
            #"{"id": \#(number()), "name": "Ada"}"#, #"{"id": 1, "name": "Ada"}"#,
            #"{"errorCode": \#(number()), "errorMsg": "No."}"#,
            #"{"access_token": "a", "token_type": "Bearer", "expires_in": \#(number()), "#
                + #""refresh_token": "r", "refresh_expires_in": \#(number())}"#,
            #"{"status": \#(number()), "errors": [{"field": "name", "line": \#(number()), "detail": "No."}]}"#,
        ].randomElement(using: &numbers)
        let isProblem = Bool.random(using: &numbers)
        var fields: HTTPFields = [
            "Content-Type": isProblem ? "application/problem+json" : "application/json"
        ]
        for name in ["Retry-After", "Age", "Content-Length", "Date"] where Bool.random(using: &numbers) {
            fields.append(name, number())
        }
        fields.append("Cache-Control", "max-age=\(number()), stale-while-revalidate=\(number())")
        fields.append("ETag", "\"\(number())\"")
        let status = [200, 200, 200, 304, 401, 422, 429, 503].randomElement(using: &numbers) ?? 200
        return HTTPResponse(status: status, fields: fields, body: Array((body ?? "").utf8))
    }
}
