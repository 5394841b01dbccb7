import type { Node } from '../api/core/v1.types.ts'
import type { ApiClient } from '../clients/api-client.ts'
import type { TimerClock } from '../lib/clock.ts'
import type { OpenConnection } from '../lib/in-process-connection.ts'
import type { Logger } from '../lib/log.ts'
import type { Release } from '../lifecycle/release.ts'
import type { ClientIdentity } from './in-process-client.ts'

/** Services that are served in the process if nodes are simulated: `NAMESPACE/NAME`. They need no Service object. */
export const LOCAL_SERVICES: ReadonlySet<string> = new Set(['kube-system/metrics-server'])

/** Environment of the servers of a simulated cluster: they read the API like a client. */
export interface LocalServerParts {
  clientOf(identity: ClientIdentity): ApiClient
  /** Clock of the API. */
  readonly clock: TimerClock
  readonly logger: Logger
  readonly release: Release
}

/** Servers of a simulated cluster in the process of the API server, which connects to them without a network. */
export interface LocalServers {
  /** Returns how the kubelet of a node is reached. Undefined if the node is not simulated. */
  kubelet(node: Node): Promise<OpenConnection | undefined>
  /** Returns how a service of the cluster is reached. Undefined for all but `LOCAL_SERVICES`. */
  service(namespace: string, name: string): Promise<OpenConnection | undefined>
  /** Ends all connections. */
  close(): void
}

/** Creates the servers of one control plane. Their code is loaded when one is first reached. */
export type OpenLocalServers = (parts: LocalServerParts) => LocalServers
