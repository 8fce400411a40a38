/// A field of a record: its name, its key path, its meaning and its rules.
///
/// A field whose type is not optional needs a value; a text without a rule for its length has at most 200
/// characters.
public struct RecordField<Root: Record>: Sendable {
    /// The name that users type; also the column, the member in JSON and the heading in files.
    public let name: String
    /// The meaning, in a few words.
    public let summary: String
    /// The heading for users, made from the name.
    public let label: String
    /// The type in words, such as "a whole number".
    public let typeName: String
    /// The values that it can have, if they can be listed.
    public let choices: [String]
    /// True if a record may lack the value.
    public let isOptional: Bool
    /// The settings that are not rules.
    public let traits: FieldTraits
    let access: any FieldAccess<Root>
    /// True for a text; kept, since each record that is compared asks for it.
    let isText: Bool
    /// The least and the greatest value that the options allow, as they would be typed; nil if none tells.
    let edges: (@Sendable () -> (least: String, greatest: String))?
    /// The kind of record that it refers to; nil for a value of its own.
    let reference: (any Record.Type)?
    /// The reasons that no value can keep the rules, with the file and line of the field.
    let declared: (problems: [String], source: String)

    /// Declares the field at a key path; `summary` says in a few words what it means, and the options give its
    /// rules and what it is used for.
    public init<Value: RecordValue>(
        _ name: String, _ summary: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
        _ options: FieldOption<Value>..., file: String = #fileID, line: Int = #line
    ) {
        self.init(name, summary, path, options, "\(file):\(line)")
    }

    /// Declares a field whose name says what it means.
    public init<Value: RecordValue>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
        _ options: FieldOption<Value>..., file: String = #fileID, line: Int = #line
    ) {
        self.init(name, "", path, options, "\(file):\(line)")
    }

    private init<Value: RecordValue>(
        _ name: String, _ summary: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
        _ options: [FieldOption<Value>], _ source: String
    ) {
        let settings = FieldSettings<Value>(options)
        self.name = name
        self.summary = summary
        label = settings.label ?? Words.label(forKey: name)
        reference = settings.reference
        typeName = reference.map { "the id of \($0.noun.withArticle)" } ?? Value.argumentTypeName
        choices = settings.choices.isEmpty ? Value.argumentChoices : settings.choices
        isOptional = Value.isOptional
        traits = settings.traits
        access = TypedFieldAccess(
            name: name, label: label, subject: "The \(label.lowercased())", typeName: typeName, path: path,
            rules: settings.rules, choices: choices, moment: settings.moment,
            isSecret: settings.traits.isSecret, isReference: reference != nil)
        isText = access.isText
        edges = settings.edges
        declared = (settings.problems, source)
    }

    /// The value as it would be typed; nil if there is none.
    public func text(of record: Root) -> String? { access.text(record) }

    /// The value in JSON, for servers and files.
    public func json(of record: Root) -> JSONValue { access.json(record) }

    func databaseValue(of record: Root) -> DatabaseValue { access.databaseValue(record) }

    /// The form of a text under which it is compared, sorted and found; empty if there is none.
    func key(of record: Root) -> String { SearchKey.of(text(of: record) ?? "") }

    /// True if two records have the same value.
    func isEqual(_ left: Root, _ right: Root) -> Bool { access.isEqual(left, right) }

    /// True if it is compared by the key of its text, which a column of its own has in tables; secrets and ids are
    /// compared as they are.
    var hasKey: Bool { isText && !traits.isSecret && reference == nil }

    /// The keys of a record's text, as it may be stored in others.
    func keys(of record: Root) -> [String] { SearchKey.forms(of: text(of: record) ?? "") }

    /// A test of whether a stored record has the value of this one, as a table compares it: texts by their keys.
    func isSame(as other: Root) -> (_ stored: Root) -> Bool {
        guard hasKey else { return { isEqual($0, other) } }
        let keys = keys(of: other)
        return { SearchKey.isSame(text(of: $0) ?? "", keys) }
    }

    /// Copies the value of another record.
    func copy(from source: Root, to record: inout Root) { access.copy(source, &record) }

    /// Sets the value to typed text, or to none if the text is empty and the field optional.
    ///
    /// - Throws: ``ValidationError`` if the text can't be its value; the record stays as it is.
    public func set(_ record: inout Root, to text: String) throws {
        var changed = record
        if let finding = access.set(&changed, text) { throw ValidationError(findings: [finding]) }
        try ValidationError.check(findings(in: changed))
        record = changed
    }

    /// Returns the rules that the value breaks.
    public func findings(in record: Root) -> [ValidationFinding] { access.findings(record) }
}

