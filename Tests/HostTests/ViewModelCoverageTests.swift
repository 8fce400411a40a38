import Foundation
import Testing

/// The tests of each view model of the bundled modules: of success, of errors, and of edge cases.
///
/// Those of Entities are the kit's view models of records, under the names of its tests.
@Suite struct ViewModelCoverageTests {
    /// The tests of one view model, each as `Suite.function` of its module's tests.
    struct Coverage: Sendable, CustomTestStringConvertible {
        let module: String
        let viewModel: String
        let success: [String]
        let errors: [String]
        let edges: [String]

        var testDescription: String { "\(module).\(viewModel)" }
    }

    static let all = [
        Coverage(
            module: "Entities", viewModel: "EntityListViewModel",
            success: [
                "EntityListViewModelTests.page", "EntityListViewModelTests.create",
                "EntityListScreenTests.more", "EntityListResultsTests.created",
                "EntityListResultsTests.filter", "EntityDeletionsTests.all",
            ],
            errors: [
                "EntityListViewModelTests.failure", "EntityListViewModelTests.invalidCreate",
                "EntityListResultsTests.filterFails", "EntityDeletionsTests.some",
            ],
            edges: [
                "EntityListViewModelTests.empty", "EntityListViewModelTests.previousFromPastEnd",
                "EntityListViewModelTests.savedState", "EntityListRoomTests.resized",
                "EntityDeletionsTests.cancelled",
            ]),
        Coverage(
            module: "Entities", viewModel: "EntityDetailViewModel",
            success: ["shown", "update", "delete"].map { "EntityDetailViewModelTests.\($0)" },
            errors: ["notFound", "invalidUpdate", "failures"].map { "EntityDetailViewModelTests.\($0)" },
            edges: ["EntityDetailViewModelTests.updateNothing", "EntityListScreenTests.stale"]),
        Coverage(
            module: "Entities", viewModel: "NewEntityViewModel",
            success: ["set", "save", "reset", "chooseCategory"].map { "NewEntityViewModelTests.\($0)" },
            errors: ["refusedValue", "saveEmpty", "failedSave"].map { "NewEntityViewModelTests.\($0)" },
            edges: ["doubleSave", "savedState", "receiveWrong"].map { "NewEntityViewModelTests.\($0)" }),
        Coverage(
            module: "Entities", viewModel: "CategoryPickerViewModel",
            success: ["listed", "chosen"].map { "CategoryPickerViewModelTests.\($0)" },
            errors: ["notACategory", "failures"].map { "CategoryPickerViewModelTests.\($0)" },
            edges: ["empty", "unlisted", "offline"].map { "CategoryPickerViewModelTests.\($0)" }),
        Coverage(
            module: "Session", viewModel: "SessionViewModel",
            success: [
                "SessionViewModelTests.signIn", "SessionViewModelTests.signUp", "SessionEndingTests.reset",
            ],
            errors: [
                "SessionViewModelTests.wrongPassword", "SessionViewModelTests.emailTaken",
                "SignOutStackTests.failure", "SessionEndingTests.failedReset",
            ],
            edges: ["guest", "signOut", "expired"].map { "SessionViewModelTests.\($0)" }),
        Coverage(
            module: "Records", viewModel: "RecordChoiceViewModel",
            success: ["RecordReferenceTests.form"], errors: ["RecordReferenceTests.unknownChoices"],
            edges: ["RecordReferenceTests.choices"]),
        Coverage(
            module: "Session", viewModel: "SignInViewModel",
            success: ["signIn", "signUp"].map { "SignInViewModelTests.\($0)" },
            errors: ["wrong", "unavailable"].map { "SignInViewModelTests.\($0)" },
            edges: ["signedIn", "expired"].map { "SignInViewModelTests.\($0)" }),
        Coverage(
            module: "Session", viewModel: "SignUpViewModel",
            success: ["wholeWay", "resumed"].map { "SignUpFlowTests.\($0)" },
            errors: ["invalid", "refused", "otherError"].map { "SignUpFlowTests.\($0)" },
            edges: ["noForm", "changedPerson", "expired"].map { "SignUpFlowTests.\($0)" }),
        Coverage(
            module: "UserProfile", viewModel: "ProfileViewModel",
            success: ["complete", "edit"].map { "ProfileViewModelTests.\($0)" },
            errors: ["nobody", "failure"].map { "ProfileViewModelTests.\($0)" },
            edges: ["empty", "endedMeanwhile", "anotherPerson"].map { "ProfileViewModelTests.\($0)" }),
        Coverage(
            module: "UserProfile", viewModel: "NotificationsViewModel",
            success: ["ProfileViewModelTests.notificationList"],
            errors: ["ProfileViewModelTests.notificationFailure"],
            edges: ["ProfileViewModelTests.notificationsOfAnother"]),
        Coverage(
            module: "UserProfile", viewModel: "ProfileEditViewModel",
            success: ["ProfileEditViewModelTests.submit", "ProfileEditViewModelTests.reset"],
            errors: [
                "ProfileEditViewModelTests.refusedValue", "ProfileEditViewModelTests.failedSubmission",
                "ProfileSavingTests.failed",
            ],
            edges: [
                "ProfileSavingTests.twice", "ProfileFormOwnerTests.changedWhileSubmitting",
                "ProfileConflictTests.sameField",
            ]),
        Coverage(
            module: "UserProfile", viewModel: "ProfilesViewModel",
            success: ["profiles", "injected"].map { "UserDirectoryTests.\($0)" },
            errors: ["guest", "partialFailure"].map { "UserDirectoryTests.\($0)" },
            edges: ["UserDirectoryTests.tooMany"]),
        Coverage(
            module: "UserProfile", viewModel: "UserViewModel",
            success: ["UserDirectoryTests.person"], errors: ["UserDirectoryTests.unknownPerson"],
            edges: ["UserDirectoryTests.withoutProfile"]),
    ]

