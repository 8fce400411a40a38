/// A type that the module hands to its registry.
struct Registration {
    let symbol: Symbol
    let layer: Layer
    let file: Int
    let occurrence: Occurrence

    /// What is registered in some files, by the USR of the type.
    ///
    /// The type is the first that is named behind the call: `registry.service((any PriceService).self, …`.
    static func all(in files: [CodeFile]) -> [String: Registration] {
        var found: [String: Registration] = [:]
        for (file, code) in files.enumerated() {
            var layer: Layer?
            for occurrence in code.occurrences where occurrence.isReference {
                if let called = registeredLayer(occurrence) {
                    layer = called
                } else if let known = layer, occurrence.symbol.isType {
                    found[occurrence.symbol.usr] = Registration(
                        symbol: occurrence.symbol, layer: known, file: file, occurrence: occurrence)
                    layer = nil
                }
            }
        }
        return found
    }

    private static func registeredLayer(_ occurrence: Occurrence) -> Layer? {
        guard occurrence.symbol.usr.hasPrefix("s:9AtriumKit14ModuleRegistryC") else { return nil }
        return Layer(registeredWith: occurrence.symbol.baseName)
    }
}
