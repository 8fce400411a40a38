internal import AtriumLibraries
internal import CSodium

/// Computes a ``ContentDigest`` incrementally.
struct ContentHasher {
    // libsodium requires 64-byte alignment of the state, and reports its size.
    private let state: UnsafeMutableRawPointer

    init() {
        state = .allocate(byteCount: crypto_generichash_statebytes(), alignment: 64)
        _ = crypto_generichash_init(OpaquePointer(state), nil, 0, ContentDigest.byteCount)
    }

    func add(_ bytes: [UInt8]) {
        _ = crypto_generichash_update(OpaquePointer(state), bytes, UInt64(bytes.count))
    }

    /// Finishes the computation; the hasher can't be used afterwards.
    func finish() -> String {
        defer { state.deallocate() }
        var digest = [UInt8](repeating: 0, count: ContentDigest.byteCount)
        _ = crypto_generichash_final(OpaquePointer(state), &digest, digest.count)
        return ContentDigest(bytes: digest).description
    }
}
