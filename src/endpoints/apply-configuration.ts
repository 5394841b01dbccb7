import { isJsonObject } from '../api/meta/object.ts'
import { jsonKind } from '../apply/patch/go-print.ts'
import { asCborText, CborError, parseCborInSteps } from '../codec/cbor.ts'
import { boundYamlInSteps } from '../codec/value-bound.ts'
import { type ParsedYaml, parseYamlBody, untypedValue } from '../codec/yaml.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Steps } from '../lib/steps.ts'
import { badRequestError, isStatusError } from '../meta/status.ts'
import type { ApplyChange } from '../registry/change/apply.ts'

/** A parsed apply configuration. */
export type Configuration = Pick<ApplyChange, 'config' | 'repeated'>

/** Messages about a configuration that cannot be decoded. */
interface DecodingTexts {
  readonly decoding: string
  /** Prefix of an error of YAML that does not begin like JSON. */
  readonly converting: string
}

const CONVERTING = 'error converting YAML to JSON: '

/** Messages before 1.37. */
export const TEXTS: DecodingTexts = { decoding: 'error decoding YAML: ', converting: `error decoding YAML: ${CONVERTING}` }
/** Since 1.37 a configuration is converted to JSON first, unless it begins like JSON. */
export const TEXTS_SINCE_1_37: DecodingTexts = { decoding: 'error decoding patch: ', converting: 'error encoding patch: ' }

/**
 * Parses a configuration in CBOR, in steps. Any fault, such as a repeated key, is an error at every level of field
 * validation.
 */
export function* parseCborConfiguration(body: Buffer, { decoding }: DecodingTexts): Steps<Configuration> {
  try {
    const { value, fault } = yield* parseCborInSteps(body)
    if (fault) throw new CborError(fault.text)
    if (value !== null && !isJsonObject(value))
      throw new CborError(asCborText(`json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`))
    return { config: value ?? {}, repeated: [] }
  } catch (error) {
    if (error instanceof CborError) throw badRequestError(decoding + error.message)
    throw error
  }
}

/** Parses a configuration in YAML, in steps. */
export function* parseConfiguration(body: Buffer, { decoding, converting }: DecodingTexts): Steps<Configuration> {
  let parsed: ParsedYaml
  yield* boundYamlInSteps(body)
  yield
  try {
    parsed = yield* parseYamlBody(body)
  } catch (error) {
    if (isStatusError(error)) throw error
    // The YAML library takes such a text for JSON, which needs no conversion.
    const prefix = body.toString().trimStart().startsWith('{') ? decoding + CONVERTING : converting
    throw badRequestError(prefix + errorMessage(error))
  }
  const { duplicates } = parsed
  const value = yield* untypedValue(parsed)
  if (value !== null && !isJsonObject(value))
    throw badRequestError(
      `${decoding}error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
    )
  return { config: value ?? {}, repeated: duplicates }
}
