import Foundation
import Testing

/// Gives the built host contracts, and modules over them, of `Tests/Fixtures/Contracts`.
@Suite("Contracts that modules share")
final class ContractTests {
    private let folder: URL

    init() throws {
        folder = try Project.temporaryFolder()
    }

    deinit {
        Project.remove(folder)
    }

    /// Builds contracts and modules into the folder of the test.
    private func build(_ names: String..., options: [String] = []) throws {
        for name in names {
            let run = try ProgramRun.run(
                Project.root.appending(path: "Tests/Transcripts/contract").path,
                [name, folder.path] + options)
            try #require(run.status == 0, "\(run.output)")
        }
    }

    private func library(_ name: String) -> URL { folder.appending(path: "lib\(name)") }

    /// Replaces bytes of a library by as many others.
    private func patch(_ name: String, _ old: String, _ new: String) throws {
        try #require(old.utf8.count == new.utf8.count)
        var data = try Data(contentsOf: library(name))
        let range = try #require(data.range(of: Data(old.utf8)), "'\(old)' is not in \(name)")
        data.replaceSubrange(range, with: Data(new.utf8))
        try data.write(to: library(name))
    }

    private func add(_ modules: String..., then lines: [String] = [], options: [String] = []) throws
        -> HostRun
    {
        let additions = modules.map { "module add '\(library($0 + ".so").path)'" }
        return try HostSite(environment: "mock").run(additions + lines, options: options)
    }

    @Test("Modules built on 1.0 and on 1.1 share the service of one type, and a layer gets what it may use")
    func shared() throws {
        try build("payments-1.1", "till", "fines-1.1")

        let run = try add("Till", "Fines", then: ["fines", "module Fines", "verify"])

        try #require(run.replies.count == 5 && run.replies.allSatisfy(\.isOK), "\(run.replies.map(\.text))")
        #expect(run.replies[2]["payments"] == "1: 250, 2: 100" && run.replies[2]["total"] == "350")
        let contract = run.replies[3].rows("contracts").first
        #expect(contract?["version"] as? String == "1.1.0" && contract?["range"] as? String == "^1.1")
    }

    @Test("Two major versions stand side by side")
    func majors() throws {
        try build("payments-1.0", "payments-2.0", "till", "fines-1.0", "receipts")

        let run = try add("Till", "Fines", "Receipts", then: ["fines", "receipts"])

        try #require(run.replies.count == 5 && run.replies.allSatisfy(\.isOK), "\(run.replies.map(\.text))")
        #expect(run.replies[3]["total"] == "350" && run.replies[4]["payments"] == "Ada: 250")
    }

    @Test("A contract that another one is built on is opened before it")
    func nested() throws {
        try build("payments-1.0", "ledger", "audit")

        let run = try add("Audit", then: ["modules"])

        #expect(run.replies.last?.state(of: "Audit") == "active", "\(run.replies.map(\.text))")
    }

    /// A contract or a module over it that is refused.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var module = "Till"
        let code: String
        let words: String
        let make: @Sendable (ContractTests) throws -> Void
    }

    static let faults = [
        Fault(
            testDescription: "missing", code: "contractMissing",
            words: "Module 'Till' needs the contract Payments ^1.0, and there is no 'libPayments.so.1' or"
        ) { try $0.build("till") },
        Fault(
            testDescription: "without evolution", code: "contractRefused",
            words: "was not built with library evolution as the Swift module 'Payments'"
        ) {
            try $0.build("till")
            try $0.build("payments-1.0", options: ["--without-evolution"])
        },
        Fault(
            testDescription: "wrong SONAME", code: "contractRefused",
            words: "holds contract 'Payments' 1.0.0, but its SONAME is 'libPayments.so'."
        ) {
            try $0.build("till")
            try $0.build("payments-1.0", options: ["-Xlinker", "-soname=libPayments.so"])
        },
        Fault(
            testDescription: "another major than the module is linked with", code: "incompatible",
            words: "Module 'Till' names the contract Payments ^2.0, but is linked with 'libPayments.so.1'."
        ) {
            try $0.build("till", "payments-1.0", "payments-2.0")
            try $0.patch("Till.so", #""Payments":"^1.0""#, #""Payments":"^2.0""#)
        },
        Fault(
            testDescription: "another compiler", code: "contractRefused",
            words: "Contract 'Payments' was built by Swift 5."
        ) {
            try $0.build("till", "payments-1.0")
            try $0.patch("Payments.so.1", #""compiler":"6"#, #""compiler":"5"#)
        },
        Fault(
            testDescription: "writable by others", code: "contractRefused",
            words: "libPayments.so.1' can be changed by every user."
        ) {
            try $0.build("till", "payments-1.0")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o666], ofItemAtPath: $0.library("Payments.so.1").path)
        },
        Fault(
            testDescription: "no library", code: "contractRefused", words: "it is not an ELF file"
        ) {
            try $0.build("till")
            try Data("no library".utf8).write(to: $0.library("Payments.so.1"))
        },
        Fault(
            testDescription: "no contract.json", code: "contractRefused",
            words: "has no contract.json in it, so it is not a contract."
        ) {
            try $0.build("till")
            try FileManager.default.moveItem(at: $0.library("Till.so"), to: $0.library("Payments.so.1"))
            try $0.build("till")
        },
        Fault(
            testDescription: "older than the module needs", module: "Fines", code: "contractMissing",
            words: "Module 'Fines' needs the contract Payments ^1.1, and '"
        ) { try $0.build("fines-1.1", "payments-1.0") },
        Fault(
            testDescription: "without a symbol that the module needs", module: "Fines", code: "incompatible",
            words:
                "Module 'Fines' needs 'Payments.PaymentService.total() -> Swift.Int', which Payments 1.0.0 at '"
        ) {
            try $0.build("fines-1.1", "payments-1.0")
            try $0.patch("Fines.so", #""Payments":"^1.1""#, #""Payments":"^1.0""#)
        },
        Fault(
            testDescription: "needs a contract that is not there", module: "Audit", code: "contractMissing",
            words: "Contract 'Ledger' needs the contract Payments ^1.0, and there is no 'libPayments.so.1' or"
        ) { try $0.build("audit", "ledger") },
        Fault(
            testDescription: "taken for a module", module: "Payments", code: "isContract",
            words: "is a contract, which is opened with the modules that are built on it."
        ) {
            try $0.build("payments-1.0")
            try FileManager.default.moveItem(
                at: $0.library("Payments.so.1"), to: $0.library("Payments.so"))
        },
    ]

    @Test(
        "A bad contract is refused in words before any code runs, and everything stays as it was",
        arguments: faults)
    func refused(_ fault: Fault) throws {
        try fault.make(self)
        let isOfFines = fault.code == "incompatible" && fault.module == "Fines"
        if isOfFines { try build("till") }

        let run =
            isOfFines
            ? try add("Till", fault.module, then: ["modules"]) : try add(fault.module, then: ["modules"])

        let reply = try #require(run.replies.dropLast().last, "\(run.errors)")
        #expect(reply.code == fault.code, "\(reply.text)")
        #expect(reply.message.contains(fault.words), "\(reply.text)")
        #expect(run.replies.last?.state(of: fault.module) == nil)
        #expect(run.replies.last?.state(of: "Session") == "active")
    }
}
