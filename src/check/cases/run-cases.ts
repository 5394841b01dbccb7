import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { deepEqual } from '../../meta/equal.ts'
import { failure } from '../../meta/status.ts'
import { denialOf } from '../findings/refusal.ts'
import { ADMIN, ForkClient, type ForkResponse, resourcePath } from '../fork/fork-client.ts'
import type { Fork } from '../fork/open-fork.ts'
import type { CaseResult } from '../types.ts'
import type { WebhookReviews } from '../webhook-reviews.ts'
import { type CaseSuite, isBinding, isPolicyObject, nameOf, type PolicyCase, type ViolationCount } from './policy-case.ts'

export interface CaseRunOptions {
  /** A fork of its own: the suite changes it. */
  readonly fork: Fork
  readonly reviews: WebhookReviews
  /** Namespace of objects that name none. */
  readonly namespace: string
  /** Policies of `--policies`. */
  readonly policies: readonly JsonObject[]
}

/** Runs the cases of a suite. */
export async function runSuite(suite: CaseSuite, options: CaseRunOptions): Promise<CaseResult[]> {
  const { file } = suite
  const run = new CaseRun(options)
  const skipped = suite.skipped.map(({ name, reason }): CaseResult => ({ name, file, passed: true, skipped: reason }))
  if (suite.cases.length === 0) return skipped
  const isDefinition = ({ kind }: JsonObject): boolean => kind === 'CustomResourceDefinition'
  const policies = [
    ...(suite.denies ? [] : options.policies.filter(object => !isDefinition(object))),
    ...suite.policies.map(policy => inServedVersion(policy, options.fork)),
  ]
  const bindings = policies.filter(object => isPolicyObject(object) && isBinding(object))
  // Objects that exist are not subject to the policies.
  for (const object of [...options.policies.filter(isDefinition), ...suite.given, ...policies]) {
    const fault = await run.create(object)
    if (fault !== undefined) return [...skipped, { name: `${String(object.kind)} ${nameOf(object)}`, file, passed: false, message: fault }]
  }
  await options.fork.settled()
  const results: CaseResult[] = []
  for (const each of suite.cases) {
    await run.prepare(each, bindings)
    const message = await run.failure(each)
    results.push({ name: each.name, file, passed: message === undefined, ...(message !== undefined && { message }) })
  }
  return [...results, ...skipped]
}

/** Versions of admission policies, the newest first. Policies have the same members in all of them. */
const POLICY_VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map(version => `admissionregistration.k8s.io/${version}`)

/** Returns a policy of another tool's test in a version that the release serves, if it does not serve its own. */
function inServedVersion(policy: JsonObject, fork: Fork): JsonObject {
  const kind = String(policy.kind)
  if (fork.served(String(policy.apiVersion), kind)) return policy
  const apiVersion = POLICY_VERSIONS.find(version => fork.served(version, kind))
  return apiVersion === undefined ? policy : { ...policy, apiVersion }
}

class CaseRun {
  readonly #options: CaseRunOptions
  readonly #admin: ForkClient
  readonly #namespaces = new Set<string>()
  /** The object of the last case that exists. */
  #existing: JsonObject | undefined

  constructor(options: CaseRunOptions) {
    this.#options = options
    this.#admin = this.#client(undefined, [])
  }

