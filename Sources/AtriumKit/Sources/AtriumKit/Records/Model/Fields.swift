internal import Synchronization

/// The fields of a record, in the order of tables and forms.
public struct Fields<Root: Record>: Sendable, ExpressibleByArrayLiteral {
    /// The fields by their uses; found once, since each row of a file asks for them.
    private final class Storage: Sendable {
        let all, editable, sorted, searched, filtered, exported: [RecordField<Root>]
        let references: [(field: RecordField<Root>, record: any Record.Type)]
        let columnCount: Int
        let stamped: (new: [RecordField<Root>], changed: [RecordField<Root>])
        let noun = Root.noun
        let patterns = RecordPatterns(Root.link)
        let orders: [String]
        let values: [LinkPattern]
        // Not made at the start of a host, which shows none of them.
        let listArguments = OnFirstUse<[ArgumentDescription]>()
        let newArguments = OnFirstUse<[ArgumentDescription]>()
        let changeArguments = OnFirstUse<[ArgumentDescription]>()

        init(_ fields: [RecordField<Root>]) {
            // Closures: key paths would be made for each record, at the start of a host.
            all = fields
            editable = fields.filter { !$0.traits.isReadOnly }
            sorted = fields.filter { $0.traits.isSorted }
            searched = fields.filter { $0.traits.isSearched }
            filtered = fields.filter { $0.traits.isFiltered }
            columnCount = fields.count { !$0.traits.isHidden && !$0.traits.isSecret }
            references = fields.compactMap { field in field.reference.map { (field, $0) } }
            exported = editable.filter { !$0.traits.isSecret }
            let changed = fields.filter { $0.traits.isChangeTime }
            stamped = (changed + fields.filter { $0.traits.isCreationTime }, changed)
            orders = RecordSort.names(sorted)
            values = filtered.map { LinkPattern(stringLiteral: $0.valuesScreen) }
        }
    }

    private let storage: Storage

    public init(arrayLiteral elements: RecordField<Root>...) {
        storage = Storage(elements)
    }

    /// The fields, in order.
    public var all: [RecordField<Root>] { storage.all }
    /// The field of a name; nil if there is none.
    public subscript(name: String) -> RecordField<Root>? { all.first { $0.name == name } }

    /// The fields that users fill in.
    public var editable: [RecordField<Root>] { storage.editable }
    /// The fields that a list can be sorted by.
    public var sorted: [RecordField<Root>] { storage.sorted }
    /// The fields that the search of a list looks into.
    public var searched: [RecordField<Root>] { storage.searched }
    /// The fields whose values a list can be limited to.
    public var filtered: [RecordField<Root>] { storage.filtered }

    /// The fields that refer to other records, each with the kind of record.
    var references: [(field: RecordField<Root>, record: any Record.Type)] { storage.references }
    /// The number of fields that tables show to users.
    var columnCount: Int { storage.columnCount }
    /// The fields that files have: what users fill in, without secrets.
    var exported: [RecordField<Root>] { storage.exported }
    /// The fields that a service sets to the moment at which it creates a record, or changes one.
    func stamped(isNew: Bool) -> [RecordField<Root>] { isNew ? storage.stamped.new : storage.stamped.changed }

    /// ``Record/noun``, made once.
    var noun: RecordNoun { storage.noun }
    var orders: [String] { storage.orders }
    var listArguments: [ArgumentDescription] {
        storage.listArguments.value { RecordListArguments.all(orders, filtered, searched) }
    }
    /// The links of the screens.
    var patterns: RecordPatterns { storage.patterns }
    /// The links of the screens with the values of the filtered fields.
    var valuesPatterns: [LinkPattern] { storage.values }
    /// The arguments of `create`, or of `update`.
    func arguments(isNew: Bool) -> [ArgumentDescription] {
        (isNew ? storage.newArguments : storage.changeArguments).value {
            editable.map { $0.argument(isNew: isNew) }
        }
    }

    /// Returns the field of a name.
    ///
    /// - Throws: ``ValidationError`` that names the fields.
    public func field(_ name: String, among candidates: [RecordField<Root>]? = nil) throws -> RecordField<
        Root
    > {
        let candidates = candidates ?? all
        if let field = candidates.first(where: { $0.name == name }) { return field }
        let names = candidates.map(\.name)
        throw ValidationError(
            findings: [
                ValidationFinding(
                    "There is no field '\(name.excerpt)'; there are \(names.joined(separator: ", ")).")
            ], hint: NearestName.of(name, among: names).map { "Did you mean '\($0)'?" })
    }

