import { ConditionMetrics } from '../../admission/expressions/condition-metrics.ts'
import { type CompiledValidatingPolicy, compileValidatingPolicy } from '../../admission/policies/compiled-policy.ts'
import { decide } from '../../admission/policies/decisions.ts'
import { readMatchResources } from '../../admission/policies/match-resources.ts'
import type { AdmissionPolicy } from '../../admission/policies/policy.ts'
import type { ActivePolicy } from '../../admission/policies/policy-index.ts'
import { faultText, PolicyRequest } from '../../admission/policies/policy-request.ts'
import type { ValidatingAdmissionPolicySpec } from '../../api/admissionregistration/v1.types.ts'
import { isJsonObject, type JsonObject, type KubeObject } from '../../api/meta/object.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { asKind } from '../../catalog/define.ts'
import type { ResourceAccess, ResourceId } from '../../catalog/resource-access.ts'
import { parseYamlInSteps, YamlError } from '../../codec/yaml.ts'
import { runAtOnce, runInTurns } from '../../lib/steps.ts'
import { type Authorizer, mayDo } from '../../meta/authorizer.ts'
import type { RequestContext } from '../../meta/context.ts'
import { badRequestError, forbiddenError, isStatusError, notFoundError } from '../../meta/status.ts'
import { servedById } from '../../registry/registry-reader.ts'
import { VALIDATING_POLICIES } from '../../resources/kinds.ts'
import { decode } from '../../schema/decode.ts'
import { applyDefaults } from '../../schema/default.ts'
import { DecodeError } from '../../schema/diagnose.ts'
import { parseRequestInfo } from '../../server/filters/request-info.ts'

/** Maximum number of objects that are tried. */
const MOST_OBJECTS = 1_000
/** Messages per object, and characters per message. */
const MOST_MESSAGES = 5
const LONGEST_MESSAGE = 500

/** Dependencies of a policy trial. */
export interface TrialParts {
  readonly catalog: Catalog
  /** Access in the server's name. Permission to read is checked beforehand. */
  readonly access: ResourceAccess
  readonly authorizer: Authorizer
}

/** Result of a policy for one object. */
export interface TriedObject {
  readonly namespace: string
  readonly name: string
  /** `failed`: the policy could not be evaluated. */
  readonly outcome: 'allowed' | 'refused' | 'failed' | 'not matched'
  readonly messages: readonly string[]
}

export interface PolicyTrial {
  readonly results: readonly TriedObject[]
  /** Whether the collection has more objects. */
  readonly isCut: boolean
}

/**
 * Evaluates a ValidatingAdmissionPolicy, stored or not, as if each stored object of a collection were created. Writes
 * nothing and calls no webhooks. `authorizer` allows nothing, so that a trial cannot reveal permissions of
 * others. @param text the policy as YAML, optionally followed by a document with its params. Throws a StatusError: 403
 * if the user may not list the objects.
 */
export async function tryPolicy(parts: TrialParts, ctx: RequestContext, text: string, path: string): Promise<PolicyTrial> {
  const [document, params] = await documentsOf(text)
  const policy = policyOf(parts.catalog, document)
  const compiled = await runInTurns(compileValidatingPolicy(policy), ctx.signal)
  const { id, namespace } = collectionOf(path, parts.catalog)
  if (!(await mayDo(parts.authorizer, ctx, { ...id, verb: 'list', namespace })))
    throw forbiddenError(id, '', `User "${ctx.user.name}" cannot list these objects`)
  const { items } = await parts.access.list(id, namespace, { resourceVersion: '0' })
  const results: TriedObject[] = []
  for (const object of items.slice(0, MOST_OBJECTS)) {
    ctx.signal.throwIfAborted()
    results.push(await tryObject({ ...parts, ctx, id, policy, compiled, params }, object))
  }
  return { results, isCut: items.length > MOST_OBJECTS }
}

/** Splits the text into the policy and its optional params. Throws 400 if it is malformed. */
async function documentsOf(text: string): Promise<readonly [JsonObject, JsonObject | undefined]> {
  const documents: JsonObject[] = []
  for (const part of text.split(/^---[ \t]*$/m)) {
    if (part.trim() === '') continue
    const { value } = await runInTurns(parseYamlInSteps(Buffer.from(part))).catch((error: unknown) => {
      if (error instanceof YamlError) throw badRequestError(error.message)
      throw error
    })
    if (!isJsonObject(value)) throw badRequestError('policy: a document is not an object')
    documents.push(value)
  }
  const [policy, params] = documents
  if (policy === undefined || documents.length > 2)
    throw badRequestError('policy: must be one document, optionally followed by one with its parameters')
  return [policy, params]
}

