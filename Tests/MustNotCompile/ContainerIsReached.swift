// A module that accesses the container.
// error: cannot find type 'Container' in scope
import AtriumKit

@MainActor func everything(in container: Container) {}
