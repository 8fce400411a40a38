/// Moves between the screens of all modules.
///
/// A view model receives the navigator of the stack that it is on.
@MainActor
public protocol Navigator: AnyObject {
    /// Puts a place of this module on the stack and shows it.
    func push(_ destination: any Destination) async throws
    /// Puts the place of a link, of any module, on the stack and shows it.
    func open(_ link: String) async throws
    /// Leaves the current place; does nothing at the root.
    func back() async throws
    /// Leaves every place.
    func root() async throws
}
