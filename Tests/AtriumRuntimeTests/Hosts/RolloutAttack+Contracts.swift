@_spi(Host) import AtriumKit
import AtriumTesting
import TestSupport

@testable import AtriumHosts
@testable import AtriumLibraries

/// The rows of contracts, which come with a module.
extension RolloutAttack {
    /// A valid rollout of a module that needs Payments ^1.1, changed by a statement.
    private static func contract(
        _ name: String, _ reason: String, _ statement: String? = nil,
        _ make: @escaping @MainActor @Sendable (MinisignSecretKey) throws -> SharedLibrary.Contract = {
            try RolloutBench.contract("1.1.0", $0)
        }
    ) -> RolloutAttack {
        RolloutAttack(name, reason) { bench in
            let next = try RolloutBench.library(
                "Notes", "1.1.0", bench.key, needing: "^1.1", [make(bench.key)])
            try await bench.insert(next, bench.order(next))
            if let statement { try await bench.sql(statement) }
        }
    }

    static let contracts = [
        contract(
            "an unsigned contract", "it has no minisign signature",
            "UPDATE library_contracts SET signature = ''"),
        contract(
            "a changed contract", "A contract of module 'Notes' in the database is refused: its digest is",
            "UPDATE library_contracts SET bytes = set_byte(bytes, 70, (get_byte(bytes, 70) + 1) % 256)"),
        contract(
            "a contract signed by another key", "trusts C27FA0C60FD59F3C",
            "UPDATE library_contracts SET signature = convert_to('\(Recorded.byOtherKey)', 'UTF8')"),
        contract(
            "a contract with the signature of the library", "it or its signature was changed",
            "UPDATE library_contracts SET signature = (SELECT signature FROM libraries)"),
        contract(
            "a contract without a row", "does not have the contract", "DELETE FROM library_contracts"),
        contract(
            "a row of another contract", "its row does not match its manifest",
            "UPDATE library_contracts SET name = '../../libPayments.so.1'"),
        contract(
            "a row of another version of a contract", "its row does not match its manifest",
            "UPDATE library_contracts SET version = '1.2.0'"),
        contract(
            "a row of a contract that can't be read", "its row can't be read",
            "UPDATE library_contracts SET version = 'x'"),
        contract(
            "another contract under a valid order",
            "it is Other 1.1.0, but no contract of this name is needed"
        ) { try RolloutBench.contract("1.1.0", $0, name: "Other") },
        contract(
            "another version of a contract under a valid order",
            "it is Payments 1.0.0, but Payments ^1.1 is needed"
        ) { try RolloutBench.contract("1.0.0", $0) },
        contract(
            "another major version of a contract under a valid order",
            "it is Payments 2.0.0, but no contract of this name is needed"
        ) { try RolloutBench.contract("2.0.0", $0) },
        contract("a contract for another machine under a valid order", "a library for another machine") {
            try RolloutBench.contract("1.1.0", $0, machine: [243, 0])
        },
        contract("no contract at all under a valid order", "has no contract.json in it") { key in
            let (bytes, contract) = (ELFImage([]).bytes, try RolloutBench.contract("1.1.0", key))
            return SharedLibrary.Contract(
                digest: ContentDigest(of: bytes).description, name: contract.name,
                version: contract.version, bytes: bytes,
                signature: Array(key.signature(of: bytes, comment: "").utf8))
        },
    ]

    static let editedContracts = [
        contract(
            "edited order: contracts", "its order or its signature was changed after it was signed",
            #"UPDATE rollouts SET "order" = replace("order", '"contracts":["', '"contracts":["0')"#)
    ]
}
