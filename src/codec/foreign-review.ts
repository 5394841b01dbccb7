import { runInTurns } from '../lib/steps.ts'
import type { Json } from '../meta/object.ts'
import { readForeignJson } from './foreign-json.ts'
import { parseYamlInSteps } from './yaml.ts'

/** Values of a review: a verdict, with its warnings, annotations and groups. */
const MOST_VALUES = 16_384
/** A longer text is no YAML: its parser takes several times as long, in steps that cannot be bounded. */
const MAX_YAML_BYTES = 32 * 1024

/**
 * The value of a webhook's response in steps. A text that does not begin as an object of JSON does is read as YAML, as decoders of apimachinery do. Throws JsonSyntaxError, TooManyValuesError or YamlError.
 */
export async function readForeignReview(body: Buffer, mostValues = MOST_VALUES): Promise<Json> {
  return /^\s*\{/.test(body.subarray(0, 1024).toString()) ? readForeignJson(body, undefined, mostValues) : readForeignYaml(body, mostValues)
}

/** The same of a text that is YAML, of which JSON is a part. A long one must be JSON. */
export async function readForeignYaml(body: Buffer, mostValues = MOST_VALUES): Promise<Json> {
  return body.length > MAX_YAML_BYTES ? readForeignJson(body, undefined, mostValues) : (await runInTurns(parseYamlInSteps(body))).value
}
