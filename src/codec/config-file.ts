import type { JsonObject } from '../api/meta/object.ts'
import { DecodeError } from '../schema/decode.ts'
import type { StructSchema } from '../schema/schema.ts'
import { decodeBody, typeOfBody } from './body.ts'
import type { ParsedJson } from './json-exact.ts'
import { type ParsedYaml, parseYaml, YamlError } from './yaml.ts'

/** Returns the type of a configuration file by its version and kind; undefined if the file may not be of that kind. */
export type TypeOfConfig = (apiVersion: string, kind: string) => StructSchema | undefined

/**
 * Decodes a configuration file of the operator, YAML or JSON, strictly: unknown and repeated members are errors. Defaults are not applied. Throws DecodeError
 * with the text of apimachinery's strict codec. `isSecret`: no error quotes the file.
 */
export function decodeConfigFile(bytes: Buffer, typeOf: TypeOfConfig, { isSecret = false } = {}): JsonObject {
  try {
    return decodeConfig(parseYaml(bytes), typeOf, isSecret ? undefined : bytes)
  } catch (error) {
    throw error instanceof YamlError ? new DecodeError(error.message) : error
  }
}

/** Like `decodeConfigFile`, for a parsed file or a part of one. Errors quote `text` if it is given. */
export function decodeConfig(parsed: ParsedJson | ParsedYaml, typeOf: TypeOfConfig, text?: Buffer | string): JsonObject {
  const missing = (what: string): DecodeError => new DecodeError(`Object '${what}' is missing${text === undefined ? '' : ` in '${text}'`}`)
  const { apiVersion, kind } = typeOfBody(parsed.value)
  if (kind === '') throw missing('Kind')
  if (apiVersion === '') throw missing('apiVersion')
  const type = typeOf(apiVersion, kind)
  if (type === undefined)
    throw new DecodeError(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`)
  const { object, strict, strictText } = decodeBody(type, parsed)
  if (strict.length > 0) throw new DecodeError(`strict decoding error: ${strictText}`)
  return object
}
