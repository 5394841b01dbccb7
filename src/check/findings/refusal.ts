import type { Status } from '../../meta/status.ts'
import type { PolicyStep, WebhookCallStep, WhyStep } from '../../meta/why.ts'
import type { SourceNode } from '../../upgrade/source/nodes.ts'
import type { InputObject } from '../input/input-object.ts'
import { type FieldLocation, locateField } from '../input/position.ts'
import type { CheckFinding } from '../types.ts'
import { objectFinding, type RuleName } from './finding.ts'

/** Rules of the plugins that deny objects. */
const RULE_OF_PLUGIN: Readonly<Record<string, RuleName>> = {
  ResourceQuota: 'quota-exceeded',
  LimitRanger: 'limit-range',
  PodSecurity: 'pod-security',
  ValidatingAdmissionPolicy: 'policy-denied',
  MutatingAdmissionPolicy: 'policy-denied',
  ValidatingAdmissionWebhook: 'webhook-denied',
  MutatingAdmissionWebhook: 'webhook-denied',
}

/** Advice about a namespace that cannot exist. */
export const NAMESPACE_ADVICE = 'names of namespaces are lowercase letters, digits and dashes'

const ADVICE: Readonly<Partial<Record<RuleName, string>>> = {
  'wrong-type': 'write the value in the type that the field has',
  'quota-exceeded': 'request less, or raise the quota',
  'immutable-field': 'keep the value, or delete and recreate the object',
  'apply-conflict': 'leave the field to its manager, or apply with --force-conflicts to take it over',
  forbidden: 'grant the permission with a role, or apply as another user',
}

/**
 * Findings about an error response. `steps`: steps of the request, which tell what denied it. `culprit`: value that
 * cannot be decoded, if it is known.
 */
export function refusalFindings(
  object: InputObject,
  status: Status,
  steps: readonly WhyStep[],
  isUpdate: boolean,
  culprit?: FieldLocation,
): CheckFinding[] {
  const denial = denialOf(steps)
  if (denial)
    return [
      objectFinding(object, denial.rule, 'error', status.message ?? '', { by: denial.by, advice: ADVICE[denial.rule], ...fieldIn(status) }),
    ]
  const causes = status.details?.causes ?? []
  if (status.reason === 'Invalid' && causes.length > 0) return causes.map(cause => causeFinding(object, cause, isUpdate))
  if (status.reason === 'Conflict' && causes.length > 0)
    return causes.map(({ field = '', message = '' }) =>
      objectFinding(object, 'apply-conflict', 'error', `${message}: ${field}`, {
        field,
        by: managerIn(message),
        advice: ADVICE['apply-conflict'],
      }),
    )
  const wrong = culprit ?? wrongValue(object, status)
  if (wrong !== undefined) return [wrongFinding(object, status.message ?? '', wrong)]
  if (status.reason === 'NotFound' && status.details?.kind === 'namespaces')
    return [
      objectFinding(object, 'missing-namespace', 'error', status.message ?? '', { field: 'metadata.namespace', advice: NAMESPACE_ADVICE }),
    ]
  const rule = status.code === 403 ? 'forbidden' : 'refused'
  return [objectFinding(object, rule, 'error', status.message ?? '', { advice: ADVICE[rule] })]
}

/** Finding about a value that cannot be decoded, or that an apply does not take. */
function wrongFinding(object: InputObject, message: string, wrong: FieldLocation): CheckFinding {
  const [rule, advice]: readonly [RuleName, string | undefined] = message.includes(': field not declared in schema')
    ? ['unknown-field', 'correct or remove the field']
    : message.includes(': duplicate entries for key ')
      ? ['invalid-value', 'remove one of the items: a server-side apply takes each key once']
      : ['wrong-type', ADVICE['wrong-type']]
  return objectFinding(object, rule, 'error', message, wrong.isExact ? { field: wrong.path, at: wrong, advice } : {})
}

interface Cause {
  readonly reason?: string
  readonly field?: string
  readonly message?: string
}

/** Messages of fields that cannot be changed. */
const IMMUTABLE =
  /immutable|may not be changed|updates to |may not update|cannot be changed|may not change once set|updates may not |cannot change /i