/** Decodes and defaults the policy as a write of it would. Throws 400 if it is invalid. */
function policyOf(catalog: Catalog, document: JsonObject): AdmissionPolicy<ValidatingAdmissionPolicySpec> {
  if (document.kind !== 'ValidatingAdmissionPolicy') throw badRequestError('policy: must be a ValidatingAdmissionPolicy')
  const { version } = servedById(catalog, VALIDATING_POLICIES)
  try {
    const object = decode(version.schema, { metadata: {}, spec: {}, ...document, apiVersion: `${version.group}/${version.name}` })
    applyDefaults(version.schema, object)
    // Decoded with the schema of the kind.
    const policy = object as KubeObject
    const steps = version.setDefaults?.(policy)
    if (steps) runAtOnce(steps)
    return asKind(VALIDATING_POLICIES, policy)
  } catch (error) {
    if (error instanceof DecodeError) throw badRequestError(`policy: ${error.message}`)
    throw error
  }
}

/**
 * Resolves the path of a collection. Throws a StatusError, also for a cluster-scoped kind in a namespace: permission to
 * list there does not cover the whole collection.
 */
function collectionOf(path: string, catalog: Catalog): { readonly id: ResourceId; readonly namespace: string } {
  const info = parseRequestInfo('GET', path, () => new URLSearchParams())
  if (!info.isResource || info.verb !== 'list' || info.subresource !== '') throw badRequestError('path: must be that of a collection')
  const { definition } = servedById(catalog, info)
  if (definition.storage === undefined) throw badRequestError('path: the kind is not stored')
  if (info.namespace !== '' && definition.scope !== 'Namespaced') throw badRequestError('path: the kind is cluster-scoped')
  return { id: { group: info.group, resource: info.resource }, namespace: info.namespace }
}

/** A trial in progress. */
interface Trial extends TrialParts {
  readonly ctx: RequestContext
  readonly id: ResourceId
  readonly policy: AdmissionPolicy<ValidatingAdmissionPolicySpec>
  readonly compiled: CompiledValidatingPolicy
  readonly params: JsonObject | undefined
}

/** Evaluates the policy as if the object were created. */
async function tryObject(
  { catalog, access, authorizer, ctx, id, policy, compiled, params }: Trial,
  object: KubeObject,
): Promise<TriedObject> {
  const { name = '', namespace = '' } = object.metadata
  const told = (outcome: TriedObject['outcome'], messages: readonly string[] = []): TriedObject => ({
    namespace,
    name,
    outcome,
    messages: messages.slice(0, MOST_MESSAGES).map(message => message.slice(0, LONGEST_MESSAGE)),
  })
  const namespaces = { group: '', resource: 'namespaces' }
  const conditionMetrics = new ConditionMetrics()
  const request = new PolicyRequest(
    {
      catalog,
      conditionMetrics,
      params: { get: () => Promise.reject(notFoundError(id, '')), list: async () => [] },
      authorize: async () => ({ decision: 'no opinion', reason: 'the authorizer is not called in a trial of a policy' }),
      getNamespace: async wanted => {
        if (!(await mayDo(authorizer, ctx, { ...namespaces, verb: 'get', namespace: wanted, name: wanted })))
          throw forbiddenError(namespaces, wanted, `User "${ctx.user.name}" cannot get it`)
        return access.get(namespaces, '', wanted, { resourceVersion: '0' })
      },
    },
    { ctx, operation: 'CREATE', served: servedById(catalog, id), subresource: '', namespace, name, dryRun: true, object },
  )
  try {
    const matched = await request.match(activeOf(policy, compiled))
    if (matched === undefined) return told('not matched')
    const values = await request.values(matched.about, params)
    const { decisions } = await decide(compiled, values, { ignoreFailures: false, ...request.counting(policy.metadata.name ?? '') })
    const against = decisions.filter(({ action }) => action === 'deny')
    if (against.length === 0) return told('allowed')
    return told(
      against.some(({ failed }) => failed) ? 'failed' : 'refused',
      against.map(({ message }) => message),
    )
  } catch (error) {
    if (isStatusError(error, 'Forbidden')) return told('failed', [error.message])
    return told('failed', [faultText(error, 'policy')])
  }
}

/** Wraps the policy as one in force, without bindings. */
const activeOf = (
  { metadata, spec }: AdmissionPolicy<ValidatingAdmissionPolicySpec>,
  compiled: CompiledValidatingPolicy,
): ActivePolicy<ValidatingAdmissionPolicySpec, CompiledValidatingPolicy> => ({
  name: metadata.name ?? '',
  spec,
  match: spec.matchConstraints && readMatchResources(spec.matchConstraints),
  bindings: [],
  compiled: async () => compiled,
})
