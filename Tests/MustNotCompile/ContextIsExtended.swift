// A context that is taught to reach more.
// error: 'core' is inaccessible due to 'internal' protection level
import AtriumKit

extension ServiceContext {
    var everything: any Database { core.infrastructure.database }
}
