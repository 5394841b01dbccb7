import type { PolicyRulesWithSubjects, QueuingConfiguration } from '../../src/api/flowcontrol/v1.types.ts'
import type { FlowSchemaConfig, PriorityLevelConfig } from '../../src/flow/configuration.ts'
import { type FlowConfiguration, FlowControl, type FlowControlParts, type FlowRequest } from '../../src/flow/flow-control.ts'
import { FlowMetrics } from '../../src/flow/flow-metrics.ts'
import { silentLogger } from '../../src/lib/log.ts'
import type { MetricFamily } from '../../src/lib/metrics.ts'
import type { RequestInfo } from '../../src/meta/context.ts'
import { MANDATORY_SCHEMAS, mandatoryLevels } from '../../src/resources/flowcontrol/bootstrap/mandatory.ts'
import { EventClock } from './event-clock.ts'

/** Returns the info of a request, whose path decides whether it is a resource request. */
export const infoOf = (info: Partial<RequestInfo>): RequestInfo =>
  ({
    path: '',
    isResource: true,
    verb: 'get',
    group: '',
    version: 'v1',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    method: 'GET',
    apiPrefix: 'api',
    watchPath: false,
    inNamespace: false,
    namesObject: false,
    rest: [],
    ...info,
  }) as RequestInfo

export const requestOf = (user: string, info: Partial<RequestInfo> = {}, query = ''): FlowRequest => ({
  user: { name: user, groups: ['system:authenticated'] },
  info: infoOf(info),
  query: new URLSearchParams(query),
})

export const queued = (
  name: string,
  shares: number,
  queuing: QueuingConfiguration,
  more: { readonly lendablePercent?: number; readonly borrowingLimitPercent?: number } = {},
): PriorityLevelConfig => ({
  metadata: { name, uid: `${name}-uid` },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: shares, ...more, limitResponse: { type: 'Queue', queuing } } },
})

export const rejecting = (name: string, shares: number): PriorityLevelConfig => ({
  metadata: { name, uid: `${name}-uid` },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: shares, limitResponse: { type: 'Reject' } } },
})

export const EVERYTHING: Pick<PolicyRulesWithSubjects, 'resourceRules' | 'nonResourceRules'> = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}

/** A schema for everything of one user. */
export const schemaOf = (user: string, level: string, precedence = 100): FlowSchemaConfig => ({
  metadata: { name: `of-${user}`, uid: `of-${user}-uid` },
  spec: {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    distinguisherMethod: { type: 'ByUser' },
    rules: [{ subjects: [{ kind: 'User', user: { name: user } }], ...EVERYTHING }],
  },
})

export const MANDATORY: FlowConfiguration = { levels: mandatoryLevels('1.33'), schemas: MANDATORY_SCHEMAS }

export interface TestFlows {
  readonly clock: EventClock
  readonly metrics: FlowMetrics
  readonly flows: FlowControl
}

export function testFlows(totalSeats: number, configuration?: FlowConfiguration, parts: Partial<FlowControlParts> = {}): TestFlows {
  const clock = new EventClock()
  const metrics = new FlowMetrics(() => clock.now())
  const flows = new FlowControl({
    totalSeats,
    clock,
    metrics,
    log: silentLogger,
    mandatory: MANDATORY,
    countOf: () => undefined,
    watchList: true,
    consistentReadsFromCache: true,
    countsLegacyWatches: false,
    ...parts,
  })
  if (configuration) flows.configure(configuration)
  return { clock, metrics, flows }
}

/** The values of a metric, by the values of its labels. */
export function valuesOf(families: readonly MetricFamily[], name: string): Record<string, number> {
  const family = families.find(each => each.name === name)
  const values: Record<string, number> = {}
  for (const { metricName, labels, value } of family?.samples() ?? [])
    if (metricName === name || metricName === `${name}_count`) values[Object.values(labels).join(' ')] = value
  return values
}
