import AtriumKit

struct EntityDetailView: View {
    let viewModel: EntityDetailViewModel

    var body: Content {
        if let entity = viewModel.entity {
            Title(entity.name)
            Field("id", entity.id)
            Field("name", entity.name)
            Field("category", entity.category)
            Field("notes", entity.notes)
            Field("createdAt", label: "Created", entity.createdAt)
            Field("updatedAt", label: "Updated", entity.updatedAt)
            if let status = viewModel.status { Field("pending", status.rawValue) }
            if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: "entities/\(entity.id) refresh") }
        } else {
            Notice(.information, "The entity is gone.", hint: "entities")
        }
        if let failure = viewModel.failure {
            Notice(.problem, failure.message, hint: failure.reason.hint)
        }
    }

    var actions: [Action] {
        Action(
            "update", "Change an entity", Argument<String?>("name", "A new name"),
            Argument<String?>("category", "A new category; empty for none"),
            Argument<String?>("notes", "New notes; empty for none")
        ) { name, category, notes in
            try await reportingCancellation {
                try await viewModel.update(name: name, category: category, notes: notes)
            }
        }
        Action(
            "delete", "Delete the entity", effect: .destroys,
            asking: viewModel.entity.map { "Delete '\($0.name)'?" }
        ) {
            try await reportingCancellation { try await viewModel.delete() }
        }
        Action(
            "set", "Change one field", Argument<EntityField>("field", "The field"),
            Argument<String>("value", "Its new value; empty for none")
        ) { field, value in
            try await reportingCancellation { try await viewModel.set(field, to: value) }
        }
        Action("refresh", "Load the entity again from the service", effect: .reads) {
            try await viewModel.refresh()
        }
    }

    func load() async throws { try await viewModel.load() }
}

/// Makes a change for a command, and explains a cancellation: a sent change can't be recalled.
@MainActor
func reportingCancellation(_ change: () async throws -> ActionResult) async throws -> ActionResult {
    do {
        return try await change()
    } catch is CancellationError {
        throw ServiceError.cancelledWhenSent
    }
}
