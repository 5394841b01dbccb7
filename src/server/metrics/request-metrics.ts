import type { GoneVersion } from '../../catalog/gone-versions.ts'
import type { CountedPage } from '../../endpoints/exchange.ts'
import { REQUEST_BUCKETS } from '../../lib/buckets.ts'
import {
  CounterFamily,
  GaugeFamily,
  type HistogramChild,
  HistogramFamily,
  type MetricFamily,
  type NumberChild,
  ReadGauge,
} from '../../lib/metrics.ts'
import { statusCodeLabel } from '../../lib/status-code-label.ts'
import type { RequestInfo, ResourceRequestInfo } from '../../meta/context.ts'
import { qualifiedResource } from '../../meta/gvk.ts'
import { isLongRunning } from '../filters/request-info.ts'
import type { HttpExchange } from '../http/http-exchange.ts'
import type { RequestWatermarks } from './request-watermarks.ts'

const COMPONENT = 'apiserver'
const LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const
const WITH_DRY_RUN = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const
/** The labels that name a version of a resource. */
const SUBJECT = ['group', 'version', 'resource'] as const
/** Upper bounds in bytes: 50 KB, then in steps of 100 KB. */
const BODY_SIZES = Array.from({ length: 31 }, (_, i) => 50_000 + i * 100_000)
const SIZES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

/** Series of one kind of request, cached so that a request needs a single look-up. */
interface Children {
  /** Whether the series have the labels of a resource: the resource is served. */
  readonly isLabelled: boolean
  readonly labels: readonly string[]
  readonly duration: HistogramChild
  readonly sliDuration: HistogramChild | undefined
  readonly size: HistogramChild | undefined
  readonly byCode: Map<number, NumberChild>
}