  #client(user: string | undefined, groups: readonly string[]): ForkClient {
    const { fork, reviews } = this.#options
    // Cases test admission: the user needs no permissions.
    return new ForkClient({
      fork,
      user: user === undefined ? ADMIN : { name: user, groups: [...new Set([...groups, 'system:authenticated'])] },
      userAgent: 'kubectl',
      authorizes: false,
      reviewInstead: reviews.review,
    })
  }

  /** Creates an object, or applies it if it exists. Returns the error of the server. Undefined if it exists now. */
  async create(object: JsonObject): Promise<string | undefined> {
    const { error } = await this.#write(this.#admin, object, undefined, false)
    if (error?.code !== 409) return error?.message
    return (await this.#write(this.#admin, object, object, false)).error?.message
  }

  /**
   * Makes the object of a case exist as it was before an update. The policies are not bound meanwhile, since they need
   * not allow it.
   */
  async prepare({ old }: PolicyCase, bindings: readonly JsonObject[]): Promise<void> {
    if (old === undefined && this.#existing === undefined) return
    for (const binding of bindings) await this.#remove(binding)
    await this.#options.fork.settled()
    if (this.#existing) await this.#remove(this.#existing)
    if (old) await this.create(old)
    this.#existing = old
    for (const binding of bindings) await this.create(binding)
    await this.#options.fork.settled()
  }

  async #remove(object: JsonObject): Promise<void> {
    const served = this.#options.fork.served(String(object.apiVersion), String(object.kind))
    const { namespace = this.#options.namespace, name } = objectIn(object.metadata)
    if (served)
      await this.#admin.send({
        method: 'DELETE',
        path: resourcePath(served, String(namespace), String(name)),
        search: 'gracePeriodSeconds=0',
      })
  }

  /** Returns why a case fails. Undefined if it passes. */
  async failure({ object, old, user, groups = [], expected }: PolicyCase): Promise<string | undefined> {
    const response = await this.#write(this.#client(user, groups), object, old, true)
    const { error } = response
    const denial = error && denialOf(response.steps)
    if (error && denial?.rule !== 'policy-denied' && denial?.rule !== 'webhook-denied')
      return `the server refuses the object: ${error.message}`
    const counted = violationFailure(expected.violations ?? [], response)
    if (counted !== undefined) return counted
    if (expected.allowed === undefined) return undefined
    const isDenied = error !== undefined && (expected.policy === undefined || denial?.by === expected.policy)
    if (expected.allowed && isDenied) return `expected to be allowed, and denied: ${error?.message}`
    if (!expected.allowed && !isDenied)
      return error ? `denied by ${denial?.by}, not by ${expected.policy}` : 'expected to be denied, and allowed'
    if (!expected.allowed && expected.message !== undefined && !(error?.message ?? '').includes(expected.message))
      return `expected the message ${JSON.stringify(expected.message)}, and got: ${error?.message}`
    const missing = (expected.warnings ?? []).find(text => !response.warnings.some(warning => warning.includes(text)))
    if (missing !== undefined) return `expected the warning ${JSON.stringify(missing)}, and got: ${response.warnings.join('; ') || 'none'}`
    return expected.mutated && mutationFailure(expected.mutated, response)
  }

  async #write(client: ForkClient, object: JsonObject, old: JsonObject | undefined, dryRun: boolean): Promise<ForkResponse> {
    const { fork } = this.#options
    const { apiVersion, kind } = object
    const served = fork.served(String(apiVersion), String(kind))
    if (served === undefined) {
      const message = `no matches for kind "${String(kind)}" in version "${String(apiVersion)}"`
      return { code: 404, warnings: [], steps: [], error: failure(404, 'NotFound', message).status }
    }
    const { namespace: stated, name } = objectIn(object.metadata)
    const namespace = served.definition.scope === 'Namespaced' ? String(stated ?? this.#options.namespace) : ''
    await this.#ensureNamespace(namespace)
    const search = new URLSearchParams({
      fieldManager: 'kubectl',
      ...(old && { force: 'true' }),
      ...(dryRun && { dryRun: 'All' }),
    }).toString()
    const body = Buffer.from(JSON.stringify(object, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)))
    return old
      ? client.send({
          method: 'PATCH',
          path: resourcePath(served, namespace, String(name)),
          search,
          contentType: 'application/apply-patch+yaml',
          body,
        })
      : client.send({ method: 'POST', path: resourcePath(served, namespace), search, contentType: 'application/json', body })
  }

  async #ensureNamespace(namespace: string): Promise<void> {
    if (namespace === '' || this.#namespaces.has(namespace)) return
    this.#namespaces.add(namespace)
    await this.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    await this.#options.fork.settled()
  }
}

/** Returns why violations are not as many as expected. Undefined if they are. */
function violationFailure(counts: readonly ViolationCount[], { steps, error }: ForkResponse): string | undefined {
  const messages = steps.flatMap(step => (step.step === 'policy' && step.outcome === 'refused' ? (step.messages ?? []) : []))
  for (const { least, most, message } of counts) {
    const count = messages.filter(text => message?.foundIn(text) ?? true).length
    if (count >= least && count <= most) continue
    if (messages.length === 0) return 'expected to be denied, and allowed'
    const wanted = most === 0 ? 'none' : least === most ? String(most) : 'at least 1'
    return `${count} violations match an assertion that expects ${wanted}: ${messages.join('; ') || (error?.message ?? '')}`
  }
  return undefined
}

function mutationFailure(expected: JsonObject, { object = {} }: ForkResponse): string | undefined {
  const path = differenceIn(expected, object, '')
  return path === undefined ? undefined : `${path} differs from what is expected`
}

/** Returns the path of the first member that an object does not have as expected. Undefined if it has all. */
function differenceIn(expected: Json, found: Json | undefined, path: string): string | undefined {
  if (isJsonObject(expected)) {
    if (!isJsonObject(found)) return path
    for (const [name, value] of Object.entries(expected)) {
      const at = differenceIn(value, found[name], path === '' ? name : `${path}.${name}`)
      if (at !== undefined) return at
    }
    return undefined
  }
  if (!Array.isArray(expected)) return deepEqual(expected, found) ? undefined : path
  if (!Array.isArray(found) || found.length !== expected.length) return path
  for (const [i, item] of expected.entries()) {
    const at = differenceIn(item, found[i], `${path}[${i}]`)
    if (at !== undefined) return at
  }
  return undefined
}
