import { ServerResponse } from 'node:http'
import { Catalog, type ServedResource } from '../../../src/catalog/catalog.ts'
import type { ConnectCall } from '../../../src/catalog/connect.ts'
import type { ResourceDefinition, Subresource, Version, VirtualCall, VirtualResource } from '../../../src/catalog/definition.ts'
import { mediaOffer } from '../../../src/codec/accept-header.ts'
import type { EndpointEnvironment } from '../../../src/endpoints/scope.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import type { RequestAttributes, User } from '../../../src/meta/context.ts'
import { FieldMatcher, type FieldTerm } from '../../../src/meta/field-selector.ts'
import { failure } from '../../../src/meta/status.ts'
import type { ListOptions } from '../../../src/registry/read.ts'
import type { ResourceStore } from '../../../src/registry/resource-store.ts'
import type { AdmissionRequest, WriteTarget } from '../../../src/registry/types.ts'
import { createApp } from '../../../src/server/app.ts'
import { Deadlines } from '../../../src/server/filters/deadline.ts'
import { InFlight } from '../../../src/server/filters/in-flight.ts'
import { marksOf } from '../../../src/server/filters/priority-and-fairness.ts'
import { handlerChain } from '../../../src/server/handler-chain.ts'
import { Health } from '../../../src/server/health.ts'
import { responseBuffers } from '../../../src/server/http/response-buffers.ts'
import { encodeStatusAsJson } from '../../../src/server/http/status-body.ts'
import { AuthMetrics } from '../../../src/server/metrics/auth-metrics.ts'
import { RequestMetrics } from '../../../src/server/metrics/request-metrics.ts'
import { RequestsInProgress } from '../../../src/server/requests-in-progress.ts'
import { versionInfo } from '../../../src/server/version.ts'
import { testApi } from '../api-handler.ts'
import { clockOf } from '../clock-of.ts'
import { featuresOf } from '../hook-context.ts'
import { requestWithoutSocket } from '../request-without-socket.ts'
import { ORDINARY } from '../server.ts'

/** Something that a request had done to a resource. */
export interface Done {
  /** `write`: an update or a patch, which are one to the registry. `reach`: it was to leave the server. */
  readonly what: 'get' | 'list' | 'watch' | 'create' | 'write' | 'delete' | 'deletecollection' | 'reach'
  readonly group: string
  readonly version: string
  readonly resource: string
  /** Undefined where the registry is not told: it reads the object, whatever is shown of it. */
  readonly subresource?: string
  readonly namespace: string
  readonly name: string
  /** Undefined where the registry is not told. */
  readonly user?: string
  /** The one name that a list or watch selects. */
  readonly selected?: string
}

export interface Asked {
  readonly user: User
  readonly attributes: RequestAttributes
}

export interface Outcome {
  readonly status: number
  readonly asked: readonly Asked[]
  readonly done: readonly Done[]
}

export interface ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

function selectedBy(fields: readonly FieldTerm[] = []): Pick<Done, 'selected'> {
  const selected = new FieldMatcher(fields).required('metadata.name')
  return selected === undefined ? {} : { selected }
}

/** Ends a request that has come as far as the registry. */
const arrived = () => failure(418, 'Teapot', 'the registry has been asked', {})

/**
 * The complete path of a request from its head to the registry, without a store. Records the requests to the authorizer
 * and the calls of the registry.
 */
export class RecordedApi {
  readonly catalog: Catalog
  /** Whether the authorizer allows what it is asked. */
  allows: (attributes: RequestAttributes) => boolean = () => true
  #asked: Asked[] = []
  #done: Done[] = []
  #user: User = { name: '', groups: [] }
  readonly #app: ReturnType<typeof createApp>

