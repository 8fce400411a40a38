// An action whose closure takes more values than it has arguments; Docs/compiler-errors.md explains the words.
// error: pack expansion requires that 'String' and '_, _' have the same shape
import AtriumKit

@MainActor func action() -> Action {
    Action("save", "Saves", Argument<String>("name")) { name, category in .updated }
}
