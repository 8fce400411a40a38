/// The parts of a value that are read from memory.
///
/// `Mirror` would ask the type for a `customMirror`, which is code of its module; the functions of the runtime
/// below it do not. The containers of the standard library give their elements.
package enum StoredParts {
    /// The value without its optionals; nil if there is none.
    package static func unwrapped(_ value: Any) -> Any? {
        var value = value
        while let optional = value as? any StoredOptional {
            guard let stored = optional.stored else { return nil }
            value = stored
        }
        return value
    }

    /// The number of elements of a list, set or dictionary; nil for other values.
    static func count(of value: Any) -> Int? { (value as? any StoredElements)?.storedCount }

    /// The first elements of such a value; empty for others.
    static func elements(of value: Any, atMost limit: Int) -> [Any] {
        (value as? any StoredElements)?.storedPrefix(limit) ?? []
    }

    /// The stored properties, those of superclasses first, the elements of a tuple or the values of an enum's
    /// case.
    static func parts(of value: Any) -> [(name: String, value: Any)] {
        var types: [any Any.Type] = [type(of: value)]
        while let subclass = types[0] as? AnyClass, let parent = _getSuperclass(subclass) {
            types.insert(parent, at: 0)
        }
        let parts = types.flatMap { children(of: value, as: $0) }
        // Several values of a case are a tuple.
        if isEnum(value), let payload = parts.first?.value, style(of: payload) == UInt8(ascii: "t") {
            return children(of: payload, as: type(of: payload))
        }
        return parts.filter { $0.name != "$observationRegistrar" }
    }

    static func isEnum(_ value: Any) -> Bool { style(of: value) == UInt8(ascii: "e") }

    /// The name of an enum's case.
    static func enumCase(of value: Any) -> String? {
        func open<Value>(_ value: Value) -> String? { enumCaseName(value).map { String(cString: $0) } }
        return isEnum(value) ? _openExistential(value, do: open) : nil
    }

    private static func style(of value: Any) -> UInt8 {
        func open<Value>(_ value: Value) -> UInt8 { UInt8(bitPattern: displayStyle(value)) }
        return _openExistential(value, do: open)
    }

    private static func children(of value: Any, as type: any Any.Type) -> [(name: String, value: Any)] {
        func open<Value>(_ value: Value) -> [(name: String, value: Any)] {
            (0..<childCount(value, type: type)).map { index in
                var name: UnsafePointer<CChar>?
                var release: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
                let child = child(of: value, type: type, index: index, outName: &name, outFreeFunc: &release)
                defer { release?(name) }
                return (written(name.map { String(cString: $0) } ?? "\(index)"), child)
            }
        }
        return _openExistential(value, do: open)
    }

    /// The name of a property in the source: observed and lazy ones are stored under another.
    private static func written(_ name: String) -> String {
        let lazy = "$__lazy_storage_$_"
        if name.hasPrefix(lazy) { return String(name.dropFirst(lazy.count)) }
        return name.hasPrefix("_") ? String(name.dropFirst()) : name
    }
}

private protocol StoredOptional { var stored: Any? { get } }
extension Optional: StoredOptional { fileprivate var stored: Any? { self } }

private protocol StoredElements {
    var storedCount: Int { get }
    func storedPrefix(_ limit: Int) -> [Any]
}

extension StoredElements where Self: Collection {
    fileprivate var storedCount: Int { count }
    fileprivate func storedPrefix(_ limit: Int) -> [Any] { prefix(limit).map { $0 } }
}

extension Array: StoredElements {}
extension ArraySlice: StoredElements {}
extension ContiguousArray: StoredElements {}
extension Set: StoredElements {}
extension Dictionary: StoredElements {}

// The functions of the runtime that Mirror itself uses.

@_silgen_name("swift_reflectionMirror_count")
private func childCount<Value>(_: Value, type: any Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_displayStyle")
private func displayStyle<Value>(_: Value) -> CChar

@_silgen_name("swift_reflectionMirror_subscript")
private func child<Value>(
    of: Value, type: any Any.Type, index: Int, outName: UnsafeMutablePointer<UnsafePointer<CChar>?>,
    outFreeFunc: UnsafeMutablePointer<(@convention(c) (UnsafePointer<CChar>?) -> Void)?>
) -> Any

@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Value>(_: Value) -> UnsafePointer<CChar>?
