import AtriumKit

/// Leaves the result unchanged.
@c(atrium_module_create)
public func createNothing(_ result: UnsafeMutableRawPointer) {}
