import type { Node, Pod } from '../../../api/core/v1.types.ts'
import { type ApiClient, objectKey } from '../../../clients/api-client.ts'
import type { Clock } from '../../../lib/clock.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { Logger } from '../../../lib/log.ts'
import { seededRandom } from '../../../lib/seeded-random.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { undefinedIfNotFound } from '../../../meta/status.ts'
import { decodeMetric, type MetricPage } from '../../kwok/rules/metric.ts'
import { type Measurements, metricEnvironment } from '../../kwok/rules/metric-environment.ts'
import { UsageReader } from '../../metrics-server/usage-reader.ts'
import { METRICS, NODES, PODS } from '../../shared/kinds.ts'
import { isPodTerminal } from '../../shared/pods.ts'
import { DecodedObjects, isValid } from '../decoded-objects.ts'
import { MeasuredNode, type PodUsage } from './measured-node.ts'
import { scrapedPage } from './scrape.ts'
import { type ScrapedNames, UsageSums } from './usage-sums.ts'

export interface NodeMetricsOptions {
  readonly client: ApiClient
  readonly clock: Clock
  readonly logger: Logger
}

const NODE_NAME = '{nodeName}'
const NOTHING: Measurements = { usage: () => 0, cumulativeUsage: () => 0, startedContainers: () => 0 }

/** The pages of metrics of simulated nodes, which Metric objects describe. */
export class NodeMetrics {
  readonly #options: NodeMetricsOptions
  readonly #usage: UsageReader
  /** Measurements of the scrape whose step runs. */
  #measurements: Measurements = NOTHING
  readonly #pages: DecodedObjects<MetricPage>
  readonly #sums = new UsageSums(() => this.#existing())

  constructor(options: NodeMetricsOptions) {
    const { client, clock } = options
    this.#options = options
    this.#usage = new UsageReader(client, clock)
    const environment = metricEnvironment({ now: () => clock.now(), random: seededRandom(1) }, () => this.#measurements)
    this.#pages = new DecodedObjects(METRICS.kind, object => decodeMetric(object, environment))
  }

  /**
   * Returns the page at a path. Undefined if no Metric describes it, or if its node does not exist.
   * @param parts parts of the path, without escapes
   * @param ownNode node whose kubelet is asked. The page of a path without a node is about it
   */
  async page(parts: readonly string[], ownNode: string): Promise<string | undefined> {
    const page = (await this.#readPages()).find(({ path }) => matchesPath(path, parts))
    if (page === undefined) return undefined
    const at = page.path.indexOf(NODE_NAME)
    const { client } = this.#options
    const node = await client.get(NODES, '', at < 0 ? ownNode : (parts[at] ?? '')).catch(undefinedIfNotFound)
    return node && this.#scrape(page, node)
  }

  async #scrape(page: MetricPage, node: Node): Promise<string> {
    const { client, clock, logger } = this.#options
    const name = node.metadata.name ?? ''
    const { items } = await client.list(PODS, { fieldSelector: `spec.nodeName=${name}`, resourceVersion: '0' })
    const pods = items.filter(pod => !isPodTerminal(pod))
    const measured = new MeasuredNode(name, await this.#usageOf(pods, node), clock.now(), this.#sums.get(page.name, name) ?? new Map())
    const prepare = (): void => {
      this.#measurements = measured
    }
    const report = (metric: string, error: string): void => logger.debug(1, 'a metric cannot be evaluated', { metric, node: name, error })
    const text = await startInTurns(scrapedPage(page, { node, pods }, prepare, report))
    this.#measurements = NOTHING
    await this.#sums.set(page.name, name, measured.used)
    return text
  }

  async #existing(): Promise<ScrapedNames> {
    const pages = await this.#readPages()
    const nodes = await this.#options.client.list(NODES, { resourceVersion: '0' })
    return {
      pages: new Set(pages.map(({ name }) => name)),
      nodes: new Set(nodes.items.map(({ metadata }) => metadata.name ?? '')),
    }
  }

  async #usageOf(pods: readonly Pod[], node: Node): Promise<PodUsage[]> {
    const reading = await this.#usage.read('')
    const usages: PodUsage[] = []
    for (const pod of pods) {
      try {
        usages.push({ pod, containers: await startInTurns(reading.of(pod, node)) })
      } catch (error) {
        this.#options.logger.debug(1, 'the usage of a pod cannot be evaluated', { pod: objectKey(pod), error: errorMessage(error) })
      }
    }
    return usages
  }

  /** Reads the valid Metric objects by name. */
  async #readPages(): Promise<MetricPage[]> {
    const list = await this.#options.client.list(METRICS, { resourceVersion: '0' }).catch(undefinedIfNotFound)
    const sorted = [...(list?.items ?? [])].sort((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1))
    return (await this.#pages.ofAll(sorted)).filter(isValid)
  }
}

const matchesPath = (path: readonly string[], parts: readonly string[]): boolean =>
  path.length === parts.length &&
  path.every((part, i) => part === parts[i] || (part.startsWith('{') && part.endsWith('}') && parts[i] !== ''))
