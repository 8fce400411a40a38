internal import Foundation

/// Values of a module's models, which have to survive JSON, and the models that are never encoded.
package struct ModelSamples: Sendable {
    /// Values of one type.
    package struct Values: Sendable, CustomStringConvertible {
        package let description: String
        /// The values that differ after they were encoded and decoded.
        package let changed: @Sendable () throws -> [String]

        package init<Model: Codable & Equatable & Sendable>(_ values: Model...) {
            description = "\(Model.self)"
            changed = {
                try values.filter { value in
                    let data = try JSONEncoder().encode([value])
                    return try JSONDecoder().decode([Model].self, from: data) != [value]
                }.map { "\($0)" }
            }
        }
    }

    package let module: String
    package let values: [Values]
    /// The models that are never encoded, each with the reason.
    package let exceptions: [String: String]

    package init(_ module: String, exceptions: [String: String], _ values: [Values]) {
        self.module = module
        self.exceptions = exceptions
        self.values = values
    }

    /// The types that the module's folder `Model` declares, and that are neither here nor excepted, or the reverse.
    package var differences: Set<String> {
        get throws {
            let covered = Set(values.map(\.description)).union(exceptions.keys)
            return try declared.symmetricDifference(covered)
        }
    }

    private var declared: Set<String> {
        get throws {
            let root = URL(filePath: #filePath)
                .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            let folder = root.appending(path: "Plugins/\(module)/Model")
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            return try files.filter { $0.hasSuffix(".swift") }.reduce(into: []) { names, file in
                let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                for line in text.split(separator: "\n") {
                    let type = /^(?:indirect |final )*(?:struct|enum|class|actor) (\w+)/
                    if let match = try type.firstMatch(in: line) { names.insert(String(match.output.1)) }
                }
            }
        }
    }
}
