import { type Json, objectIn } from '../../api/meta/object.ts'
import { parseForeignJson } from '../../codec/foreign-json.ts'
import type { Discovered, ForeignObject, ForeignResource, ForeignResources } from '../../controllers/foreign-resources.ts'
import { isStepDone, runInTurns, type Steps } from '../../lib/steps.ts'
import { apiVersionOf, qualifiedResource } from '../../meta/gvk.ts'
import { textIn } from '../../meta/json-members.ts'
import type { BackendClient, BackendRequest, BackendResponse } from './backend-client.ts'
import { exceedsBound } from './document-failures.ts'
import type { ForeignDiscovery } from './foreign-discovery.ts'
import { byPriority, groupVersionPath } from './registration.ts'
import type { Registrations } from './registrations.ts'

/** User of namespace deletion, as in kube-controller-manager. Aggregated servers authorize it. */
const CONTROLLER = {
  name: 'system:serviceaccount:kube-system:namespace-controller',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
}
/** Metadata is preferred. A server that does not support it may send whole objects. */
const ACCEPT = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'
/** Body of deletions: dependents are deleted in the background, as kube-controller-manager does. */
const OPTIONS = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' })
/** Limit for one request. */
const TIMEOUT_MS = 30_000
/** Limit for one response, which is parsed in memory. */
const MAX_BYTES = 16 << 20
/**
 * Maximum number of JSON values in a page. A server that supports neither paging nor PartialObjectMetadata returns all
 * objects in full.
 */
const MOST_VALUES = 1 << 20
/**
 * Page size. A server that does not support paging returns all objects. If a page exceeds a limit, it is requested
 * again with a tenth of the size.
 */
const PAGE = 500
/** Divisor of the page size after a page that is too large. */
const FEWER = 10
/** Maximum number of finalizers kept per list, and their maximum length: a condition of the namespace lists them. */
const MOST_FINALIZERS = 1000
/** Longer finalizers are left out, in UTF-16 code units. */
const MOST_FINALIZER_LENGTH = 512
/** Maximum number of pages, in case a server's list never ends. Remaining objects are found by the next pass. */
const MOST_PAGES = 200
/** Limit for the objects of a list. Remaining ones are found by the next pass. */
const MOST_OBJECTS = PAGE * MOST_PAGES

/** Namespaced objects of aggregated servers. */
export class BackendResources implements ForeignResources {
  readonly #registrations: Registrations
  readonly #discovery: Pick<ForeignDiscovery, 'of'>
  readonly #client: Pick<BackendClient, 'ask'>

  constructor(registrations: Registrations, discovery: Pick<ForeignDiscovery, 'of'>, client: Pick<BackendClient, 'ask'>) {
    this.#registrations = registrations
    this.#discovery = discovery
    this.#client = client
  }

  /** Returns each resource once, in its preferred discovered version. */
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

  /** Later finalizers than the first thousand are left out, but the object itself is counted. */
  async list(resource: ForeignResource, namespace: string, signal: AbortSignal): Promise<readonly ForeignObject[] | undefined> {
    const found: ForeignObject[] = []
    let limit = PAGE
    let next = ''
    let finalizers = MOST_FINALIZERS
    for (let asked = 0; asked < MOST_PAGES && found.length < MOST_OBJECTS; asked++) {
      const query = `limit=${limit}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`
      try {
        const page = await this.#page(resource, { path: pathIn(resource, namespace), query }, signal)
        if (!page) return undefined
        for (const object of page.objects) {
          found.push(finalizers > 0 ? object : { ...object, finalizers: [] })
          finalizers -= object.finalizers.length
        }
        if (page.next === '') break
        next = page.next
      } catch (error) {
        if (!exceedsBound(error) || limit === 1) throw error
        limit = Math.max(1, Math.floor(limit / FEWER))
      }
    }
    return found
  }

