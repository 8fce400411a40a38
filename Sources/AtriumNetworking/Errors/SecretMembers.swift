@_spi(Host) internal import AtriumKit
internal import FoundationEssentials

/// Finds what must not be shown in the JSON that a call sends.
enum SecretMembers {
    /// The texts under names that are secret, at any depth; none where the bytes are not JSON.
    static func values(in bytes: [UInt8]) -> [String] {
        (try? JSONDecoder().decode(Node.self, from: Data(bytes)))?.secrets ?? []
    }

    private struct Node: Decodable {
        let secrets: [String]

        init(from decoder: any Decoder) throws {
            if let object = try? decoder.container(keyedBy: Name.self) {
                secrets = object.allKeys.flatMap { Self.secrets(under: $0, in: object) }
            } else if var list = try? decoder.unkeyedContainer() {
                var found: [String] = []
                while !list.isAtEnd { found += try list.decode(Node.self).secrets }
                secrets = found
            } else {
                secrets = []
            }
        }

        private static func secrets(
            under name: Name, in object: KeyedDecodingContainer<Name>
        ) -> [String] {
            if SecretName.matches(name.stringValue), let text = try? object.decode(String.self, forKey: name)
            {
                return [text]
            }
            return (try? object.decode(Node.self, forKey: name))?.secrets ?? []
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
