// An action that does not say what is shown afterwards.
// error: 'init(_:_:effect:asking:loadsFirst:_:perform:)' is unavailable: The closure returns what is shown afterwards, such as '.updated'.
import AtriumKit

@MainActor func action(_ save: @escaping @MainActor (String) async throws -> Void) -> Action {
    Action("save", "Saves", Argument<String>("name")) { name in try await save(name) }
}