/** The request metrics of kube-apiserver: its names, labels and buckets. */
export class RequestMetrics {
  readonly #total = new CounterFamily({
    name: 'apiserver_request_total',
    help: 'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
    stability: 'STABLE',
    labels: [...WITH_DRY_RUN, 'code'],
    subject: SUBJECT,
  })
  readonly #durations = new HistogramFamily({
    name: 'apiserver_request_duration_seconds',
    help: 'Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
    stability: 'STABLE',
    labels: WITH_DRY_RUN,
    subject: SUBJECT,
    buckets: REQUEST_BUCKETS,
  })
  readonly #sliDurations = new HistogramFamily({
    name: 'apiserver_request_sli_duration_seconds',
    help: 'Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.',
    stability: 'ALPHA',
    labels: LABELS,
    subject: SUBJECT,
    buckets: REQUEST_BUCKETS.slice(2),
  })
  readonly #sizes = new HistogramFamily({
    name: 'apiserver_response_sizes',
    help: 'Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
    stability: 'STABLE',
    labels: LABELS,
    subject: SUBJECT,
    buckets: SIZES,
  })
  readonly #bodySizes = new HistogramFamily({
    name: 'apiserver_request_body_size_bytes',
    help: 'Apiserver request body size in bytes broken out by resource and verb.',
    stability: 'ALPHA',
    labels: ['resource', 'verb'],
    subject: ['resource'],
    buckets: BODY_SIZES,
  })
  readonly #longRunning = new GaugeFamily({
    name: 'apiserver_longrunning_requests',
    help: 'Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
    stability: 'STABLE',
    labels: LABELS,
    subject: SUBJECT,
  })
  readonly #terminations = new CounterFamily({
    name: 'apiserver_request_terminations_total',
    help: 'Number of requests which apiserver terminated in self-defense.',
    stability: 'ALPHA',
    labels: [...LABELS, 'code'],
    subject: SUBJECT,
  })
  readonly #inFlight: ReadGauge
  readonly #queued: ReadGauge
  readonly #isServed: (info: ResourceRequestInfo) => boolean
  readonly #known = new Map<string, Children>()
  /** Keys of `known` by version of a resource. */
  readonly #knownOf = new Map<string, string[]>()
  readonly #bodies = new Map<string, HistogramChild>()

  /**
   * `isServed`: whether the API has a route for a request; other requests are counted without labels of a resource.
   * `queued`: omitted if requests do not wait in queues.
   */
  constructor(inFlight: RequestWatermarks, isServed: (info: ResourceRequestInfo) => boolean, queued?: RequestWatermarks) {
    this.#isServed = isServed
    this.#inFlight = new ReadGauge(
      {
        name: 'apiserver_current_inflight_requests',
        help: 'Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
        stability: 'STABLE',
        labels: ['request_kind'],
      },
      () => highestOf(inFlight),
    )
    this.#queued = new ReadGauge(
      {
        name: 'apiserver_current_inqueue_requests',
        help: 'Maximal number of queued requests in this apiserver per request kind in last second.',
        stability: 'ALPHA',
        labels: ['request_kind'],
      },
      () => (queued ? highestOf(queued) : []),
    )
  }

  families(): MetricFamily[] {
    return [
      this.#total,
      this.#durations,
      this.#sliDurations,
      this.#sizes,
      this.#bodySizes,
      this.#longRunning,
      this.#terminations,
      this.#inFlight,
      this.#queued,
    ]
  }

  /**
   * Counts a finished request. Like kube-apiserver, it records no latency and size of a request that was refused before
   * it was authorized. Such a request is counted without labels of a resource.
   */
  record(exchange: HttpExchange): void {
    const info = exchange.info
    const code = exchange.status
    if (!exchange.isAuthorized) {
      this.#countRefused(exchange, info, code)
      return
    }
    const children = this.#childrenOf(exchange, info)
    const seconds = exchange.elapsed() / 1000
    let total = children.byCode.get(code)
    if (total === undefined) {
      total = this.#total.child(...children.labels, COMPONENT, statusCodeLabel(code))
      children.byCode.set(code, total)
    }
    total.value++
    children.duration.observe(seconds)
    children.sliDuration?.observe(seconds - exchange.queuedMs / 1000)
    children.size?.observe(exchange.sent)
    if (exchange.received >= 0 && children.isLabelled) this.#bodySize(info)?.observe(exchange.received)
    if (isTermination(code)) this.#countTermination(children.labels, code)
  }

  /** Removes the series of a version that is no longer served. */
  forget({ group, version, resource, isLast }: GoneVersion): void {
    for (const family of [this.#total, this.#durations, this.#sliDurations, this.#sizes, this.#longRunning, this.#terminations])
      family.forget(group, version, resource)
    const id = `${group}/${version}/${resource}`
    for (const key of this.#knownOf.get(id) ?? []) this.#known.delete(key)
    this.#knownOf.delete(id)
    if (!isLast) return
    this.#bodySizes.forget(qualifiedResource({ group, resource }))
    for (const verb of Object.keys(BODY_VERBS)) this.#bodies.delete(bodyKey(verb, group, resource))
  }

  /**
   * kube-apiserver only counts requests that were dropped because the server is busy, with all their labels. The others
   * are counted here by verb and code.
   */
  #countRefused(exchange: HttpExchange, info: RequestInfo, code: number): void {
    const labels =
      code === 429 && info.isResource && this.#isServed(info)
        ? seriesLabels(verbOf(exchange, info), dryRunOf(exchange), info)
        : [verbOf(exchange, info), '', '', '', '', info.isResource ? '' : pathLabel(exchange), '']
    this.#total.child(...labels, COMPONENT, statusCodeLabel(code)).value++
    if (isTermination(code)) this.#countTermination(labels, code)
  }

  #countTermination(labels: readonly string[], code: number): void {
    this.#terminations.child(...withoutDryRun(labels), COMPONENT, String(code)).value++
  }

  #bodySize({ verb, group, resource }: RequestInfo): HistogramChild | undefined {
    const label = BODY_VERBS[verb]
    if (label === undefined) return undefined
    const key = bodyKey(verb, group, resource)
    let child = this.#bodies.get(key)
    if (child === undefined) {
      child = this.#bodySizes.child(qualifiedResource({ group, resource }), label)
      this.#bodies.set(key, child)
    }
    return child
  }

  /**
   * Returns the gauge of long-running requests with the labels of this one. The caller increments and decrements it.
   */
  running(exchange: HttpExchange): NumberChild {
    return this.#longRunning.child(...withoutDryRun(this.#childrenOf(exchange, exchange.info).labels), COMPONENT)
  }

  #noteKey(key: string, { group, version, resource }: RequestInfo): void {
    const id = `${group}/${version}/${resource}`
    const keys = this.#knownOf.get(id)
    if (keys) keys.push(key)
    else this.#knownOf.set(id, [key])
  }

  /**
   * Series are created once for each combination of labels, and forgotten with their resource. A key without labels is
   * that of the path's class.
   */
  #childrenOf(exchange: HttpExchange, info: RequestInfo): Children {
    const verb = verbOf(exchange, info)
    const dryRun = dryRunOf(exchange)
    if (info.isResource) {
      const known = this.#known.get(seriesKey(verb, dryRun, info))
      if (known !== undefined) return known
    }
    // Requests without a route are counted without labels: a client could invent any number of them.
    const isLabelled = info.isResource && this.#isServed(info)
    const page = info.isResource ? undefined : exchange.counted
    const key = isLabelled
      ? seriesKey(verb, dryRun, info)
      : `${verb}/${dryRun}/${page ? `${page.group}/${page.version}/${page.resource}` : pathLabel(exchange)}`
    const unlabelled = isLabelled ? undefined : this.#known.get(key)
    if (unlabelled !== undefined) return unlabelled
    const labels = isLabelled ? seriesLabels(verb, dryRun, info) : [verb, dryRun, ...plainLabels(exchange, page)]
    const plain = withoutDryRun(labels)
    const children: Children = {
      isLabelled,
      labels,
      duration: this.#durations.child(...labels, COMPONENT),
      sliDuration: dryRun === '' ? this.#sliDurations.child(...plain, COMPONENT) : undefined,
      size: verb === 'GET' || verb === 'LIST' ? this.#sizes.child(...plain, COMPONENT) : undefined,
      byCode: new Map(),
    }
    this.#known.set(key, children)
    if (isLabelled) this.#noteKey(key, info)
    return children
  }
}

