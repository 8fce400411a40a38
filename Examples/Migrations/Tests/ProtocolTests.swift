import AtriumKit
import AtriumTesting
import Testing

@testable import ProtocolAfter
@testable import ProtocolBefore

@Suite("Migration 3: a concrete service becomes a protocol with a mock") @MainActor
struct ProtocolTests {
    @Test("The service does in a database what it did before")
    func database() async throws {
        let database = try TestDatabase(ProtocolAfter.MemberModule.self)
        let old = ProtocolBefore.MemberService(database: database)
        let new = LocalMemberService(database: database)

        try await old.submit(ProtocolBefore.Member(firstName: "Ada", lastName: "Lovelace", age: 36))
        let read = try await new.member()
        try await new.submit(ProtocolAfter.Member(firstName: "Grace", lastName: "Hopper", age: 85))

        #expect(read == ProtocolAfter.Member(firstName: "Ada", lastName: "Lovelace", age: 36))
        #expect(try await old.member()?.firstName == "Grace")
    }

    @Test("Another service takes its place, also one that fails")
    func replaced() async throws {
        let container = try TestContainer(ProtocolAfter.MemberModule.self)
        try container.override((any ProtocolAfter.MemberService).self) { FullMemberService() }
        let viewModel = try container.viewModel(ProtocolAfter.MemberViewModel.self)

        let error = await #expect(throws: ServiceError.self) {
            try await viewModel.submit(ProtocolAfter.Member(firstName: "Ada", lastName: "Lovelace", age: 36))
        }

        #expect(error?.message == "The club is full.")
        #expect(viewModel.member == nil)
    }

    @Test("The mock plays scenarios")
    func scenario() async throws {
        let container = try TestContainer(ProtocolAfter.MemberModule.self)
        let repository = try container.repository(ProtocolAfter.MemberRepository.self)

        let usual = try await repository.member()
        container.mock("MemberService")?.scenario = MockScenario(.error)
        let error = await #expect(throws: ServiceError.self) { try await repository.member() }

        #expect(usual?.lastName == "Shelley")
        #expect(error?.hint == "mock set MemberService success")
    }
}

private struct FullMemberService: ProtocolAfter.MemberService {
    func member() async throws -> ProtocolAfter.Member? { nil }
    func submit(_ member: ProtocolAfter.Member) async throws {
        throw ServiceError("full", "The club is full.")
    }
}
