public import Observation

/// A screen with the form of a record.
@MainActor
@Observable
public final class RecordFormViewModel<Item: Record>: ViewModel {
    public let form: RecordForm<Item>
    @ObservationIgnored private let navigator: any Navigator

    /// Creates the view model; without an id for a new record.
    public init(id: Item.ID?, model: RecordModel<Item>, navigator: any Navigator) {
        form = RecordForm(id, model: model)
        self.navigator = navigator
    }

    /// Loads the record being edited.
    public func load() async throws { try await form.load() }

    func set(_ name: String, to text: String) async throws -> ActionResult {
        try await form.setChecked(name, to: text)
        return .updated("Set the \(Item.fields[name]?.label.lowercased() ?? name).")
    }

    /// Sets a field to a value that is chosen on another screen.
    func choose(_ field: RecordField<Item>) async throws -> ActionResult {
        let chosen = try await navigator.present(field.valuesScreen, for: field.chosenSlot)
        guard let chosen else { return .updated }
        return try await set(field.name, to: chosen)
    }

    /// Receives a choice made after the process that asked for it had ended.
    public func receive(_ result: ReturnedResult) async throws {
        for field in Item.fields.filtered {
            if let value = try result.value(in: field.chosenSlot) { _ = try await set(field.name, to: value) }
        }
    }

    func save() async throws -> ActionResult {
        let saved = try await form.save()
        let destination = RecordDestination<Item>(id: saved.id)
        guard form.id == nil else { return .leave("Saved '\(saved.recordName)'.", showing: destination) }
        return try .leave("Created '\(saved.recordName)'.", returning: saved.id, showing: destination)
    }

    func reset() throws -> ActionResult {
        try form.reset()
        if form.isGone {
            return .leave("The \(Item.fields.noun.singular) is gone.", showing: RecordListDestination<Item>())
        }
        return .updated(form.id == nil ? "The form is empty." : "The form shows what is stored.")
    }
}

extension RecordFormViewModel {
    public var savedState: RecordInput? { form.savedState }
    public func restore(_ state: RecordInput?) { form.restore(state) }
    public var leaveObjections: [LeaveObjection] { form.leaveObjections }
}
