/// A list of records, with its actions.
public struct RecordListView<Item: Record>: View {
    private let viewModel: RecordListViewModel<Item>
    private let screens: RecordScreens<Item>

    /// Shows a list; `screens` adds columns and actions.
    public init(viewModel: RecordListViewModel<Item>, screens: RecordScreens<Item> = RecordScreens()) {
        self.viewModel = viewModel
        self.screens = screens
    }

    private var list: RecordList<Item> { viewModel.list }

    public var body: Content {
        Title(Item.noun.plural.capitalizingFirst)
        Loadable(list.state, empty: nothing, retry: Item.link) { rows in
            Table(rows) {
                Column("id") { $0.id }
                Item.fields.all.filter { !$0.traits.isSecret }.map {
                    $0.access.column(isHidden: $0.traits.isHidden)
                }
                screens.columns()
            }
        }
        // Programs get a list in every state.
        if list.state.value == nil { Verbatim("rows", [], value: .array([])) }
        Summary(
            list.state.value == nil ? nil : sentence,
            [
                "page": list.query.page, "size": list.query.size, "total": list.total,
                "hasMore": list.hasMore,
                "sort": list.query.sort?.text, "search": list.query.search,
            ])
        if let transfer = viewModel.transfer { transfer }
        if !filters.isEmpty { Verbatim("filters", [], value: .object(filterMembers)) }
    }

    /// `3 books with 'lamp' and shelf 'A3', page 1 of 1, by title`.
    private var sentence: String {
        let order = list.query.sort.map { sort in
            "by \(Item.fields[sort.field]?.label.lowercased() ?? sort.field)"
                + (sort.isDescending ? ", descending" : "")
        }
        let limits = list.query.isLimited ? " \(conditions)" : ""
        let page = "page \(list.query.page) of \(list.lastPage)"
        return (["\(Item.noun.counted(list.total))\(limits)", page] + [order].compactMap(\.self))
            .joined(separator: ", ")
    }

