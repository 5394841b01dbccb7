import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Node, Pod } from '../../api/core/v1.types.ts'
import type { JsonObject } from '../../api/meta/object.ts'
import { type ApiClient, objectKey } from '../../clients/api-client.ts'
import { rawJsonBytes } from '../../codec/json.ts'
import type { TimerClock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { connectionPair } from '../../lib/in-process-connection.ts'
import type { Logger } from '../../lib/log.ts'
import { startInTurns } from '../../lib/steps.ts'
import { internalServerError, isStatusError, methodNotAllowedError, notFoundError, pathNotFoundError } from '../../meta/status.ts'
import { formatTime } from '../../meta/time.ts'
import { pathParts } from '../node-server/paths.ts'
import { NODES, PODS } from '../shared/kinds.ts'
import { METRICS_GROUP, metricsGroup, metricsGroupList, metricsResources } from './discovery.ts'
import { type Measured, metricsTable, nodeMetrics, podMetrics } from './metrics-objects.ts'
import { type ContainerUsage, sumOf, UsageReader, type UsageReading, type UsedAmounts } from './usage-reader.ts'

export interface MetricsServerOptions {
  readonly client: ApiClient
  readonly clock: TimerClock
  readonly logger: Logger
  /** Served versions, in the order of preference. */
  readonly versions: readonly string[]
  readonly openApi: OpenApiDocuments
  /** Whether the metrics of a node are simulated. */
  readonly isSimulated: (node: Node) => boolean
}

/** OpenAPI documents of the API, in JSON. */
export interface OpenApiDocuments {
  v2(): Promise<Buffer>
  v3Index(): Promise<Buffer>
  /** Returns the document of a path such as `apis/metrics.k8s.io/v1beta1`. Undefined if there is none. */
  v3(path: string): Promise<Buffer | undefined>
}

/** A request for metrics. */
interface MetricsRequest {
  readonly version: string
  readonly resource: 'nodes' | 'pods'
  readonly namespace: string
  /** Empty for a list. */
  readonly name: string
  readonly query: URLSearchParams
  /** Version of meta.k8s.io if a Table is accepted. */
  readonly table: string | undefined
}

/** The metrics API of the simulated nodes of this process. */
export class MetricsServer {
  readonly #options: MetricsServerOptions
  readonly #usage: UsageReader
  readonly #server: Server

  constructor(options: MetricsServerOptions) {
    this.#options = options
    this.#usage = new UsageReader(options.client, options.clock)
    this.#server = createServer((req, res) => void this.#respond(req, res))
  }

  /** Opens a connection. */
  connect(): Duplex {
    const [near, far] = connectionPair()
    far.on('error', () => {})
    this.#server.emit('connection', far)
    return near
  }

  async #respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      send(res, 200, (await this.#document(req)) ?? (await encoded(await this.#body(req))))
    } catch (error) {
      const { code, status } = isStatusError(error) ? error : internalServerError(errorMessage(error))
      send(res, code, await encoded(status as unknown as JsonObject))
    }
  }

  /** Returns an OpenAPI document, or undefined for other requests. */
  async #document({ url = '/', method }: IncomingMessage): Promise<Buffer | undefined> {
    if (method !== 'GET' || !url.startsWith('/openapi/')) return undefined
    const { openApi } = this.#options
    const { pathname } = new URL(url, 'http://metrics')
    if (pathname === '/openapi/v2') return openApi.v2()
    if (pathname === '/openapi/v3') return openApi.v3Index()
    return pathname.startsWith('/openapi/v3/') ? openApi.v3(pathname.slice('/openapi/v3/'.length)) : undefined
  }

  async #body({ url = '/', method, headers }: IncomingMessage): Promise<JsonObject> {
    if (method !== 'GET') throw methodNotAllowedError()
    const { pathname, searchParams: query } = new URL(url, 'http://metrics')
    const { versions } = this.#options
    const [root, group, version, ...rest] = pathParts(pathname.endsWith('/') ? pathname.slice(0, -1) : pathname) ?? []
    if (root === 'apis' && group === undefined) return metricsGroupList(versions)
    if (root !== 'apis' || group !== METRICS_GROUP) throw pathNotFoundError()
    if (version === undefined) return metricsGroup(versions)
    if (!versions.includes(version)) throw pathNotFoundError()
    if (rest.length === 0) return metricsResources(version)
    const table = tableVersion(headers.accept ?? '')
    return this.#metrics({ version, query, table, ...targetOf(rest) })
  }

  async #metrics(request: MetricsRequest): Promise<JsonObject> {
    const { version, resource, name, namespace, table } = request
    const kind = resource === 'nodes' ? 'NodeMetrics' : 'PodMetrics'
    const items = resource === 'nodes' ? await this.#nodes(request) : await this.#pods(request)
    const [first] = items
    if (name !== '' && first === undefined)
      throw notFoundError({ group: METRICS_GROUP, resource }, resource === 'pods' ? `${namespace}/${name}` : name)
    if (table !== undefined) return metricsTable(items, table)
    const apiVersion = `${METRICS_GROUP}/${version}`
    if (name !== '') return { kind, apiVersion, ...first?.object }
    return { kind: `${kind}List`, apiVersion, metadata: {}, items: items.map(({ object }) => object) }
  }

  async #pods({ namespace, name, query }: MetricsRequest): Promise<Measured[]> {
    const { client } = this.#options
    const selection = {
      ...(namespace !== '' && { namespace }),
      ...selectorsOf(query),
      ...(name !== '' && { fieldSelector: `metadata.name=${name}` }),
    }
    const [{ items: pods }, { items: nodes }, usage] = await Promise.all([
      client.list(PODS, { ...selection, resourceVersion: '0' }),
      client.list(NODES, { resourceVersion: '0' }),
      this.#usage.read(namespace),
    ])
    const simulated = this.#simulated(nodes)
    const measured: Measured[] = []
    const now = this.#now()
    for (const pod of [...pods].sort(byObjectKey)) {
      const node = simulated.get(pod.spec.nodeName ?? '')
      const containers = node && (await this.#containersOf(pod, node, usage))
      if (containers && containers.length > 0) measured.push(podMetrics(pod, containers, now))
    }
    return measured
  }

  async #nodes({ name, query }: MetricsRequest): Promise<Measured[]> {
    const { client } = this.#options
    const [{ items: nodes }, { items: pods }, usage] = await Promise.all([
      client.list(NODES, { ...selectorsOf(query), ...(name !== '' && { fieldSelector: `metadata.name=${name}` }), resourceVersion: '0' }),
      client.list(PODS, { resourceVersion: '0' }),
      this.#usage.read(''),
    ])
    const simulated = this.#simulated(nodes)
    const totals = new Map<string, UsedAmounts>()
    for (const pod of pods) {
      const nodeName = pod.spec.nodeName ?? ''
      const node = simulated.get(nodeName)
      const usages = node ? ((await this.#containersOf(pod, node, usage)) ?? []) : []
      if (usages.length > 0) totals.set(nodeName, sumOf([totals.get(nodeName) ?? {}, ...usages.map(each => each.usage)]))
    }
    const now = this.#now()
    return [...simulated.values()]
      .sort(byObjectKey)
      .map(node => nodeMetrics(node, { cpu: 0, memory: 0, ...totals.get(node.metadata.name ?? '') }, now))
  }

  /**
   * Returns what the containers of a running pod use. Undefined if the pod does not run, or if its usage cannot be
   * evaluated.
   */
  async #containersOf(pod: Pod, node: Node, usage: UsageReading): Promise<readonly ContainerUsage[] | undefined> {
    if (pod.status.phase !== 'Running') return undefined
    try {
      return await startInTurns(usage.of(pod, node))
    } catch (error) {
      this.#options.logger.debug(1, 'the usage of a pod cannot be evaluated', { pod: objectKey(pod), error: errorMessage(error) })
      return undefined
    }
  }

  #simulated(nodes: readonly Node[]): Map<string, Node> {
    return new Map(nodes.filter(this.#options.isSimulated).map(node => [node.metadata.name ?? '', node]))
  }

  #now(): string {
    return formatTime(this.#options.clock.now())
  }
}

