/// How paths of URLs lie to each other.
enum PathPrefix {
    /// Whether one path is the other or begins it, by whole segments: `/v1/entities` and `/v1/entities/42`.
    static func areRelated(_ left: String, _ right: String) -> Bool {
        begins(left, with: right) || begins(right, with: left)
    }

    private static func begins(_ path: String, with start: String) -> Bool {
        let (path, start) = (path.utf8, start.utf8)
        guard path.starts(with: start) else { return false }
        return path.count == start.count || start.isEmpty || start.last == UInt8(ascii: "/")
            || path[path.index(path.startIndex, offsetBy: start.count)] == UInt8(ascii: "/")
    }
}