    private var filters: [(name: String, text: String)] {
        list.query.filters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private var filterMembers: JSONObject {
        var members = JSONObject()
        for (name, text) in filters { members[name] = .string(text) }
        return members
    }

    /// `with 'lamp' and shelf 'A3'`.
    private var conditions: String {
        let search = list.query.search.map { ["'\($0)'"] } ?? []
        let limits = filters.map { name, text in
            "\(Item.fields[name]?.label.lowercased() ?? name) '\(text)'"
        }
        return "with " + (search + limits).joined(separator: " and ")
    }

    private var nothing: Notice {
        if list.total > 0 {
            Notice(.information, "The list ends with page \(list.lastPage).", hint: Item.link)
        } else if list.query.isLimited {
            Notice(.information, "There is no \(Item.noun.singular) \(conditions).", hint: Item.link)
        } else {
            Notice(
                .information, "There is no \(Item.noun.singular) yet.",
                hint: "\(Item.link) \(screens.has(.new) ? "new" : "create")")
        }
    }

    public var actions: [Action] {
        Action(
            "list", "Show another list", effect: .reads, loadsFirst: false, arguments: listArguments
        ) { values in
            var destination = RecordListDestination<Item>()
            destination.page = values["page"].flatMap { Int($0) }
            destination.sort = values["sort"]
            destination.search = values["search"]
            for field in Item.fields.filtered { destination.filters[field.name] = values[field.name] }
            return try await viewModel.show(destination)
        }
        Action("next", "Show the next page", effect: .reads) { try await viewModel.turn(by: 1) }
        Action("previous", "Show the previous page", effect: .reads) { try await viewModel.turn(by: -1) }
        Action("refresh", "Load the list again", effect: .reads) { try await viewModel.refresh() }
        if screens.has(.values) {
            Action(
                "filter", "Choose a value to list", effect: .navigates,
                Argument<String>(
                    "field", "Its field", default: Item.fields.filtered.first?.name,
                    choices: Item.fields.filtered.map(\.name))
            ) { try await viewModel.filter($0) }
        }
        if screens.has(.new) {
            Action("new", "Open the form for a new \(Item.noun.singular)", effect: .navigates) {
                try await viewModel.openForm()
            }
        }
        Action(
            "create", "Create \(Item.noun.withArticle)", loadsFirst: false,
            arguments: Item.fields.editable.map { $0.argument(isNew: true) }
        ) { try await viewModel.create($0) }
        Action(
            "delete", "Delete \(Item.noun.plural) by id", effect: .destroys, loadsFirst: false,
            Argument<[String]>("ids", "Their ids")
        ) { try await viewModel.delete($0) }
        Action(
            "import", "Create \(Item.noun.withArticle) for each row of a file, or none", loadsFirst: false,
            Argument<InputFile>("file", "Its path; '-' for standard input"), format
        ) { try await viewModel.importFile($0.path, $1) }
        Action(
            "export", "Write every \(Item.noun.singular) into a file",
            Argument<OutputFile>("file", "Its path; '-' for standard output"),
            format, Argument("replace", "Replace an existing file", default: false)
        ) { try await viewModel.exportFile($0.path, $1, replaces: $2) }
        screens.listActions(viewModel)
    }

    private var format: Argument<RecordFileFormat?> {
        Argument("format", "Its format; by default its name tells")
    }

    private var listArguments: [ArgumentDescription] {
        let sorts = Item.fields.sorted.flatMap { [$0.name, "-\($0.name)"] }
        let searched = Item.fields.searched.map(\.label).joined(separator: ", ").lowercased()
        var arguments = [Argument("page", "The page, from 1", default: 1).description]
        if !sorts.isEmpty {
            arguments.append(
                Argument<String?>("sort", "The field to sort by, after '-' descending", choices: sorts)
                    .description)
        }
        if !searched.isEmpty {
            arguments.append(
                Argument<String?>("search", "Only with this text in \(searched), in any case").description)
        }
        return arguments
            + Item.fields.filtered.map { field in
                let end = field.isText && field.choices.isEmpty ? ", in any case" : ""
                return Argument<String?>(
                    field.name, "Only this \(field.label.lowercased())\(end)", choices: field.choices
                ).description
            }
    }

    public func load() async throws { try await viewModel.load() }
}

/// One record, with its actions.
public struct RecordView<Item: Record>: View {
    private let viewModel: RecordViewModel<Item>
    private let screens: RecordScreens<Item>

    /// Shows a record; `screens` adds content and actions.
    public init(viewModel: RecordViewModel<Item>, screens: RecordScreens<Item> = RecordScreens()) {
        self.viewModel = viewModel
        self.screens = screens
    }

    public var body: Content {
        if let record = viewModel.record {
            Title(record.recordName)
            Field("id", record.id)
            for field in Item.fields.all where !field.traits.isSecret {
                field.access.content(record)
                // A value of another program or version.
                field.findings(in: record).map {
                    Notice(.warning, $0.message, hint: "set --\(field.name) VALUE")
                }
            }
            screens.detail(record)
        } else {
            Text("The \(Item.noun.singular) is not loaded.")
        }
    }

    public var actions: [Action] {
        if screens.has(.edit) {
            Action("edit", "Open the form for the \(Item.noun.singular)", effect: .navigates) {
                try await viewModel.edit()
            }
        }
        Action("set", "Change fields", arguments: Item.fields.editable.map { $0.argument(isNew: false) }) {
            try await viewModel.set($0)
        }
        Action(
            "delete", "Delete the \(Item.noun.singular)", effect: .destroys,
            asking: viewModel.record.map { "Delete '\($0.recordName)'?" }
        ) { try await viewModel.delete() }
        screens.detailActions(viewModel)
    }

