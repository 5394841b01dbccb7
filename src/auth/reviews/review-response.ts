import type { JsonObject } from '../../api/meta/object.ts'
import { types } from '../../catalog/types.ts'
import type { CallResponse } from '../../clients/destination.ts'
import { RemoteCallError } from '../../clients/remote-client.ts'
import { decodeBodyInSteps, typeOfBody } from '../../codec/body.ts'
import { readForeignYaml } from '../../codec/foreign-review.ts'
import { JsonSyntaxError } from '../../codec/json.ts'
import { TooManyValuesError } from '../../codec/json-exact.ts'
import { YamlError } from '../../codec/yaml.ts'
import { runInTurns } from '../../lib/steps.ts'
import { DecodeError } from '../../schema/decode.ts'
import type { StructSchema } from '../../schema/schema.ts'

/** Type of a review and the version in which it is sent. */
export interface ReviewKind {
  readonly group: 'authentication.k8s.io' | 'authorization.k8s.io'
  readonly version: 'v1' | 'v1beta1'
  readonly kind: 'SubjectAccessReview' | 'TokenReview'
}

/** Returns the declared type of a review. */
export const reviewSchema = ({ group, version, kind }: ReviewKind): StructSchema =>
  types.type(`${group.split('.')[0]}${version === 'v1' ? '' : 'V1beta1'}.${kind}`)

/**
 * Decodes a response. Absent kind and apiVersion default to those of the request. Throws RemoteCallError with
 * client-go's message.
 */
export async function reviewIn(
  { body, status, headers }: CallResponse,
  { group, version, kind }: ReviewKind,
  schema: StructSchema,
): Promise<JsonObject> {
  const unread = (why: string): RemoteCallError => new RemoteCallError(why, { statusCode: status })
  if (body.length === 0)
    throw unread(`0-length response with status code: ${status} and content type: ${headers['content-type'] ?? 'application/json'}`)
  try {
    const value = await readForeignYaml(body)
    const claimed = typeOfBody(value)
    const apiVersion = claimed.apiVersion || `${group}/${version}`
    if ((claimed.kind || kind) !== kind || apiVersion !== `${group}/${version}`) throw unread(unknown(claimed, { group, version, kind }))
    return (await runInTurns(decodeBodyInSteps(schema, { value, duplicates: [] }))).object
  } catch (error) {
    if (
      error instanceof YamlError ||
      error instanceof JsonSyntaxError ||
      error instanceof TooManyValuesError ||
      error instanceof DecodeError
    )
      throw unread(error.message)
    throw error
  }
}

/**
 * Error for a response of another type. client-go distinguishes known types, which it cannot convert, from unknown
 * ones.
 */
function unknown(claimed: { readonly apiVersion: string; readonly kind: string }, { group, version, kind }: ReviewKind): string {
  const { apiVersion } = claimed
  if (claimed.kind === kind && (apiVersion === `${group}/v1` || apiVersion === `${group}/v1beta1`))
    return `converting (${apiVersion.split('/')[1]}.${kind}) to (${version}.${kind}): unknown conversion`
  return `no kind ${JSON.stringify(claimed.kind || kind)} is registered for version ${JSON.stringify(apiVersion || `${group}/${version}`)} in scheme "pkg/runtime/scheme.go:110"`
}