  async #page(resource: ForeignResource, question: Pick<BackendRequest, 'path' | 'query'>, signal: AbortSignal): Promise<Page | undefined> {
    const answer = await this.#ask(resource, question, signal)
    return answer && (await runInTurns(readPage(answer.body), signal))
  }

  async deleteCollection(resource: ForeignResource, namespace: string, signal: AbortSignal): Promise<boolean> {
    return (await this.#ask(resource, { method: 'DELETE', path: pathIn(resource, namespace), body: OPTIONS }, signal)) !== undefined
  }

  async delete(resource: ForeignResource, namespace: string, name: string, signal: AbortSignal): Promise<void> {
    await this.#ask(
      resource,
      { method: 'DELETE', path: `${pathIn(resource, namespace)}/${encodeURIComponent(name)}`, body: OPTIONS },
      signal,
    )
  }

  /** Sends a request. Returns undefined for 404 and 405. */
  async #ask(
    resource: ForeignResource,
    question: Pick<BackendRequest, 'method' | 'path' | 'query' | 'body'>,
    signal: AbortSignal,
  ): Promise<BackendResponse | undefined> {
    const { group, version } = resource
    const registration = this.#registrations.get(`${version}.${group}`)
    if (!registration?.isAvailable) throw new Error(failureText(503, undefined, question.method, resource))
    const answer = await this.#client.ask(
      registration,
      { ...question, accept: ACCEPT, user: CONTROLLER, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
      signal,
    )
    const { status, body } = answer
    if (status === 404 || status === 405) return undefined
    if (status < 200 || status > 299) throw new Error(failureText(status, body, question.method, resource))
    return answer
  }
}

const pathIn = (resource: ForeignResource, namespace: string): string =>
  `${groupVersionPath(resource)}/namespaces/${namespace}/${encodeURIComponent(resource.resource)}`

const textsIn = (value: Json | undefined): string[] => (Array.isArray(value) ? value.filter(each => typeof each === 'string') : [])

/** Parsed page of a list. */
interface Page {
  readonly objects: readonly ForeignObject[]
  /** Continue token. Empty on the last page. */
  readonly next: string
}

/** Parses a page of a list, in steps. Long or excessive finalizers are dropped. */
function* readPage(body: Buffer): Steps<Page> {
  const { items, metadata } = objectIn(yield* parseForeignJson(body, MOST_VALUES))
  const objects: ForeignObject[] = []
  for (const item of Array.isArray(items) ? items : []) {
    const { name, finalizers } = objectIn(objectIn(item).metadata)
    const kept: string[] = []
    for (const finalizer of Array.isArray(finalizers) ? finalizers : []) {
      if (typeof finalizer === 'string' && finalizer.length <= MOST_FINALIZER_LENGTH && kept.length < MOST_FINALIZERS) kept.push(finalizer)
      if (isStepDone()) yield
    }
    objects.push({ name: textIn(name), finalizers: kept })
    if (isStepDone()) yield
  }
  return { objects, next: textIn(objectIn(metadata).continue) }
}

/** Longer error bodies are not parsed as Status. */
const MAX_STATUS_BYTES = 64 << 10

/** Error message as client-go: that of the Status, or a generic one. */
function failureText(code: number, body: Buffer | undefined, method: string | undefined, resource: ForeignResource): string {
  const status = body && body.length <= MAX_STATUS_BYTES ? statusIn(body) : undefined
  if (status !== undefined) return status
  const why =
    code === 503
      ? 'the server is currently unable to handle the request'
      : `the server responded with the status code ${code} but did not return more information`
  return `${why} (${(method ?? 'GET').toLowerCase()} ${qualifiedResource(resource)})`
}

/** Message of a Status. Undefined if the body is not one. */
function statusIn(body: Buffer): string | undefined {
  try {
    const { kind, message } = objectIn(JSON.parse(body.toString()) as Json)
    return kind === 'Status' && typeof message === 'string' && message !== '' ? message : undefined
  } catch {
    return undefined
  }
}