/// The uses of a field.
public struct FieldTraits: Sendable, Hashable {
    /// True if the search of a list looks into it.
    public internal(set) var isSearched = false
    /// True if a list can be sorted by it.
    public internal(set) var isSorted = false
    /// True if a list can be limited to one of its values.
    public internal(set) var isFiltered = false
    /// True if two records can't have the same value, in any case.
    public internal(set) var isUnique = false
    /// True if users can't change it.
    public internal(set) var isReadOnly = false
    /// True if it is never shown, logged or exported.
    public internal(set) var isSecret = false
    /// True if tables leave it out.
    public internal(set) var isHidden = false
    /// True if a service sets it to the moment at which the record is created.
    public internal(set) var isCreationTime = false
    /// True if a service sets it to the moment of each change.
    public internal(set) var isChangeTime = false
    /// The names of its orders, instead of its own name.
    var orderNames: OrderNames?
    /// The version of the module's database that has its column first; nil for that of the table.
    public internal(set) var version: Int?
    /// The version that has its index first; nil for that of the column.
    public internal(set) var indexVersion: Int?
    /// The former names of the column, each with the version that has another one first.
    public internal(set) var formerNames: [Int: String] = [:]
}

/// The names of the two orders of a field: `oldest` and `newest`.
struct OrderNames: Sendable, Hashable {
    let ascending: String
    let descending: String
}

/// A rule of a field, or a use of it.
public struct FieldOption<Value: RecordValue>: Sendable {
    let apply: @Sendable (inout FieldSettings<Value>) -> Void
}

/// The rules and the uses of a field, as its options state them.
struct FieldSettings<Value: RecordValue> {
    var traits = FieldTraits()
    var label: String?
    var choices: [String] = []
    /// Makes the value from a moment; nil unless the field has one.
    var moment: (@Sendable (Timestamp) -> Value)?
    /// Rules that return the ends of sentences that begin with the field: "must be odd".
    var rules: [@Sendable (Value, String) -> [String]] = []
    var edges: (@Sendable () -> (least: String, greatest: String))?
    var reference: (any Record.Type)?
    var problems: [String] = []
    fileprivate var hasLength = false

    init(_ options: [FieldOption<Value>]) {
        for option in options { option.apply(&self) }
        if !hasLength, Value.isText, choices.isEmpty {
            FieldOption.limitLength(1...200, allowsLines: false).apply(&self)
        }
    }
}

extension FieldOption {
    /// A list can be sorted by the field.
    public static var sorted: Self { Self { $0.traits.isSorted = true } }
    /// A list can be sorted by the field, under names such as `oldest` and `newest`.
    public static func sorted(_ ascending: String, _ descending: String) -> Self {
        Self {
            $0.traits.isSorted = true
            $0.traits.orderNames = OrderNames(ascending: ascending, descending: descending)
        }
    }
    /// A list can be limited to one of the field's values.
    public static var filtered: Self { Self { $0.traits.isFiltered = true } }
    /// Two records can't have the same value; texts are compared in any case.
    public static var unique: Self { Self { $0.traits.isUnique = true } }
    /// Users can't change the field; services and rules do.
    public static var readOnly: Self { Self { $0.traits.isReadOnly = true } }
    /// The field is read without echo, and never shown, logged or exported.
    public static var secret: Self { Self { $0.traits.isSecret = true } }
    /// Tables leave the field out for users; programs and the detail have it.
    public static var hidden: Self { Self { $0.traits.isHidden = true } }

    /// The column is added by the migration to `version`, with the default of the field.
    public static func added(in version: Int) -> Self { Self { $0.traits.version = version } }

    /// The index for sorting, filtering or uniqueness is added by the migration to `version`.
    public static func indexed(in version: Int) -> Self { Self { $0.traits.indexVersion = version } }

    /// The column had another name before the migration to `version`.
    public static func renamed(from name: String, in version: Int) -> Self {
        Self { $0.traits.formerNames[version] = name }
    }

    /// The heading for users, if it is not the name in words.
    public static func label(_ label: String) -> Self { Self { $0.label = label } }

    /// Values for which `isValid` is false are refused: "The copies `demand`.", as in "must be even".
    public static func check(_ demand: String, _ isValid: @escaping @Sendable (Value) -> Bool) -> Self {
        Self { $0.rules.append { value, subject in isValid(value) ? [] : ["\(subject) \(demand)."] } }
    }
}

extension FieldOption<Timestamp> {
    /// The service sets the field to the moment at which it creates a record.
    public static var createdAt: Self {
        Self {
            (($0.traits.isReadOnly, $0.traits.isCreationTime), $0.moment) = ((true, true), { $0 })
        }
    }