    /// Sets the fields that users fill in, each that has a text.
    ///
    /// - Throws: ``ValidationError`` with all mistakes.
    func setEach(_ text: (String) -> String?, _ set: (String, String) throws -> Void) throws {
        var findings: [ValidationFinding] = []
        for field in editable {
            guard let text = text(field.name) else { continue }
            do { try set(field.name, text) } catch let error as ValidationError { findings += error.findings }
        }
        try ValidationError.check(findings)
    }

    /// Returns the rules that a record breaks, field by field.
    public func findings(in record: Root) -> [ValidationFinding] { all.flatMap { $0.findings(in: record) } }

    /// The mistakes of the declaration, each with file and line.
    var problems: [String] {
        var problems: [String] = []
        var names: Set<String> = ["id"]
        if all.isEmpty { problems.append("\(Root.self) has no fields") }
        problems += Root.formerFields.compactMap(\.column.problem)
        for field in all {
            func report(_ problem: String) {
                problems.append("\(field.declared.source): the field '\(field.name)' \(problem)")
            }
            field.declared.problems.forEach(report)
            // Columns and headings of files are the same in any case.
            if !names.insert(field.name.lowercased()).inserted { report("has the name of another one") }
            let (traits, isFirst) = (field.traits, field.name == all.first?.name)
            if traits.isSecret, isFirst || traits.isSorted || traits.isFiltered || traits.isSearched {
                report("is secret, and would be shown: it is the first one, sorted, filtered or searched")
            }
            if !field.name.utf8.allSatisfy(Self.isNameByte)
                || field.name.utf8.first.map(Self.isLetter) != true
            {
                report("has a name that is not one of letters and digits, a letter first")
            }
            if traits.isSearched, field.reference != nil { report("is a reference, and can't be searched") }
            if field.traits.isFiltered, RecordQuery<Root>.reservedNames.contains(field.name) {
                report("is filtered, and has the name of another part of lists")
            }
            let initial = Root()
            if let text = field.text(of: initial), let finding = field.findings(in: initial).first {
                report("has the default '\(text.excerpt)', which breaks its own rule: \(finding.message)")
            }
        }
        return problems
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
    private static func isNameByte(_ byte: UInt8) -> Bool { isLetter(byte) || (48...57).contains(byte) }
}

extension Record {
    /// The record as JSON, for servers and files: its id and its fields, without secrets.
    public var exchanged: JSONObject {
        var object: JSONObject = ["id": id.exchanged]
        for field in Self.fields.all where !field.traits.isSecret {
            object[field.name] = field.json(of: self)
        }
        return object
    }

    /// The value of the first field, or the id if it has none: the name of a record in sentences.
    public var recordName: String {
        guard let first = Self.fields.all.first else { return "\(id)" }
        // The id of another record is no name.
        if first.reference != nil { return "\(Self.fields.noun.singular.capitalizingFirst) \(id)" }
        return first.text(of: self) ?? "\(id)"
    }

    /// Returns the rules that the record breaks, field by field.
    public func validate() -> [ValidationFinding] { Self.fields.findings(in: self) }

    /// Returns the rules that what users fill in breaks.
    func validateInput() -> [ValidationFinding] { Self.fields.editable.flatMap { $0.findings(in: self) } }

    /// The record as a service creates or changes it at a moment.
    public func stamped(at moment: Timestamp, isNew: Bool) -> Self {
        var record = self
        for field in Self.fields.stamped(isNew: isNew) { field.access.stamp(&record, moment) }
        return record
    }

    /// The fields in which the record differs from another one.
    func changes(from other: Self) -> [RecordField<Self>] {
        Self.fields.all.filter { !$0.isEqual(self, other) }
    }
}

/// A value that is made on first use, and kept.
private final class OnFirstUse<Value: Sendable>: Sendable {
    private let kept = Mutex<Value?>(nil)

    func value(_ make: () -> Value) -> Value {
        if let value = kept.withLock({ $0 }) { return value }
        let value = make()
        kept.withLock { $0 = value }
        return value
    }
}
