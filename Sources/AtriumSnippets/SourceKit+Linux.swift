@_spi(Host) internal import AtriumKit
internal import AtriumStorage
internal import CSourceKit
internal import Glibc

/// The toolchain's SourceKit, in a child process: it may end the process that it is used in.
package enum SourceKit {
    /// The request, as the host writes it into a file.
    struct Request: Codable {
        /// The file of SourceKit.
        let library: String
        /// In the notation of SourceKit, a form of YAML.
        let text: String
    }

    /// What may follow the code of a source at an offset; names begin with `prefix`.
    ///
    /// `ofModules` includes what SourceKit leaves out otherwise: modules to import have a low priority.
    static func request(
        _ source: String, at offset: Int, prefix: String, ofModules: Bool, file: String, arguments: [String]
    ) throws -> String {
        """
        {key.request: source.request.codecomplete.open, key.name: \(try quoted(file)),
        key.sourcefile: \(try quoted(file)), key.offset: \(offset), key.sourcetext: \(try quoted(source)),
        key.compilerargs: [\(try arguments.map(quoted).joined(separator: ", "))],
        key.codecomplete.options: {key.codecomplete.filtertext: \(try quoted(prefix)),
        key.codecomplete.fuzzymatching: 0, key.codecomplete.group.overloads: 0, key.codecomplete.group.stems: 0,
        key.codecomplete.hidelowpriority: \(ofModules ? 0 : 1), key.codecomplete.requestlimit: \(largestAnswer)}}
        """
    }

    /// The most candidates: more than a screen shows.
    private static let largestAnswer = 200

    private static func quoted(_ text: String) throws -> String { try StateCoding.encode(text) }

    private typealias Text = UnsafeMutablePointer<CChar>
    private typealias Initialize = @convention(c) () -> Void
    private typealias Parse =
        @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Text?>?) -> OpaquePointer?
    private typealias Send = @convention(c) (OpaquePointer) -> OpaquePointer?
    private typealias IsError = @convention(c) (OpaquePointer) -> Bool
    private typealias Value = @convention(c) (OpaquePointer) -> sourcekitd_variant_t
    private typealias JSON = @convention(c) (sourcekitd_variant_t) -> Text?

    /// Answers the request in a file, as the child; nil if SourceKit has no answer.
    package static func answer(requestIn file: String) throws -> String? {
        let text = String(decoding: try FileContents.read(file, limit: largestRequest), as: UTF8.self)
        let request = try StateCoding.decode(Request.self, from: text)
        // SourceKit prints errors of the code there.
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        dup2(null, STDERR_FILENO)
        guard let handle = dlopen(request.library, RTLD_NOW | RTLD_LOCAL),
            let initialize = function("initialize", Initialize.self, handle),
            let parse = function("request_create_from_yaml", Parse.self, handle),
            let send = function("send_request_sync", Send.self, handle),
            let isError = function("response_is_error", IsError.self, handle),
            let value = function("response_get_value", Value.self, handle),
            let json = function("variant_json_description_copy", JSON.self, handle)
        else { return nil }
        initialize()
        guard let parsed = parse(request.text, nil), let response = send(parsed), !isError(response) else {
            return nil
        }
        // The process ends after it, which frees all of it.
        return json(value(response)).map { String(cString: $0) }
    }

    private static let largestRequest = 16 << 20

    private static func function<Function>(
        _ name: String, _ type: Function.Type, _ handle: UnsafeMutableRawPointer
    ) -> Function? {
        dlsym(handle, "sourcekitd_\(name)").map { unsafeBitCast($0, to: type) }
    }
}

extension SourceKit {
    /// SourceKit's answer about the position of a cursor.
    struct Answer: Decodable {
        let candidates: [Candidate]

        private enum CodingKeys: String, CodingKey { case candidates = "key.results" }
    }

    /// A member, name, type, label or keyword that may follow.
    package struct Candidate: Decodable, Sendable {
        private let kind: String
        private let source: String
        /// With the names and types of its parameters.
        private let description: String
        private let type: String?
        private let brief: String?

        private enum CodingKeys: String, CodingKey {
            case kind = "key.kind"
            case source = "key.sourcetext"
            case description = "key.description"
            case type = "key.typename"
            case brief = "key.doc.brief"
        }

        /// What is inserted: its code up to its first argument.
        package var text: String {
            let end = source.firstRange(of: "<#")?.lowerBound ?? source.endIndex
            return String(source[..<end].prefix { !$0.isNewline })
        }

        /// Its type or signature, and the first sentence of its documentation.
        package var summary: String? {
            let isFunction = kind.hasPrefix("source.lang.swift.decl.function")
            let signature =
                isFunction ? "\(description) -> \(type ?? "Void")" : type.flatMap { $0 == text ? nil : $0 }
            let parts = [signature, brief].compactMap(\.self).filter { !$0.isEmpty }
            return parts.isEmpty ? nil : parts.joined(separator: "  ")
        }

        /// True for other words than the typed one, and without one for `self` as a member and for names with
        /// an underscore, which the file around the code has.
        func isHidden(typing prefix: String) -> Bool {
            text.isEmpty || !text.hasPrefix(prefix)
                || prefix.isEmpty && (text.hasPrefix("_") || text == "self")
        }
    }
}