/** Finding about one validation error, in the server's words. */
function causeFinding(object: InputObject, { field = '', message = '', reason }: Cause, isUpdate: boolean): CheckFinding {
  const rule = isUpdate && IMMUTABLE.test(message) ? 'immutable-field' : reason === 'FieldValueTypeInvalid' ? 'wrong-type' : 'invalid-value'
  const isPath = field !== '' && field !== '<nil>'
  const at = isPath ? keyInside(object, field, message) : undefined
  return objectFinding(object, rule, 'error', isPath ? `${field}: ${message}` : message, {
    ...(isPath && { field }),
    at,
    advice: ADVICE[rule],
  })
}

/**
 * Locates the member of a map that an error is about, if the error names the map and quotes the key or the value, such
 * as a label.
 */
function keyInside({ node }: InputObject, field: string, message: string): FieldLocation | undefined {
  const quoted = /^[\w ]+: "([^"\\]*)"/.exec(message)?.[1]
  if (quoted === undefined) return undefined
  const at = locateField(node, `${field}[${quoted}]`)
  if (at.isExact) return at
  const map = locateField(node, field)
  const { node: target } = map
  const member =
    map.isExact && target.kind === 'map' ? target.pairs.find(({ value }) => value.kind === 'scalar' && value.value === quoted) : undefined
  return member && { ...locateField(node, `${field}[${member.key}]`) }
}

/** Policy, webhook or plugin that denied a request. */
export interface Denial {
  readonly rule: RuleName
  readonly by: string
}

/** Returns what denied a request. Undefined if admission did not. */
export function denialOf(steps: readonly WhyStep[]): Denial | undefined {
  const policy = steps.find(
    (step): step is PolicyStep => step.step === 'policy' && (step.outcome === 'refused' || step.outcome === 'failed'),
  )
  if (policy) return { rule: 'policy-denied', by: policy.policy }
  const webhook = steps.find(
    (step): step is WebhookCallStep => step.step === 'webhook' && (step.outcome === 'refused' || step.outcome === 'failed'),
  )
  if (webhook) return { rule: 'webhook-denied', by: webhook.webhook }
  for (const step of steps)
    if (step.step === 'admission plugin' && step.outcome === 'refused')
      return step.plugin === 'NamespaceLifecycle' ? undefined : { rule: RULE_OF_PLUGIN[step.plugin] ?? 'admission-denied', by: step.plugin }
  return undefined
}

/** Field of the first cause of a denial. */
function fieldIn({ details }: Status): { readonly field?: string } {
  const field = details?.causes?.find(cause => cause.field !== undefined && cause.field !== '')?.field
  return field === undefined ? {} : { field }
}

/** Manager in `conflict with "kubectl" using apps/v1`. */
export const managerIn = (message: string): string => /^conflicts? with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? ''

/**
 * Locates the value that a decoder rejects. Its words are Go's
 * (`cannot unmarshal string into Go struct field Container.spec.template.spec.containers.ports of type
 * …`), which omit indices, or those of an apply (`.spec.replicas: expected numeric
 * …`). Not exact if the message names no field; undefined if it is not about decoding.
 */
export function wrongValue({ node }: InputObject, { message = '' }: Status): FieldLocation | undefined {
  const [, found = '', go] = /cannot unmarshal (\w+) into Go struct field [^\s.]+\.(\S+) of type/.exec(message) ?? []
  if (go !== undefined) return locateField(node, go, { accepts: each => jsonKindOf(each) === found })
  const typed = /(?:^|: |\n {2})(\.[^\s:]+): (?:expected|duplicate|field not declared)/.exec(message)?.[1]
  if (typed !== undefined) return locateField(node, typed)
  return /cannot be handled as a|json: cannot unmarshal|quantities must match/.test(message)
    ? { ...locateField(node, ''), isExact: false }
    : undefined
}

/** Kind of a value in the messages of Go's decoder. */
function jsonKindOf(node: SourceNode): string {
  switch (node.kind) {
    case 'map':
      return 'object'
    case 'list':
      return 'array'
    case 'alias':
      return jsonKindOf(node.target)
    case 'scalar':
      return typeof node.value === 'boolean' ? 'bool' : typeof node.value === 'string' ? 'string' : node.value === null ? 'null' : 'number'
  }
}
