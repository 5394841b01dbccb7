import type { JsonObject } from '../../api/meta/object.ts'
import type { ControllerEnvironment } from '../../controllers/controller.ts'
import type { ForeignVersion } from '../../endpoints/aggregator.ts'
import type { Logger } from '../../lib/log.ts'
import { runInTurns, type Steps } from '../../lib/steps.ts'
import { deepEqual } from '../../meta/equal.ts'
import type { BackendClient, BackendResponse } from './backend-client.ts'
import { BackendPoll } from './backend-poll.ts'
import { type DiscoveredVersions, readDiscoveryList, readResourceList } from './discovered-resources.ts'
import { AGGREGATOR } from './discovery-check.ts'
import { DocumentFailures } from './document-failures.ts'
import { type Backend, groupVersionPath, type Registration } from './registration.ts'
import type { Registrations } from './registrations.ts'

/** Cached discovery of one server. */
interface CachedDiscovery {
  readonly versions: DiscoveredVersions
  readonly etag: string
  /** Value of `#now` when it was fetched. */
  readonly at: number
}

type Fetched = { readonly resources: readonly JsonObject[]; readonly isCurrent: boolean }

const ACCEPT = ['v2', 'v2beta1'].map(version => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`).join(',')
const TIMEOUT_MS = 5_000
/**
 * Maximum size of a document in bytes. Those of large clusters have about 300 KiB; ten thousand resources take about 5
 * MiB.
 */
const MAX_BYTES = 8 << 20

/**
 * Group versions of aggregated servers, for aggregated discovery. A server is polled when its APIService changes and
 * every minute. One that does not respond keeps its last discovery, marked Stale. Source: k8s.io/kube-aggregator,
 * pkg/apiserver/handler_discovery.go.
 */
export class ForeignDiscovery {
  /** Incremented with each change of the discovered versions. */
  generation = 0
  readonly #registrations: Registrations
  readonly #client: Pick<BackendClient, 'ask'>
  readonly #failures: DocumentFailures
  readonly #versions = new Map<string, ForeignVersion>()
  /** By service, because one server may serve many group versions. */
  readonly #known = new Map<string, CachedDiscovery>()
  /** Value of `#now` at the last change of each APIService. */
  readonly #changed = new Map<string, number>()
  #now = 0
  readonly #poll: BackendPoll

  constructor(registrations: Registrations, client: Pick<BackendClient, 'ask'>, logger: Logger) {
    this.#registrations = registrations
    this.#client = client
    this.#failures = new DocumentFailures(logger, 'the group version of an aggregated server is stale: cannot read its discovery')
    this.#poll = new BackendPoll(registrations, {
      name: 'discovery-manager',
      ask: (registration, signal) => this.#refresh(registration, signal),
      forget: name => this.#forget(name),
      marked: name => this.#changed.set(name, ++this.#now),
    })
  }

  /** Returns the discovered group version. Undefined before the first discovery. */
  of(name: string): ForeignVersion | undefined {
    return this.#versions.get(name)
  }

  /** Polls until the signal aborts. */
  run(env: ControllerEnvironment, signal: AbortSignal): Promise<void> {
    return this.#poll.run(env, signal)
  }

  /** Drops an APIService, and the discovery of servers that no other APIService uses. */
  #forget(name: string): void {
    this.#changed.delete(name)
    this.#failures.passed(name)
    if (this.#versions.delete(name)) this.generation++
    const used = new Set([...this.#registrations.remote()].flatMap(({ backend }) => (backend ? [backendKey(backend)] : [])))
    for (const key of this.#known.keys()) if (!used.has(key)) this.#known.delete(key)
  }

  /** Updates the discovery of one APIService. An unchanged one does not increase the generation. */
  async #refresh(registration: Registration, signal: AbortSignal): Promise<void> {
    const { name, backend } = registration
    if (!backend) return
    const { resources, isCurrent } = await this.#fetch(registration, backend, signal)
    const next: ForeignVersion = { resources, freshness: isCurrent ? 'Current' : 'Stale' }
    const before = this.#versions.get(name)
    if (before?.freshness === next.freshness && (await runInTurns(areEqual(next.resources, before.resources), signal))) return
    // The APIService may have been deleted meanwhile.
    if (!this.#registrations.get(name)?.backend) return
    this.#versions.set(name, next)
    this.generation++
  }

  /**
   * Returns the resources of a group version. One response covers all group versions of a server, so recent ones are
   * reused. Falls back to legacy discovery; on failure returns the last resources as stale.
   */
  async #fetch(registration: Registration, backend: Backend, signal: AbortSignal): Promise<Fetched> {
    const key = backendKey(backend)
    const versionKey = `${registration.group}/${registration.version}`
    const known = this.#known.get(key)
    const resourcesBefore = known?.versions.get(versionKey) ?? []
    if (known && known.at > (this.#changed.get(registration.name) ?? 0)) return { resources: resourcesBefore, isCurrent: true }
    try {
      const read = (resources: readonly JsonObject[]): Fetched => {
        this.#failures.passed(registration.name)
        return { resources, isCurrent: true }
      }
      const at = ++this.#now
      const question = { user: AGGREGATOR, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES }
      const answer = await this.#client.ask(registration, { ...question, path: '/apis', accept: ACCEPT, etag: known?.etag ?? '' }, signal)
      const versions = await discoveredBy(answer, known)
      if (versions) {
        this.#known.set(key, { versions, etag: answer.status === 304 ? (known?.etag ?? '') : answer.etag, at })
        return read(versions.get(versionKey) ?? [])
      }
      const user = { name: AGGREGATOR.name, groups: [] }
      const legacy = await this.#client.ask(
        registration,
        { ...question, user, path: groupVersionPath(registration), accept: 'application/json' },
        signal,
      )
      if (legacy.status !== 200)
        throw new Error(`failed to download legacy discovery for ${groupVersionPath(registration)}: status ${legacy.status}`)
      return read(await readResourceList(legacy.body))
    } catch (error) {
      if (!signal.aborted) this.#failures.failed(registration.name, error)
      return { resources: known ? resourcesBefore : (this.#versions.get(registration.name)?.resources ?? []), isCurrent: false }
    }
  }
}

/** Compares lists, one resource per step. */
function* areEqual(a: readonly JsonObject[], b: readonly JsonObject[]): Steps<boolean> {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (const [i, resource] of a.entries()) {
    if (!deepEqual(resource, b[i])) return false
    yield
  }
  return true
}

/** Everything that a server serves. Undefined if it only supports legacy discovery. Throws if it is unavailable. */
async function discoveredBy(
  { status, contentType, body }: BackendResponse,
  known: CachedDiscovery | undefined,
): Promise<DiscoveredVersions | undefined> {
  if (status === 304 && known) return known.versions
  if (status === 503) throw new Error('service returned non-success response code: 503')
  return status === 200 && isListType(contentType) ? readDiscoveryList(body) : undefined
}

/**
 * Whether the Content-Type is that of an APIGroupDiscoveryList. Linear, because the server controls the length of the
 * header.
 */
function isListType(contentType: string): boolean {
  const [type, ...parameters] = contentType.split(';').map(part => part.trim())
  const has = (parameter: string): boolean => parameters.includes(parameter)
  return type === 'application/json' && has('g=apidiscovery.k8s.io') && (has('v=v2') || has('v=v2beta1')) && has('as=APIGroupDiscoveryList')
}

const backendKey = ({ namespace, name, port }: Backend): string => `${namespace}/${name}:${port}`