    @Test("Every view model of the modules is listed")
    func complete() throws {
        let modules = try ["Entities", "Session", "UserProfile"].flatMap { module in
            try viewModels(in: "Plugins/\(module)").map { "\(module).\($0)" }
        }
        let names = try SourceText.files(in: "Tests/EntitiesTests/Support").flatMap { file in
            file.text.matches(of: /typealias (\w+) = (\w+)<Entity>/).map { ($0.output.2, $0.output.1) }
        }
        let aliases = Dictionary(uniqueKeysWithValues: names)
        // Entities uses all but one of them.
        let records = try viewModels(in: "Sources/AtriumKit/Sources/AtriumKit/Records").map { name in
            aliases[name].map { "Entities.\($0)" } ?? "Records.\(name)"
        }
        let declared = modules + records

        #expect(Set(declared).symmetricDifference(Self.all.map(\.testDescription)) == [])
    }

    private func viewModels(in folder: String) throws -> [Substring] {
        try SourceText.files(in: folder).flatMap { file in
            file.text.matches(of: /class (\w+)(?:<.*>)?: (?:\w+, )*ViewModel\b/).map(\.output.1)
        }
    }

    @Test("A view model has tests of success, of errors and of edge cases, which exist", arguments: all)
    func covered(_ coverage: Coverage) throws {
        let files = try SourceText.files(in: "Tests/\(coverage.module)Tests")

        for (kind, names) in [
            ("success", coverage.success), ("errors", coverage.errors), ("edge cases", coverage.edges),
        ] {
            #expect(!names.isEmpty, "\(coverage.viewModel) has no test of \(kind).")
            for name in names {
                let file = files.first { $0.hasTest(name) }
                #expect(file != nil, "There is no test '\(name)'.")
                #expect(
                    file?.text.contains(coverage.viewModel) != false,
                    "'\(name)' has no \(coverage.viewModel).")
            }
        }
    }

    @Test("No test stands for two kinds")
    func distinct() {
        for coverage in Self.all {
            let names = coverage.success + coverage.errors + coverage.edges
            #expect(Set(names).count == names.count, "\(coverage.viewModel)")
        }
    }
}

/// A Swift file of the project.
struct SourceText {
    let name: String
    let text: String

    static func files(in folder: String) throws -> [SourceText] {
        let folder = Project.root.appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }
            .map { name in
                SourceText(
                    name: name, text: try String(contentsOf: folder.appending(path: name), encoding: .utf8))
            }
    }

    /// Whether the file has a test, given as `Suite.function`.
    func hasTest(_ name: String) -> Bool {
        let parts = name.split(separator: ".")
        let openings = ["struct", "final class", "extension"].map { "\n\($0) \(parts[0]) {" }
        return openings.flatMap { text.ranges(of: $0) }.contains { opening in
            let suite = text[opening.upperBound...]
            let end = suite.range(of: "\n}\n")?.lowerBound ?? suite.endIndex
            // From the attribute of a test to its function there is no empty line.
            return suite[..<end].components(separatedBy: "\n\n").contains {
                $0.contains("@Test") && $0.contains("func \(parts[1])(")
            }
        }
    }
}
