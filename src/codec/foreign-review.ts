import { runInTurns } from '../lib/steps.ts'
import type { Json } from '../meta/object.ts'
import { readForeignJson } from './foreign-json.ts'
import { parseYamlInSteps } from './yaml.ts'

/** Values of a review: a verdict, with its warnings, annotations and groups. */
export const MOST_REVIEW_VALUES = 16_384
/** A longer text is no YAML: its parser takes several times as long, in steps that cannot be bounded. */
export const MAX_YAML_BYTES = 32 * 1024

/** White space of Go's unicode package, and a brace. */
const OBJECT = /^(?:(?!\ufeff)[\s\u0085])*\{/

/** Whether decoders of apimachinery read a text as JSON only, not as YAML. */
export const beginsAsObject = (body: Buffer): boolean => OBJECT.test(body.subarray(0, 1024).toString())

/**
 * The value of a webhook's response in steps. A text that does not begin as an object of JSON does is read as YAML, as decoders of apimachinery do. Throws JsonSyntaxError, TooManyValuesError or YamlError.
 */
export async function readForeignReview(body: Buffer): Promise<Json> {
  return beginsAsObject(body) ? readForeignJson(body, undefined, MOST_REVIEW_VALUES) : readForeignYaml(body)
}

/** The same of a text that is YAML, of which JSON is a part. A long one must be JSON. */
export async function readForeignYaml(body: Buffer): Promise<Json> {
  return body.length > MAX_YAML_BYTES ? readForeignJson(body, undefined, MOST_REVIEW_VALUES) : (await runInTurns(parseYamlInSteps(body))).value
}
