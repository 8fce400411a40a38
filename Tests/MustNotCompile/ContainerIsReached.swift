// A module that reaches the container itself.
// error: cannot find type 'Container' in scope
import AtriumKit

@MainActor func everything(in container: Container) {}
