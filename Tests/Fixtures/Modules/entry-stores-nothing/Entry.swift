import AtriumKit

/// Leaves the result as it is.
@c(atrium_module_create)
public func createNothing(_ result: UnsafeMutableRawPointer) {}
