extension JSONSchema {
    /// The schema of `modules.json`, the configuration of the host.
    ///
    /// Compiled when it is first wanted.
    public static let host = embedded(hostText)

    /// The text of `Schemas/modules.schema.json`; a test holds the two equal.
    public static let hostText = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "Atrium host configuration",
          "description": "modules.json: which modules the host loads, with which configuration, in which environment.",
          "type": "object",
          "additionalProperties": false,
          "required": ["modules"],
          "properties": {
            "$schema": {
              "description": "Where editors find this schema.",
              "type": "string"
            },
            "environment": {
              "description": "Which implementation of every service is built.",
              "enum": ["mock", "local", "live"],
              "default": "local"
            },
            "searchPaths": {
              "description": "The folders in which modules are looked for, in order; relative to this file. None: the folder of the host's executable.",
              "type": "array",
              "uniqueItems": true,
              "items": { "type": "string", "minLength": 1 },
              "default": []
            },
            "modules": {
              "description": "The modules to load, each once.",
              "type": "array",
              "items": { "$ref": "#/$defs/module" }
            },
            "data": {
              "description": "The folder in which the host keeps what it stores; relative to this file.",
              "type": "string",
              "minLength": 1
            },
            "api": {
              "description": "The server of environment live.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "url": {
                  "description": "Where its API begins; what names no path after the host is the whole server.",
                  "$ref": "#/$defs/serverURL"
                },
                "timeLimit": {
                  "description": "How many seconds a request may take, with all its attempts.",
                  "type": "number",
                  "minimum": 0.1,
                  "maximum": 3600,
                  "default": 30
                },
                "attempts": {
                  "description": "How often a request is sent at most, where it may be repeated.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 10,
                  "default": 4
                }
              }
            },
            "trust": {
              "description": "Which libraries may be loaded.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "policy": {
                  "description": "any: every library. locked: those that modules.lock pins. signed: those that one of the keys has signed.",
                  "enum": ["any", "locked", "signed"],
                  "default": "any"
                },
                "keys": {
                  "description": "The public keys of those who may sign a library.",
                  "type": "array",
                  "uniqueItems": true,
                  "items": { "$ref": "#/$defs/publicKey" },
                  "default": []
                }
              }
            }
          },
          "$defs": {
            "module": {
              "type": "object",
              "additionalProperties": false,
              "required": ["name"],
              "properties": {
                "name": {
                  "description": "The name in the manifest of the module.",
                  "$ref": "#/$defs/moduleName"
                },
                "path": {
                  "description": "The library, where it is not on the search path; relative to this file.",
                  "type": "string",
                  "minLength": 1
                },
                "configuration": {
                  "description": "Values for the configuration that the module's manifest declares.",
                  "type": "object",
                  "additionalProperties": { "type": ["string", "number", "boolean"] }
                }
              }
            },
            "moduleName": {
              "title": "module name",
              "description": "a capital letter, then letters and digits",
              "type": "string",
              "pattern": "^[A-Z][A-Za-z0-9]*$",
              "examples": ["UserProfile"]
            },
            "serverURL": {
              "title": "server URL",
              "description": "http or https, a host, perhaps a port and a path; no name, password, query or fragment",
              "type": "string",
              "examples": ["http://127.0.0.1:8787"]
            },
            "publicKey": {
              "title": "minisign public key",
              "description": "the 56 characters from RW that 'minisign -G' prints",
              "type": "string",
              "pattern": "^RW[Q-T][A-Za-z0-9+/]{53}$",
              "examples": ["RWT52o316wDkECeYz6ofb3+B4tYneuNxfFMWtxm8lrRZ7knFuMW5BcZw"]
            }
          }
        }

        """#
}
