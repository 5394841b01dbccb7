import type { JsonObject } from '../api/meta/object.ts'
import { runAtOnce, type Steps } from '../lib/steps.ts'
import { DecodeError } from '../schema/decode.ts'
import type { StructSchema } from '../schema/schema.ts'
import { decodeBodyInSteps, typeOfBody } from './body.ts'
import { type ParsedYaml, parseYamlInSteps, YamlError } from './yaml.ts'

/** Returns the type of a configuration file by its version and kind; undefined if the file may not be of that kind. */
export type TypeOfConfig = (apiVersion: string, kind: string) => StructSchema | undefined

/**
 * Decodes a configuration file of the operator, YAML or JSON, strictly: unknown and repeated members are errors.
 * Defaults are not applied. Throws DecodeError with the text of apimachinery's strict codec. `isSecret`: no error
 * quotes the file.
 */
export const decodeConfigFile = (bytes: Buffer, typeOf: TypeOfConfig, { isSecret = false } = {}): JsonObject =>
  runAtOnce(
    (function* () {
      return yield* decodeConfigInSteps(yield* parseConfigInSteps(bytes), typeOf, isSecret ? undefined : () => bytes.toString())
    })(),
  )

/** Parses a configuration file of the operator in steps. Throws DecodeError. */
export function* parseConfigInSteps(bytes: Buffer): Steps<ParsedYaml> {
  try {
    return yield* parseYamlInSteps(bytes)
  } catch (error) {
    throw error instanceof YamlError ? new DecodeError(error.message) : error
  }
}

/**
 * `decodeConfigFile` of a parsed value, in steps. `text`: the text that the error for a missing kind or version quotes;
 * undefined for a secret.
 */
export function* decodeConfigInSteps(parsed: ParsedYaml, typeOf: TypeOfConfig, text: (() => string) | undefined): Steps<JsonObject> {
  const missing = (what: string): DecodeError => new DecodeError(`Object '${what}' is missing${text ? ` in '${text()}'` : ''}`)
  try {
    const { apiVersion, kind } = typeOfBody(parsed.value)
    if (kind === '') throw missing('Kind')
    if (apiVersion === '') throw missing('apiVersion')
    const type = typeOf(apiVersion, kind)
    if (type === undefined)
      throw new DecodeError(
        `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`,
      )
    const { object, strict, strictText } = yield* decodeBodyInSteps(type, parsed)
    if (strict.length > 0) throw new DecodeError(`strict decoding error: ${strictText}`)
    return object
  } catch (error) {
    throw error instanceof YamlError ? new DecodeError(error.message) : error
  }
}
