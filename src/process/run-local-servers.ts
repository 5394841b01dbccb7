import type { Node } from '../api/core/v1.types.ts'
import { MetricsServer } from '../cluster/metrics-server/metrics-server.ts'
import { LOCAL_PARTS } from '../cluster/node-server/local-access.ts'
import { NodeServer } from '../cluster/node-server/node-server.ts'
import { isSimulated } from '../cluster/nodes/node-objects.ts'
import type { ClientIdentity } from '../control-plane/in-process-client.ts'
import type { LocalServerParts } from '../control-plane/local-servers.ts'
import type { OpenConnection } from '../lib/in-process-connection.ts'
import { isSince, type Release } from '../lifecycle/release.ts'
import { metricsOpenApi } from './metrics-open-api.ts'

/** Identity with which the servers read the cluster. */
const KUBELETS: ClientIdentity = {
  user: { name: 'system:serviceaccount:kube-system:kubelet', groups: ['system:authenticated'] },
  userAgent: 'kubelet',
}

/** Versions of metrics.k8s.io in a release, in the order of preference. An APIService decides which are used. */
const metricsVersions = (release: Release): string[] => (isSince(release, '1.37') ? ['v1', 'v1beta1'] : ['v1beta1'])

/** Servers of a simulated cluster, loaded. */
export interface LoadedServers {
  /** Returns a connection to the kubelet of a node, or undefined if the node is not simulated. */
  kubelet(node: Node): OpenConnection | undefined
  /** Opens a connection to the metrics API. */
  readonly metrics: OpenConnection
  /** Closes the server of the kubelets. */
  close(): void
}

/** Opens the servers with those parts that are both known and allowed. */
export function openLocalServers(allowed: readonly string[], { clientOf, clock, logger, release }: LocalServerParts): LoadedServers {
  const parts = new Set(LOCAL_PARTS.filter(part => allowed.includes(part)))
  const nodes = new NodeServer({ client: clientOf(KUBELETS), clock, logger, allowed: parts })
  const versions = metricsVersions(release)
  const openApi = metricsOpenApi(release, versions)
  const metrics = new MetricsServer({ client: clientOf(KUBELETS), clock, logger, versions, openApi, isSimulated })
  return {
    metrics: () => metrics.connect(),
    kubelet: node => (isSimulated(node) ? () => nodes.connect(node.metadata.name ?? '') : undefined),
    close: () => nodes.close(),
  }
}
