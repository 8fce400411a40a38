import Foundation

/// The numbers that structures decode, found in source text, and the arithmetic on them that could trap.
struct DecodedNumbers {
    struct Member: Hashable {
        let type: String
        let name: String
        /// The name of the file that declares it.
        let file: String
        let limits: Limits
    }

    enum Limits {
        /// A plain number; any sum could overflow.
        case unlimited
        /// A floating-point number, which does not trap.
        case floating
        /// A type whose sums fit; a product could overflow, and 0 be a divisor.
        case sums
        /// The same, from 1.
        case sumsFromOne
    }

    let members: Set<Member>

    init(in files: [SourceText]) {
        let structure = /^( *)(?:\w+ )*struct (\w+)(?:<[^\n{]*>)?: [^{]*\b(?:Deco|Co)dable\b[^{]*\{\n/
            .anchorsMatchLineEndings()
        // The wrapper, the name, and the type, or that of the elements of a list.
        let property = /^( *)(?:@(\w+)\S* )?(?:[\w()]+ )*(?:let|var) (\w+)(?:: \[?(\w+)(?!:))?[^{\n]*$/
            .anchorsMatchLineEndings()
        var members: Set<Member> = []
        for file in files {
            for type in file.text.matches(of: structure) {
                let rest = file.text[type.range.upperBound...]
                let end = rest.firstRange(of: "\n\(type.output.1)}\n")?.lowerBound ?? rest.endIndex
                for found in rest[..<end].matches(of: property)
                where found.output.1.count == type.output.1.count + 4 {
                    let limits = Self.limits(of: found.output.2) ?? Self.limits(of: found.output.4)
                    guard let limits else { continue }
                    members.insert(
                        Member(
                            type: String(type.output.2), name: String(found.output.3), file: file.name,
                            limits: limits))
                }
            }
        }
        self.members = members
    }

    private static func limits(of type: Substring?) -> Limits? {
        switch type {
        case "RowCount", "Bounded": .sums
        case "PageNumber", "PageSize": .sumsFromOne
        case "Double": .floating
        case let type? where type.wholeMatch(of: /U?Int\d*/) != nil: .unlimited
        default: nil
        }
    }

    // MARK: - Arithmetic

    /// The lines that compute with a decoded number by an operator that could trap.
    func plainArithmetic(in files: [SourceText]) throws -> [String] {
        let patterns = try Self.patterns(for: members) { names in
            let value = #"(?:[a-z$][\w$]*[?!]?\.)+"#
            return (#"[\w\])?!]\.(?:\#(names))\)?[?!]?"#, #"\(?\#(value)(?:\#(names))(?![\w(.])"#)
        }
        return try files.flatMap { file -> [String] in
            let own = try Self.patterns(for: members.filter { $0.file == file.name }, Self.plain)
            let read = try Self.unlimitedReads(in: file.text)
            return try file.text.split(separator: "\n").filter { line in
                guard line.contains(#/ [-+*\/%]=? /#), !line.contains("//") else { return false }
                let code = line.replacing(/"[^"]*"/, with: "\"\"")
                return try (patterns + own).contains { try $0.firstMatch(in: code) != nil }
            }.map(String.init) + read
        }
    }

    /// Patterns of an operator behind or before a name.
    private static func patterns(
        for members: Set<Member>, _ sides: (String) -> (left: String, right: String)
    ) throws -> [Regex<AnyRegexOutput>] {
        // Without `count`, which every collection has.
        let kinds: [(Limits, operators: String, divisors: String)] = [
            (.unlimited, "-+*", "/%"), (.sums, "*", "/%"), (.sumsFromOne, "*", ""),
        ]
        return try kinds.compactMap { limits, operators, divisors -> Regex<AnyRegexOutput>? in
            let names = Set(members.filter { $0.limits == limits && $0.name != "count" }.map(\.name))
            guard !names.isEmpty else { return nil }
            let (left, right) = sides(names.sorted().joined(separator: "|"))
            // A sum with a literal text is a text.
            return try Regex(#"\#(left) [\#(operators)]=? (?!")|[\#(operators)\#(divisors)]=? \#(right)"#)
        }
    }

    /// A name alone.
    private static func plain(_ names: String) -> (left: String, right: String) {
        (#"(?:^|[^\w.:$"\\])(?:\#(names))"#, #"(?:\#(names))(?![\w(.:])"#)
    }

    /// Numbers from texts, rows and requests with which the same function computes, without a limit.
    private static func unlimitedReads(in text: String) throws -> [String] {
        let fromText = /let (\w+) = U?Int\d*\((?!\w+: )[^\n]*\)(?:,|\s+else| \{)/
        let fromRow = /let (\w+) = (?:try )?\S+\.(?:value\([^\n]*as: U?Int|number\(")/
        let typed = /let (\w+): U?Int\d*\?? = try \S+\.value\(/
        let reads = [fromText, fromRow, typed].flatMap { text.matches(of: $0) }
        return try reads.compactMap { read -> String? in
            let (range, name) = (read.range, read.output.1)
            let rest = text[range.lowerBound...]
            let function = rest[..<(rest.firstRange(of: "\n    }\n")?.lowerBound ?? rest.endIndex)]
            let (left, right) = plain(String(name))
            let limits = ["contains(\(name))", "\(name) < ", "\(name) <= "]
            let isLimited = limits.contains { function.contains($0) }
            let sum = try Regex(#"\#(left) [-+*]=? (?!")|[-+*/%]=? \#(right)"#)
            return try !isLimited && sum.firstMatch(in: function) != nil ? String(text[range]) : nil
        }
    }
}
