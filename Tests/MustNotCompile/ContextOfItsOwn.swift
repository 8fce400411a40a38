// A layer that the module defines itself.
// error: cannot find type 'LayerContext' in scope
import AtriumKit

@MainActor struct EverythingContext: LayerContext, ~Copyable {}