/** Reports whether the code means that the server ended the request to protect itself. */
const isTermination = (code: number): boolean => code === 429 || code === 504

const bodyKey = (verb: string, group: string, resource: string): string => `${verb}/${group}/${resource}`

const highestOf = ({ readOnly, mutating }: RequestWatermarks): [string, number][] => [
  ['readOnly', readOnly.highest(Date.now())],
  ['mutating', mutating.highest(Date.now())],
]

const seriesLabels = (verb: string, dryRun: string, info: ResourceRequestInfo): string[] => [
  verb,
  dryRun,
  info.group,
  info.version,
  info.resource,
  info.subresource,
  scopeOf(info),
]

const seriesKey = (verb: string, dryRun: string, info: ResourceRequestInfo): string =>
  `${verb}/${dryRun}/${info.group}/${info.version}/${info.resource}/${info.subresource}/${scopeOf(info)}`

const withoutDryRun = (labels: readonly string[]): string[] => [labels[0] ?? '', ...labels.slice(2)]

const scopeOf = (info: RequestInfo): string =>
  info.name !== '' || info.verb === 'create' ? 'resource' : info.namespace !== '' ? 'namespace' : 'cluster'

/** Labels from the group to the scope of a request that is not for a served resource. */
const plainLabels = (exchange: HttpExchange, page: CountedPage | undefined): string[] =>
  page ? [page.group, page.version, page.resource, '', ''] : ['', '', '', pathLabel(exchange), '']

/** Label of a non-resource path. Only a few known paths have one. */
const pathLabel = ({ path }: HttpExchange): string => (LABELLED_PATHS.has(path) ? path : '')
const LABELLED_PATHS: ReadonlySet<string> = new Set([
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/version',
  '/api',
  '/apis',
  '/openapi/v2',
  '/openapi/v3',
])

const BODY_VERBS: Readonly<Record<string, string>> = {
  create: 'create',
  update: 'update',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete_collection',
}

const METHODS: ReadonlySet<string> = new Set(['DELETE', 'PATCH', 'POST', 'PUT', 'CONNECT'])

function verbOf(exchange: HttpExchange, info: RequestInfo): string {
  if (info.verb === 'watch') return 'WATCH'
  if (isLongRunning(info)) return 'CONNECT'
  const method = exchange.method
  if (method === 'GET' || method === 'HEAD') return info.isResource && scopeOf(info) !== 'resource' ? 'LIST' : 'GET'
  if (method === 'PATCH' && exchange.headers['content-type'] === 'application/apply-patch+yaml') return 'APPLY'
  return METHODS.has(method) ? method : 'other'
}

function dryRunOf(exchange: HttpExchange): string {
  if (!exchange.search.includes('dryRun')) return ''
  const asked = exchange.query.getAll('dryRun')
  return asked.every(one => one === 'All') ? (asked.length === 0 ? '' : 'All') : 'invalid'
}