    /// The service sets the field to the moment of each change.
    public static var updatedAt: Self {
        Self {
            (($0.traits.isReadOnly, $0.traits.isChangeTime), $0.moment) = ((true, true), { $0 })
        }
    }
}

extension FieldOption where Value: TextFieldValue {
    /// The search of a list looks into the field.
    public static var searched: Self { Self { $0.traits.isSearched = true } }

    /// A text of so many characters, on one line.
    public static func length(_ range: ClosedRange<Int>) -> Self { limitLength(range, allowsLines: false) }

    /// A text of so many characters, on any number of lines; tables leave it out for users.
    public static func lines(_ range: ClosedRange<Int>) -> Self {
        Self {
            limitLength(range, allowsLines: true).apply(&$0)
            $0.traits.isHidden = true
        }
    }

    /// An e-mail address of at most 254 characters (RFC 5321).
    public static var email: Self {
        Self {
            limitLength(1...254, allowsLines: false).apply(&$0)
            $0.edges = {
                let labels = [62, 63, 60].map { String(repeating: "b", count: $0) } + ["c"]
                return ("a@b", String(repeating: "a", count: 64) + "@" + labels.joined(separator: "."))
            }
            $0.rules.append { value, subject in
                guard case .text(let text) = value.databaseValue, !text.isEmpty else { return [] }
                let parts = text.split(separator: "@", omittingEmptySubsequences: false)
                let isAddress = parts.count == 2 && parts.allSatisfy { !$0.isEmpty && !$0.contains(" ") }
                return isAddress ? [] : ["\(subject) must be an e-mail address, not '\(text.excerpt)'."]
            }
        }
    }

    /// One of these texts.
    public static func choice(_ choices: [String]) -> Self {
        Self {
            $0.choices = choices
            if choices.isEmpty { $0.problems.append("has no choice") }
        }
    }
}

extension FieldOption {
    fileprivate static func limitLength(_ range: ClosedRange<Int>, allowsLines: Bool) -> Self {
        Self {
            $0.hasLength = true
            if range.lowerBound < 0 { $0.problems.append("has a length below 0") }
            $0.edges = {
                let (least, greatest) = (max(range.lowerBound, 0), min(max(range.upperBound, 0), 10_000))
                let sample = String(repeating: "Zażółć 灯💡 gęślą ", count: greatest / 16 + 1)
                // Ends with a letter: white space at the end would be removed.
                let greatestText = greatest == 0 ? "" : sample.prefix(greatest - 1) + "ą"
                return (String(repeating: "灯", count: least), greatestText)
            }
            $0.rules.append { value, subject in
                guard case .text(let text) = value.databaseValue else { return [] }
                let isRequired = !Value.isOptional && range.lowerBound > 0
                let rule = TextRule(
                    subject: subject, maximum: range.upperBound, isRequired: isRequired,
                    allowsLines: allowsLines)
                let problems = rule.problems(of: text)
                guard problems.isEmpty, !text.isEmpty, text.count < range.lowerBound else { return problems }
                return ["\(subject) must have at least \(range.lowerBound) characters, not \(text.count)."]
            }
        }
    }
}

extension FieldOption where Value: NumberFieldValue {
    /// A number within a range, with its bounds.
    public static func range(_ range: ClosedRange<Int>) -> Self {
        Self { settings in
            settings.edges = { ("\(range.lowerBound)", "\(range.upperBound)") }
            settings.rules.append { value, subject in
                let (least, greatest) = (Double(range.lowerBound), Double(range.upperBound))
                let bound: String
                switch value.databaseValue {
                case .integer(let number) where number < range.lowerBound:
                    bound = "at least \(range.lowerBound)"
                case .integer(let number) where number > range.upperBound:
                    bound = "at most \(range.upperBound)"
                case .real(let number) where number < least: bound = "at least \(range.lowerBound)"
                case .real(let number) where number > greatest: bound = "at most \(range.upperBound)"
                default: return []
                }
                return ["\(subject) must be \(bound), not \(value.displayText)."]
            }
        }
    }
}

extension FieldOption where Value: MoneyFieldValue {
    /// An amount within a range, with its bounds.
    public static func amount(_ range: ClosedRange<Money>) -> Self {
        let (least, greatest) = (range.lowerBound.argumentText, range.upperBound.argumentText)
        return Self {
            $0.edges = { (least, greatest) }
            check("must be from \(least) to \(greatest)") {
                Money(databaseValue: $0.databaseValue).map(range.contains) ?? true
            }.apply(&$0)
        }
    }
}
