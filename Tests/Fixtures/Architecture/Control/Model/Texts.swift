// What strings, comments and regular expressions say is no code.
enum Texts {
    static let code = "class Node {} \(["catch { throw Failed() }"].count) @unchecked Sendable"
    static let raw = #"a "class Node {}" b \(x) \#(1 + 1) static var"#
    static let block = """
        class Node {}
        do { try work() } catch { throw Failed() }
        \("nested \("class Deep {}")") "quoted"
        """

    /* class Outer {} /* actor Inner {} */ class Still {} */
    static func isClass(_ text: String) -> Bool { text.contains(/class Node "\/ \{/) }

    static func isActor(_ text: String) -> Bool { text.contains(#/actor No/de {class Node "/#) }

    static func part(_ whole: Int, _ parts: Int) -> Int { whole / parts / 2 }

    struct Node: Sendable {
        var `class`: Int? = nil
        var next: Int { `class`! / 2 }
    }
}
