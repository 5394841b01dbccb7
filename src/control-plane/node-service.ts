import { nodeAuthorizer } from '../auth/authz/node/authorizer.ts'
import type { NodeGraph } from '../auth/authz/node/graph.ts'
import { createGraphDurations } from '../auth/metrics.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { followNodeGraph } from '../controllers/node-graph.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { Features } from '../lifecycle/gates.ts'
import { isSince } from '../lifecycle/release.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import { bootstrapPolicy } from '../resources/rbac/policy/bootstrap-policy.ts'
import { onReadyz, type ReadinessCheck, type Service, type ServiceStart } from './service.ts'

/** Node authorizer, with the rules and selectors of the release. */
export function nodeAuthorizerOf(graph: NodeGraph, features: Features): Authorizer {
  const since = (release: '1.28' | '1.31' | '1.33' | '1.34' | '1.35'): boolean => isSince(features.release, release)
  const bySelectors = features.enabled('AuthorizeNodeWithSelectors')
  const certificateRequests = since('1.34') && features.enabled('PodCertificateRequest')
  return nodeAuthorizer({
    graph,
    rules: bootstrapPolicy(features).clusterRoles.find(({ metadata }) => metadata.name === 'system:node')?.rules ?? [],
    bySelectors,
    readsSelectors: features.enabled('AuthorizeWithSelectors'),
    readsAccounts: since('1.33') ? features.enabled('KubeletServiceAccountTokenForCredentialProviders') || certificateRequests : undefined,
    divides: {
      claims: since('1.28'),
      slices: since('1.31'),
      certificateRequests: certificateRequests && bySelectors ? 'by node' : since('1.35') ? 'never' : 'by rules',
    },
  })
}

/** Keeps the graph of the Node authorizer, if it is on, in sync with the objects of nodes. */
export class NodeService implements Service {
  readonly metrics: readonly MetricFamily[]
  readonly checks: readonly ReadinessCheck[]
  readonly #graph: NodeGraph | undefined
  readonly #catalog: Catalog
  readonly #durations = createGraphDurations()
  #isKnown = false

  constructor(graph: NodeGraph | undefined, catalog: Catalog) {
    this.#graph = graph
    this.#catalog = catalog
    this.metrics = graph ? [this.#durations] : []
    this.checks = graph ? [onReadyz('node-authorizer', () => this.#isKnown, 'the pods of nodes are not loaded yet')] : []
  }

  /** Follows the objects of nodes. Returns immediately if the Node authorizer is off. */
  async start({ env }: ServiceStart, signal: AbortSignal): Promise<void> {
    const graph = this.#graph
    const durations = this.#durations
    const catalog = this.#catalog
    if (!graph) return
    const isServed = ({ group, resource }: { readonly group: string; readonly resource: string }): boolean =>
      catalog.snapshot().definition(group, resource) !== undefined
    const onSynced = (): void => {
      this.#isKnown = true
    }
    await followNodeGraph(env, { graph, durations, isServed, onSynced }, signal)
  }
}
