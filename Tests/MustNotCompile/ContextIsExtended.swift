// A context with an extension that accesses its internals.
// error: 'core' is inaccessible due to 'internal' protection level
import AtriumKit

extension ServiceContext {
    var everything: any Database { core.infrastructure.database }
}
