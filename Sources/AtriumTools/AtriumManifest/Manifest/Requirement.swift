/// A module or contract that another one needs.
public struct Requirement: Sendable, Hashable, CustomStringConvertible {
    /// The name in its manifest.
    public let name: String
    /// The versions that satisfy the requirement.
    public let range: VersionRange

    /// For example `Session ^1.0.0`.
    public var description: String { "\(name) \(range)" }
}

extension DocumentReader {
    /// Reads the requirements of a module: version ranges by module name.
    public mutating func requirements(
        _ field: Field?, of module: String, itself: String = "A module can't require itself; remove it."
    ) -> [Requirement] {
        var requirements: [Requirement] = []
        for member in members(field, keys: .moduleName) {
            if member.isKeyValid, member.key == module {
                report(member.field.path, at: member.keyPosition, itself)
            }
            guard let range = text(member.field) else { continue }
            do {
                requirements.append(Requirement(name: member.key, range: try VersionRange(parsing: range)))
            } catch {
                report(member.field, error.message)
            }
        }
        return requirements
    }

    /// Reads the modules that a module uses where they are there; none of them is required too.
    mutating func uses(
        _ field: Field?, of module: String, requiring required: [Requirement]
    ) -> [Requirement] {
        let uses = requirements(field, of: module, itself: "A module can't use itself; remove it.")
        for use in uses where required.contains(where: { $0.name == use.name }) {
            guard let both = field?[use.name] else { continue }
            report(both, "'\(use.name)' is in \"requires\" too; remove it from one of them.")
        }
        return uses
    }

    /// Reads the contracts of a module or of another contract: ranges within one major version, by name.
    mutating func contracts(_ field: Field?, of owner: String) -> [Requirement] {
        let contracts = requirements(
            field, of: owner, itself: "A contract and what is built on it have different names; rename one.")
        for contract in contracts where contract.range.major == nil {
            guard let range = field?[contract.name] else { continue }
            report(
                range,
                "'\(contract.range)' allows several major versions; what is built on a contract is built on "
                    + "one, for example '^1.1'.")
        }
        return contracts
    }
}
