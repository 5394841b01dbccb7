import type { Json } from '../api/meta/object.ts'
import { runInTurns } from '../lib/steps.ts'
import { isStatusError } from '../meta/status.ts'
import { readForeignJson } from './foreign-json.ts'
import { TooManyValuesError } from './json-exact.ts'
import { parseYamlBody } from './yaml.ts'

/** Limit on the values of a review: a verdict with its warnings, annotations and groups. */
export const MOST_REVIEW_VALUES = 16_384
/** A longer text is not parsed as YAML: that parser takes several times as long, in steps of unbounded length. */
export const MAX_YAML_BYTES = 32 * 1024

/** White space as Go's unicode package defines it, followed by a brace. */
const OBJECT = /^(?:(?!\ufeff)[\s\u0085])*\{/

/** Whether apimachinery's decoders read the text only as JSON, not as YAML. */
export const beginsAsObject = (body: Buffer): boolean => OBJECT.test(body.subarray(0, 1024).toString())

/**
 * Parses a webhook's response in steps. A text that does not begin like a JSON object is parsed as YAML, as
 * apimachinery's decoders do. Throws JsonSyntaxError, TooManyValuesError or YamlError.
 */
export async function readForeignReview(body: Buffer): Promise<Json> {
  return beginsAsObject(body) ? readForeignJson(body, undefined, MOST_REVIEW_VALUES) : readForeignYaml(body)
}

/**
 * Parses a webhook's response as YAML, of which JSON is a subset. A text longer than `MAX_YAML_BYTES` must be JSON.
 * Aliases may make a short text large.
 */
export async function readForeignYaml(body: Buffer): Promise<Json> {
  if (body.length > MAX_YAML_BYTES) return readForeignJson(body, undefined, MOST_REVIEW_VALUES)
  try {
    return (await runInTurns(parseYamlBody(body))).value
  } catch (error) {
    throw isStatusError(error) ? new TooManyValuesError('the text holds too many values') : error
  }
}
