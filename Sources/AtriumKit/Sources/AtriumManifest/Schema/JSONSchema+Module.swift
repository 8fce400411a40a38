extension JSONSchema {
    /// The schema of `module.json`, as its author writes it.
    ///
    /// Compiled when it is first wanted.
    public static let module = embedded(moduleText)

    /// The text of `Schemas/module.schema.json`; a test holds the two equal.
    public static let moduleText = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Atrium module manifest",
          "description": "module.json: what a feature module is, needs and offers. The build embeds it in the library.",
          "type": "object",
          "additionalProperties": false,
          "required": ["name", "version", "entry", "summary"],
          "properties": {
            "$schema": {
              "description": "Where editors find this schema.",
              "type": "string"
            },
            "name": {
              "description": "The name of the module, as other modules require it.",
              "$ref": "#/$defs/moduleName"
            },
            "version": {
              "description": "The version of the module itself.",
              "$ref": "#/$defs/semanticVersion"
            },
            "entry": {
              "description": "The class that conforms to FeatureModule.",
              "$ref": "#/$defs/swiftIdentifier"
            },
            "summary": {
              "description": "What the module is for.",
              "$ref": "#/$defs/line"
            },
            "requires": {
              "description": "The modules that this one needs, and which versions of them.",
              "type": "object",
              "propertyNames": { "$ref": "#/$defs/moduleName" },
              "additionalProperties": {
                "description": "A range as npm writes it: 1.2.3, ^1.2.0, ~1.2, >=1.0.0 <2.0.0 or *.",
                "type": "string"
              }
            },
            "activation": {
              "description": "When the module is loaded: with the host, or when one of its links or interfaces is first wanted.",
              "enum": ["startup", "onDemand"],
              "default": "startup"
            },
            "provides": {
              "description": "The types that the module registers for others, by name: interfaces of AtriumKit or of a contract library.",
              "type": "array",
              "uniqueItems": true,
              "items": { "$ref": "#/$defs/interfaceName" }
            },
            "screens": {
              "description": "The links that the module answers, each with what it shows.",
              "type": "object",
              "propertyNames": { "$ref": "#/$defs/linkPattern" },
              "additionalProperties": { "$ref": "#/$defs/line" }
            },
            "configuration": {
              "description": "The values that modules.json may set for the module.",
              "type": "object",
              "propertyNames": { "$ref": "#/$defs/configurationKey" },
              "additionalProperties": { "$ref": "#/$defs/configurationValue" }
            }
          },
          "$defs": {
            "moduleName": {
              "title": "module name",
              "description": "a capital letter, then letters and digits",
              "type": "string",
              "pattern": "^[A-Z][A-Za-z0-9]*$",
              "examples": ["UserProfile"]
            },
            "interfaceName": {
              "title": "interface name",
              "description": "a capital letter, then letters and digits",
              "type": "string",
              "pattern": "^[A-Z][A-Za-z0-9]*$",
              "examples": ["HTTPTransport"]
            },
            "swiftIdentifier": {
              "title": "Swift identifier",
              "description": "a letter or '_', then letters, digits and '_'",
              "type": "string",
              "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
              "examples": ["UserProfileModule"]
            },
            "semanticVersion": {
              "title": "semantic version",
              "description": "three numbers without leading zeros, then optionally '-' and a prerelease, then optionally '+' and build metadata",
              "type": "string",
              "pattern": "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$",
              "examples": ["1.0.0"]
            },
            "line": {
              "title": "line of text",
              "description": "one line that is not empty, without control characters or space at its ends",
              "type": "string",
              "pattern": "^[^\\s\\u0000-\\u001F\\u007F-\\u009F]([^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029]*[^\\s\\u0000-\\u001F\\u007F-\\u009F])?$",
              "examples": ["Browse, search and edit entities"]
            },
            "linkPattern": {
              "title": "link",
              "description": "segments between '/', each of lowercase letters, digits and '-', or ':' and the name of a parameter; at the end also ':name?' for parameters that may be absent, or one ':name*' for any number of segments",
              "type": "string",
              "pattern": "^(?:[a-z0-9][a-z0-9-]*|:[a-z][A-Za-z0-9]*)(?:/(?:[a-z0-9][a-z0-9-]*|:[a-z][A-Za-z0-9]*))*(?:(?:/:[a-z][A-Za-z0-9]*\\?)*|/:[a-z][A-Za-z0-9]*\\*)$",
              "examples": ["entities/:id"]
            },
            "configurationKey": {
              "title": "configuration key",
              "description": "a lowercase letter, then letters and digits, with single '.' and '-' between them",
              "type": "string",
              "pattern": "^[a-z][A-Za-z0-9]*(?:[.-][A-Za-z0-9]+)*$",
              "examples": ["pageSize"]
            },
            "configurationValue": {
              "type": "object",
              "additionalProperties": false,
              "required": ["type", "summary"],
              "properties": {
                "type": {
                  "description": "What the value must be.",
                  "enum": ["string", "integer", "number", "boolean"]
                },
                "default": {
                  "description": "The value where modules.json sets none."
                },
                "choices": {
                  "description": "The values that are allowed, where not every value of the type is.",
                  "type": "array",
                  "minItems": 1,
                  "uniqueItems": true
                },
                "summary": {
                  "description": "What the value is for.",
                  "$ref": "#/$defs/line"
                }
              }
            }
          }
        }

        """#
}
