internal import AtriumKit
internal import AtriumStorage
internal import Glibc

extension CrashRecord {
    /// Reads the record that the handler in CCrash.c wrote, and removes it, so that it is told once.
    ///
    /// - Parameter path: The file.
    /// - Returns: The record; nil where there is none, or nothing can be made of it.
    package static func take(from path: String) -> CrashRecord? {
        guard let bytes = try? FileContents.readIfPresent(path, limit: 1_000_000) else { return nil }
        unlink(path)
        return CrashRecord(text: String(decoding: bytes, as: UTF8.self))
    }

    /// Reads a record; nil where it does not say what happened and when.
    ///
    /// Lines of unknown keys are passed over. A record that breaks off keeps what was written.
    package init?(text: String) {
        var fields: [Substring: Substring] = [:]
        var frames: [Frame] = []
        var images: [Image] = []
        let lines = text.split(separator: "\n")
        guard lines.first == "crash 1" else { return nil }
        for line in lines.dropFirst() {
            let words = line.split(separator: " ", maxSplits: 1)
            let (key, value) = (words[0], words.count > 1 ? words[1] : "")
            if let kind = Frame.Kind(rawValue: String(key)) {
                if let frame = Frame(kind, value) { frames.append(frame) }
            } else if key == "image" {
                if let image = Image(value) { images.append(image) }
            } else {
                fields[key] = value
            }
        }
        guard let kind = fields["kind"].flatMap({ Kind(rawValue: String($0)) }),
            let process = fields["pid"].flatMap({ Int32($0) }),
            let time = fields["time"].flatMap({ Int64($0) })
        else { return nil }
        self.init(
            kind: kind, signal: fields["signal"].flatMap { Int32($0) },
            code: fields["code"].flatMap { Int32($0) }, address: fields["address"].flatMap(Self.number),
            stackPointer: fields["stack"].flatMap(Self.number),
            status: fields["status"].flatMap { Int32($0) },
            process: process, thread: fields["thread"].flatMap { Int32($0) },
            time: Timestamp(microseconds: time), command: fields["command"].map(String.init),
            place: fields["place"].map(String.init), frames: frames, images: images,
            isComplete: fields["end"] != nil)
    }

    /// A number as the handler writes addresses: `0x1f`.
    fileprivate static func number(_ text: Substring) -> UInt64? {
        text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil
    }
}

extension CrashRecord.Frame {
    /// Reads `ADDRESS OFFSET IMAGE NAME`, of which only the address is always there.
    fileprivate init?(_ kind: Kind, _ text: Substring) {
        let words = text.split(separator: " ")
        guard let address = words.first.flatMap(CrashRecord.number) else { return nil }
        let isInImage = words.count >= 3
        self.init(
            kind: kind, address: address, offset: isInImage ? CrashRecord.number(words[1]) : nil,
            image: isInImage ? Int(words[2]) : nil, symbol: nil)
    }
}

extension CrashRecord.Image {
    /// Reads `NUMBER GENERATION DIGEST NAME PATH`; generation and digest are `-` where there is none.
    fileprivate init?(_ text: Substring) {
        let words = text.split(separator: " ", maxSplits: 4)
        guard words.count == 5, let number = Int(words[0]) else { return nil }
        self.init(
            number: number, name: String(words[3]), path: String(words[4]), generation: Int(words[1]),
            digest: words[2] == "-" ? nil : String(words[2]))
    }
}
