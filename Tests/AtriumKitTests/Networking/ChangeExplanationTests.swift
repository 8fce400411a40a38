@_spi(Host) import AtriumKit
import Testing

@Suite("Explaining a change that failed")
struct ChangeExplanationTests {
    private func failure(_ cause: any Error) async -> (any ExplainedError)? {
        let error = await #expect(throws: (any Error).self) {
            try await ServiceError.explaining(
                "The lamp could not be sold", ifUnknown: "the lamp was sold", hint: "lamps"
            ) { throw cause }
        }
        return error as? any ExplainedError
    }

    @Test("A lost answer and a cancellation leave open whether the change was made")
    func unknown() async {
        let lost = await failure(APIError(.connectionLost, "POST lamps failed."))
        let cancelled = await failure(CancellationError())

        #expect(lost?.code == .unknownOutcome && cancelled?.code == .unknownOutcome)
        #expect(lost?.message == "It is not known whether the lamp was sold: the server's answer was lost.")
        #expect(lost?.hint == "lamps" && lost?.category == .failure)
        #expect(lost?.cause?.apiError?.code == .connectionLost)
        #expect(cancelled?.category == .cancelled)
    }

    @Test("A change that was certainly not made is explained like any other failure")
    func notMade() async {
        let refused = await failure(APIError(.serverError, "The lamp is dark.", status: 409))
        let own = await failure(ServiceError.notAuthenticated)

        #expect(refused?.message == "The lamp could not be sold: The lamp is dark.")
        #expect((own as? ServiceError) == .notAuthenticated)
    }

    @Test("A change that succeeds returns its value")
    func made() async throws {
        let value = try await ServiceError.explaining("It failed", ifUnknown: "it was made", hint: "") { 1 }

        #expect(value == 1)
    }
}
