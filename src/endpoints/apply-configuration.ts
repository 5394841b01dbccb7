import { isJsonObject } from '../api/meta/object.ts'
import { jsonKind } from '../apply/patch/go-print.ts'
import { asCborText, CborError, parseCbor } from '../codec/cbor.ts'
import { boundYamlValues } from '../codec/value-bound.ts'
import { type ParsedYaml, parseYamlInSteps, untypedValue } from '../codec/yaml.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Steps } from '../lib/steps.ts'
import { badRequestError } from '../meta/status.ts'
import type { ApplyChange } from '../registry/change/apply.ts'

/** A parsed apply configuration. */
export type Configuration = Pick<ApplyChange, 'config' | 'repeated'>

/** Parses a configuration in CBOR. Any fault, such as a repeated key, is an error at every level of field validation. */
export function parseCborConfiguration(body: Buffer): Configuration {
  try {
    const { value, fault } = parseCbor(body)
    if (fault) throw new CborError(fault.text)
    if (value !== null && !isJsonObject(value))
      throw new CborError(asCborText(`json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`))
    return { config: value ?? {}, repeated: [] }
  } catch (error) {
    if (error instanceof CborError) throw badRequestError(`error decoding YAML: ${error.message}`)
    throw error
  }
}

/** Parses a configuration in YAML, in steps. */
export function* parseConfiguration(body: Buffer): Steps<Configuration> {
  let parsed: ParsedYaml
  boundYamlValues(body)
  yield
  try {
    parsed = yield* parseYamlInSteps(body)
  } catch (error) {
    throw badRequestError(`error decoding YAML: error converting YAML to JSON: ${errorMessage(error)}`)
  }
  const { duplicates } = parsed
  const value = yield* untypedValue(parsed)
  if (value !== null && !isJsonObject(value))
    throw badRequestError(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
    )
  return { config: value ?? {}, repeated: duplicates }
}