const byObjectKey = (a: Pod | Node, b: Pod | Node): number => (objectKey(a) < objectKey(b) ? -1 : 1)

const selectorsOf = (query: URLSearchParams): { readonly labelSelector?: string; readonly fieldSelector?: string } => {
  const [labelSelector, fieldSelector] = [query.get('labelSelector'), query.get('fieldSelector')]
  return { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) }
}

/** Returns the version of meta.k8s.io of the Table that a client prefers. Undefined if it prefers objects. */
function tableVersion(accept: string): string | undefined {
  const [first = ''] = accept.split(',')
  const parameters = first.split(';').map(each => each.trim())
  return parameters.includes('as=Table') ? (parameters.includes('v=v1beta1') ? 'v1beta1' : 'v1') : undefined
}

/**
 * Parses `nodes`, `nodes/NAME`, `pods`, `namespaces/NAMESPACE/pods` and `namespaces/NAMESPACE/pods/NAME`. Throws 404
 * for other paths.
 */
function targetOf(parts: readonly string[]): Pick<MetricsRequest, 'resource' | 'namespace' | 'name'> {
  const [first, second = '', third, fourth = ''] = parts
  if (first === 'nodes' && parts.length <= 2) return { resource: 'nodes', namespace: '', name: second }
  if (first === 'pods' && parts.length === 1) return { resource: 'pods', namespace: '', name: '' }
  if (first === 'namespaces' && third === 'pods' && parts.length <= 4) return { resource: 'pods', namespace: second, name: fourth }
  throw pathNotFoundError()
}

const encoded = async (body: JsonObject): Promise<Buffer> => startInTurns(rawJsonBytes(body))

function send(res: ServerResponse, code: number, bytes: Buffer): void {
  res.writeHead(code, { 'Content-Type': 'application/json', 'Content-Length': bytes.length }).end(bytes)
}
