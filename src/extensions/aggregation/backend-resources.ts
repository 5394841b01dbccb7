import { parseForeignJson } from '../../codec/foreign-json.ts'
import type { Discovered, ForeignObject, ForeignResource, ForeignResources } from '../../controllers/foreign-resources.ts'
import { isStepDone, runInTurns, type Steps } from '../../lib/steps.ts'
import { apiVersionOf, qualifiedResource } from '../../meta/gvk.ts'
import { type Json, objectIn } from '../../meta/object.ts'
import type { BackendAnswer, BackendClient, BackendQuestion } from './backend-client.ts'
import type { ForeignDiscovery } from './foreign-discovery.ts'
import { byPriority, pathOf } from './registration.ts'
import type { Registrations } from './registrations.ts'

/** Who deletes what is in namespaces, as in kube-controller-manager: backends ask this server whether it may. */
const CONTROLLER = {
  name: 'system:serviceaccount:kube-system:namespace-controller',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
}
const ACCEPT = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'
const OPTIONS = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' })
const TIMEOUT_MS = 30_000
const MAX_BYTES = 16 << 20
/** Values of a page. A backend that knows no pages and no metadata alone sends all objects whole. */
const MOST_VALUES = 1 << 20
/** Objects asked for at once. A backend that knows no pages gives all. */
const PAGE = 500
/** A backend whose list has no end is not followed for ever: what is left is found by the next look. */
const MOST_PAGES = 200

/** What the backends of APIServices have in namespaces. */
export class BackendResources implements ForeignResources {
  readonly #registrations: Registrations
  readonly #discovery: Pick<ForeignDiscovery, 'of'>
  readonly #client: Pick<BackendClient, 'ask'>

  constructor(registrations: Registrations, discovery: Pick<ForeignDiscovery, 'of'>, client: Pick<BackendClient, 'ask'>) {
    this.#registrations = registrations
    this.#discovery = discovery
    this.#client = client
  }

  /** Of several versions of a resource the preferred one that is known counts. */
  discover(): Discovered {
    const resources = new Map<string, ForeignResource>()
    const stale: string[] = []
    for (const { name, group, version } of [...this.#registrations.remote()].sort(byPriority)) {
      const discovered = this.#discovery.of(name)
      if (discovered?.freshness !== 'Current') stale.push(apiVersionOf({ group, version }))
      else
        for (const { scope, resource, verbs } of discovered.resources) {
          if (scope !== 'Namespaced' || typeof resource !== 'string') continue
          const key = qualifiedResource({ group, resource })
          if (!resources.has(key)) resources.set(key, { group, version, resource, verbs: textsIn(verbs) })
        }
    }
    return { resources: [...resources.values()], stale }
  }

  async list(resource: ForeignResource, namespace: string, signal: AbortSignal): Promise<readonly ForeignObject[] | undefined> {
    const found: ForeignObject[] = []
    let next = ''
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = `limit=${PAGE}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`
      const answer = await this.#ask(resource, { path: pathIn(resource, namespace), query }, signal)
      if (!answer) return undefined
      const token = await runInTurns(readPage(answer.body, found), signal)
      if (token === '') break
      next = token
    }
    return found
  }

  async deleteCollection(resource: ForeignResource, namespace: string, signal: AbortSignal): Promise<boolean> {
    return (await this.#ask(resource, { method: 'DELETE', path: pathIn(resource, namespace), body: OPTIONS }, signal)) !== undefined
  }

  async delete(resource: ForeignResource, namespace: string, name: string, signal: AbortSignal): Promise<void> {
    await this.#ask(resource, { method: 'DELETE', path: `${pathIn(resource, namespace)}/${encodeURIComponent(name)}`, body: OPTIONS }, signal)
  }

  /** Undefined where there is nothing of the kind, or not by this method. */
  async #ask(
    resource: ForeignResource,
    question: Pick<BackendQuestion, 'method' | 'path' | 'query' | 'body'>,
    signal: AbortSignal,
  ): Promise<BackendAnswer | undefined> {
    const { group, version } = resource
    const registration = this.#registrations.get(`${version}.${group}`)
    if (!registration?.isAvailable) throw new Error(failureText(503, undefined, question.method, resource))
    const answer = await this.#client.ask(registration, { ...question, accept: ACCEPT, user: CONTROLLER, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES }, signal)
    const { status, body } = answer
    if (status === 404 || status === 405) return undefined
    if (status < 200 || status > 299) throw new Error(failureText(status, body, question.method, resource))
    return answer
  }
}

const pathIn = (resource: ForeignResource, namespace: string): string => `${pathOf(resource)}/namespaces/${namespace}/${encodeURIComponent(resource.resource)}`

const textsIn = (value: Json | undefined): string[] => (Array.isArray(value) ? value.filter(each => typeof each === 'string') : [])

/** Adds the objects of a page to those before, and returns the token of the next page; empty if this one is the last. */
function* readPage(body: Buffer, found: ForeignObject[]): Steps<string> {
  const { items, metadata } = objectIn(yield* parseForeignJson(body, MOST_VALUES))
  if (Array.isArray(items))
    for (const item of items) {
      found.push(readObject(item))
      if (isStepDone()) yield
    }
  const token = objectIn(metadata).continue
  return typeof token === 'string' ? token : ''
}

function readObject(item: Json): ForeignObject {
  const { name, finalizers } = objectIn(objectIn(item).metadata)
  return { name: typeof name === 'string' ? name : '', finalizers: textsIn(finalizers) }
}

/** Longer answers are no Status that anybody has written to be read. */
const MAX_STATUS_BYTES = 64 << 10

/** What client-go says of a failure: the message of the Status, or its own. */
function failureText(code: number, body: Buffer | undefined, method: string | undefined, resource: ForeignResource): string {
  const status = body && body.length <= MAX_STATUS_BYTES ? statusIn(body) : undefined
  if (status !== undefined) return status
  const why =
    code === 503
      ? 'the server is currently unable to handle the request'
      : `the server responded with the status code ${code} but did not return more information`
  return `${why} (${(method ?? 'GET').toLowerCase()} ${qualifiedResource(resource)})`
}

function statusIn(body: Buffer): string | undefined {
  try {
    const { kind, message } = objectIn(JSON.parse(body.toString()) as Json)
    return kind === 'Status' && typeof message === 'string' && message !== '' ? message : undefined
  } catch {
    return undefined
  }
}
