// A layer of the module's own, beside those of AtriumKit.
// error: cannot find type 'LayerContext' in scope
import AtriumKit

@MainActor struct EverythingContext: LayerContext, ~Copyable {}
