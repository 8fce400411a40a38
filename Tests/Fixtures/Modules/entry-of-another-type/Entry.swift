import AtriumKit

/// Stores numbers where the host expects an `(any FeatureModule)?`.
@c(atrium_module_create)
public func createNumbers(_ result: UnsafeMutableRawPointer) {
    result.storeBytes(of: (1, 2), as: (Int, Int).self)
}