  constructor(definitions: readonly ResourceDefinition[]) {
    this.catalog = new Catalog(definitions.map(definition => this.#recorded(definition)))
    const registry: EndpointEnvironment['registry'] = {
      store: () => this.#store(),
      admit: request => this.#admitted(request),
      // Unused.
      access: () => ({}) as ReturnType<EndpointEnvironment['registry']['access']>,
    }
    const api = testApi({
      catalog: this.catalog,
      registry,
      clock: clockOf(() => 0),
      media: mediaOffer(),
      watchList: true,
      minRequestTimeoutSeconds: 1800,
      kubelets: { addressTypes: ['InternalIP'], port: 10250 },
      shutdown: new AbortController().signal,
    })
    const requests = new RequestsInProgress()
    const chain = handlerChain({
      authMetrics: new AuthMetrics(),
      access: {
        authenticator: () => this.#user,
        authorizer: {
          authorize: async (user, attributes) => {
            this.#asked.push({ user, attributes })
            return { decision: this.allows(attributes) ? 'allow' : 'no opinion', reason: '' }
          },
        },
        impersonation: 'plain',
      },
      exchange: { encodeStatus: encodeStatusAsJson, compressAnswers: false, memory: responseBuffers() },
      requests,
      deadlines: new Deadlines(requests.all),
      inFlight: new InFlight(0, 0),
      marks: marksOf(undefined),
      metrics: new RequestMetrics(new InFlight(0, 0), () => false),
      limits: { flowLimits: undefined, maxInFlight: 0, maxMutatingInFlight: 0, timeoutMs: 60_000 },
      http: { http2: undefined, maxStreams: 0, conduct: ORDINARY, wording: '1.24' },
      observability: { logRequests: false, features: [], metrics: [] },
      simulation: {},
      log: silentLogger,
      endpoints: {
        api,
        isServed: () => false,
        followGone: () => {},
        health: new Health(silentLogger),
        version: versionInfo(process, featuresOf()),
      },
      exposition: async () => Buffer.alloc(0),
    })
    this.#app = createApp(chain, silentLogger)
  }

  async send(request: ApiRequest, user: User): Promise<Outcome> {
    this.#asked = []
    this.#done = []
    const req = requestWithoutSocket(request)
    const res = new ServerResponse(req as ConstructorParameters<typeof ServerResponse>[0])
    this.#user = user
    await this.#app(req, res)
    return { status: res.statusCode, asked: this.#asked, done: this.#done }
  }

  #note(what: Done['what'], { version }: ServedResource, rest: Pick<Done, 'namespace' | 'name'> & Partial<Done>): never {
    this.#done.push({ what, group: version.group, version: version.name, resource: version.names.plural, ...rest })
    throw arrived()
  }

  #store(): ResourceStore {
    const write =
      (what: Done['what']) =>
      async ({ served: of, subresource, namespace, name, ctx }: WriteTarget): Promise<never> =>
        this.#note(what, of, { subresource, namespace, name, user: ctx.user.name })
    const read = (what: Done['what']) => async (of: ServedResource, namespace: string, options: ListOptions) => {
      return this.#note(what, of, { namespace, name: '', ...selectedBy(options.fields) })
    }
    const store: Partial<ResourceStore> = {
      get: async (of, namespace, name) => this.#note('get', of, { namespace, name }),
      list: read('list'),
      watch: read('watch'),
      create: write('create'),
      update: write('write'),
      delete: write('delete'),
      deleteCorrupt: write('delete'),
      deleteCollection: write('deletecollection'),
    }
    return store as ResourceStore
  }

  async #admitted({ operation, served, subresource, namespace, name, ctx }: AdmissionRequest): Promise<never> {
    return this.#note(operation === 'CONNECT' ? 'reach' : 'create', served, { subresource, namespace, name, user: ctx.user.name })
  }

  /** The definition, with what its own code would do written down. */
  #recorded(definition: ResourceDefinition): ResourceDefinition {
    const replaced = new Map<Version, Version>()
    const versionOf = (version: Version): Version => {
      const known = replaced.get(version)
      if (known) return known
      const made: Version = { ...version }
      replaced.set(version, made)
      const served = { definition, version: made }
      if (version.subresources)
        Object.assign(made, {
          subresources: Object.fromEntries(
            Object.entries(version.subresources).map(([name, one]) => [name, this.#recordedSubresource(served, name, one)]),
          ),
        })
      return made
    }
    const versions = definition.versions.map(versionOf) as unknown as ResourceDefinition['versions']
    const hub = versionOf(definition.hub)
    const { virtual } = definition
    return { ...definition, versions, hub, ...(virtual && { virtual: this.#virtual({ definition, version: hub }, '') }) }
  }

  #recordedSubresource(served: ServedResource, name: string, subresource: Subresource): Subresource {
    const { connect, virtual } = subresource
    const locate = async (call: ConnectCall): Promise<never> =>
      this.#note('reach', served, { subresource: name, namespace: call.namespace, name: call.name })
    return { ...subresource, ...(connect && { connect: { ...connect, locate } }), ...(virtual && { virtual: this.#virtual(served, name) }) }
  }

  #virtual(served: ServedResource, subresource: string): VirtualResource {
    return {
      call: async ({ verb, namespace, name, ctx, selection }: VirtualCall) =>
        this.#note(verb as Done['what'], served, { subresource, namespace, name, user: ctx.user.name, ...selectedBy(selection?.fields) }),
    }
  }
}
