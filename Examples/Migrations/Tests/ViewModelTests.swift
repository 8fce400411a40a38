import AtriumKit
import AtriumTesting
import Testing

@testable import ViewModelAfter
@testable import ViewModelBefore

@Suite("Migration 1: a view over a repository gets a view model") @MainActor
struct ViewModelTests {
    @Test("Old and new do the same", arguments: Form.allCases)
    func parallel(_ form: Form) async throws {
        let host = try await TestHost(form.module)

        let empty = try await host.run("open member")
        let submitted = try await host.run("submit Ada Lovelace 36")
        let unnamed = await #expect(throws: ServiceError.self) { try await host.run("submit '' King 36") }
        let young = await #expect(throws: ServiceError.self) { try await host.run("submit Ada King 17") }

        #expect(empty.text().contains("Nobody signed up yet."))
        #expect(submitted.message == "Submitted Ada Lovelace.")
        #expect(unnamed?.message == "The first name is missing.")
        #expect(young?.message == "Members are at least 18 years old.")
        #expect(try await host.run("member").text().contains("Lovelace"))
    }

    @Test("The view model applies the rules of fields before the repository is asked")
    func fields() async throws {
        let repository = ViewModelAfter.MemberRepository()
        let viewModel = ViewModelAfter.MemberViewModel(repository: repository)

        await #expect(throws: ValidationError.self) {
            try await viewModel.submit(ViewModelAfter.Member(firstName: "", lastName: "King", age: 36))
        }

        #expect(repository.latest == nil)
        #expect(viewModel.member == nil)
    }

    @Test("A refused member is not shown, and submitting has ended")
    func refused() async throws {
        let viewModel = ViewModelAfter.MemberViewModel(repository: ViewModelAfter.MemberRepository())

        await #expect(throws: ServiceError.self) {
            try await viewModel.submit(ViewModelAfter.Member(firstName: "Ada", lastName: "King", age: 17))
        }

        #expect(viewModel.member == nil)
        #expect(!viewModel.isSubmitting)
    }
}

enum Form: CaseIterable {
    case before, after

    var module: any FeatureModule.Type {
        switch self {
        case .before: ViewModelBefore.MemberModule.self
        case .after: ViewModelAfter.MemberModule.self
        }
    }
}
