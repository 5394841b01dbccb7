import type { Json } from '../../api/meta/object.ts'
import { isJsonObject, objectIn } from '../../api/meta/object.ts'
import type { Steps } from '../../lib/steps.ts'
import { type FieldError, invalid, notSupported, required } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { FieldReader, KwokObjectError } from './field-reader.ts'

/** Group and version of all of kwok's objects. */
export const KWOK_API_VERSION = 'kwok.x-k8s.io/v1alpha1'

/** Name and namespace of an object. The namespace is empty for kinds of the cluster. */
export interface ObjectIdentity {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/**
 * Decodes an object of kwok in steps: checks its kind and name, and calls `decode` with a reader of its `spec`. Throws
 * KwokObjectError, which lists every invalid field.
 */
export function* decodeInSteps<T>(
  object: Json,
  kinds: readonly string[],
  decode: (spec: FieldReader, identity: ObjectIdentity) => Steps<T>,
): Steps<T> {
  const errors: FieldError[] = []
  const members = objectIn(object)
  const metadata = objectIn(members.metadata)
  const kind = typeof members.kind === 'string' ? members.kind : ''
  const name = typeof metadata.name === 'string' ? metadata.name : ''
  if (members.apiVersion !== KWOK_API_VERSION)
    errors.push(invalid(fieldPath('apiVersion'), members.apiVersion, `must be ${KWOK_API_VERSION}`))
  if (!kinds.includes(kind)) errors.push(notSupported(fieldPath('kind'), kind, kinds))
  if (name === '') errors.push(required(fieldPath('metadata', 'name')))
  if (!isJsonObject(members.spec)) errors.push(required(fieldPath('spec'), 'must be an object'))
  const spec = new FieldReader(objectIn(members.spec), fieldPath('spec'), errors)
  const namespace = typeof metadata.namespace === 'string' ? metadata.namespace : ''
  const decoded = errors.length === 0 ? yield* decode(spec, { kind, namespace, name }) : undefined
  if (decoded === undefined || errors.length > 0) throw new KwokObjectError(kind, name, errors)
  return decoded
}
