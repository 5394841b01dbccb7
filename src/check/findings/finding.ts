import { type InputObject, locationPosition } from '../input/input-object.ts'
import { type FieldLocation, locateField } from '../input/position.ts'
import type { CheckedName, CheckFinding, CheckSeverity } from '../types.ts'

/** Rules by name. The names are stable: outputs contain them, and users filter by them. */
export const RULES = {
  unreadable: 'A file cannot be read as manifests',
  'incomplete-object': 'An object has no apiVersion or no kind',
  'not-an-object': 'A document is not an API object',
  'unknown-kind': 'No definition of a kind is known',
  'removed-version': 'The release does not serve a version any more',
  'missing-version': 'The release does not serve a version yet',
  'deprecated-version': 'A version is deprecated',
  'unknown-field': 'A kind does not have a field',
  'duplicate-field': 'A field is written twice',
  'wrong-type': 'A value has the wrong type',
  'invalid-value': 'Validation rejects a value',
  'immutable-field': 'A field of an existing object cannot be changed',
  'dropped-value': 'The release drops a value',
  'default-value': 'The server sets a default',
  'apply-conflict': 'Another manager owns a field',
  'policy-denied': 'An admission policy denies an object',
  'policy-warning': 'An admission policy warns about an object',
  'policy-mutated': 'An admission policy changes an object',
  'policy-type': 'An expression of a policy does not fit the types that it is evaluated on',
  'webhook-denied': 'An admission webhook denies an object',
  'webhook-mutated': 'An admission webhook changes an object',
  'webhook-not-called': 'An admission webhook would be called',
  'quota-exceeded': 'A quota is exceeded',
  'limit-range': 'A limit range rejects an object',
  'pod-security': 'Pod Security rejects a pod or warns about it',
  'pods-denied': 'Admission would deny the pods of a workload',
  'admission-denied': 'An admission plugin denies an object',
  forbidden: 'The user lacks a permission',
  'missing-namespace': 'A namespace does not exist',
  'missing-reference': 'A reference points to nothing',
  'unmatched-selector': 'A selector selects nothing',
  'repeated-object': 'An object is in the input twice',
  'server-warning': 'The server warns about an object',
  refused: 'The server refuses an object',
} as const

/** Name of a rule. */
export type RuleName = keyof typeof RULES

/** Optional parts of a finding about an object. */
export interface FindingParts {
  /** Optional. How to correct the object. */
  readonly advice?: string | undefined
  /** Optional. Path of the field. Also locates the finding, unless `at` does. */
  readonly field?: string | undefined
  /** Optional. Policy, webhook, quota or manager that caused the finding. */
  readonly by?: string | undefined
  /** Optional. Unified diff. An empty one is left out. */
  readonly diff?: string | undefined
  /** Location of the finding. Default: that of `field`, or the beginning of the object. */
  readonly at?: FieldLocation | undefined
}

/** Name of an object in results. */
export const checkedName = ({
  apiVersion,
  kind,
  namespace,
  name,
}: Pick<InputObject, 'apiVersion' | 'kind' | 'namespace' | 'name'>): CheckedName => ({
  apiVersion,
  kind,
  ...(namespace !== '' && { namespace }),
  name,
})

/** Creates a finding about an object. */
export function objectFinding(
  object: InputObject,
  rule: RuleName,
  severity: CheckSeverity,
  message: string,
  parts: FindingParts = {},
): CheckFinding {
  const { field, at = locateField(object.node, field ?? ''), advice, by, diff } = parts
  return {
    rule,
    severity,
    message,
    ...(advice !== undefined && { advice }),
    object: checkedName({ ...object, apiVersion: object.convertedFrom ?? object.apiVersion }),
    ...(object.convertedFrom !== undefined && { as: object.apiVersion }),
    ...(field !== undefined && field !== '' && { field }),
    ...(by !== undefined && { by }),
    ...(diff !== undefined && diff !== '' && { diff }),
    position: locationPosition(object, at),
  }
}

/** Converts a JSON pointer to a path as validation errors have it. */
export const pointerPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, step) =>
        /^\d+$/.test(step) ? `${path}[${step}]` : /[.[\]/]/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`,
      '',
    )