    public func load() async throws { try await viewModel.load() }
}

/// The form of a record: each field with its mistakes beside it.
public struct RecordFormView<Item: Record>: View {
    private let viewModel: RecordFormViewModel<Item>
    private let screens: RecordScreens<Item>

    /// Shows a form; `screens` says which others there are.
    public init(viewModel: RecordFormViewModel<Item>, screens: RecordScreens<Item> = RecordScreens()) {
        self.viewModel = viewModel
        self.screens = screens
    }

    private var form: RecordForm<Item> { viewModel.form }

    public var body: Content {
        Title(form.id.map { "\(Item.noun.singular.capitalizingFirst) \($0)" } ?? "New \(Item.noun.singular)")
        for field in Item.fields.editable {
            if field.traits.isSecret {
                Field(field.name, label: field.label, field.text(of: form.draft) == nil ? "" : "(hidden)")
            } else {
                field.access.content(form.draft)
            }
            if let problem = form.problems[field.name] {
                Notice(.problem, problem, hint: field.setting)
            }
        }
        if form.isSaving { Notice(.information, "The \(Item.noun.singular) is being saved.") }
    }

    public var actions: [Action] {
        let open = Item.fields.editable.filter { !$0.traits.isSecret }
        Action(
            "set", "Fill in a field", Argument<String>("field", "The field", choices: open.map(\.name)),
            Argument<String>("value", "Its new value")
        ) { try viewModel.set($0, to: $1) }
        for field in Item.fields.editable where field.traits.isSecret {
            Action(
                "set-\(field.name)", "Fill in the \(field.label.lowercased())",
                arguments: [field.argument(isNew: true)]
            ) {
                try viewModel.set(field.name, to: $0[field.name] ?? "")
            }
        }
        let chosen = Item.fields.filtered.filter { !$0.traits.isReadOnly }
        if screens.has(.values), let first = chosen.first {
            Action(
                "choose", "Choose a value from those in use", effect: .navigates,
                Argument<String>(
                    "field", "Its field", default: first.name, choices: chosen.map(\.name))
            ) { try await viewModel.choose($0) }
        }
        Action("save", "Store the \(Item.noun.singular)") { try await viewModel.save() }
        Action("reset", "Drop what was filled in") { try viewModel.reset() }
    }

    public func load() async throws { try await viewModel.load() }
}

/// The values of a field, to choose one of them.
public struct RecordValuesView<Item: Record>: View {
    private let viewModel: RecordValuesViewModel<Item>

    public init(viewModel: RecordValuesViewModel<Item>) { self.viewModel = viewModel }

    private var label: String { Item.fields[viewModel.field]?.label ?? viewModel.field }

    public var body: Content {
        Title(label)
        Loadable(
            viewModel.state, empty: Notice(.information, "No \(Item.noun.singular) has one.", hint: Item.link)
        ) { values in
            Table(values) { Column(viewModel.field, label: label) { $0 } }
        }
    }

    public var actions: [Action] {
        Action(
            "choose", "Choose one", effect: .navigates,
            Argument<String>("value", "The value, in any case", suggestions: viewModel.values)
        ) { try await viewModel.choose($0) }
    }

    public func load() async throws { try await viewModel.load() }
}

extension RecordField {
    /// The command of a form that sets the field.
    fileprivate var setting: String { traits.isSecret ? "set-\(name)" : "set \(name) VALUE" }

    /// The field as an argument of `create` or `set`.
    fileprivate func argument(isNew: Bool) -> ArgumentDescription {
        let initial = text(of: Root())
        return ArgumentDescription(
            name: name, summary: summary, typeName: typeName,
            isRequired: isNew && !findings(in: Root()).isEmpty, defaultText: isNew ? initial : nil,
            choices: choices, suggestions: [], isSecret: traits.isSecret, isList: false)
    }
}

extension String {
    fileprivate var capitalizingFirst: String { prefix(1).uppercased() + dropFirst() }
}
