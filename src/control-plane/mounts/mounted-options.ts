import { noEgress } from '../../lib/no-egress.ts'
import { IMAGE_POLICY_PLUGIN } from '../../resources/core/pod/image-policy/configuration.ts'
import type { Backend } from '../../storage/backend.ts'
import type { ControlPlaneOptions } from '../control-plane-options.ts'
import { Runtime } from '../runtime.ts'

/** Rejects outgoing connections. Users of a mounted control plane may have no permissions on the server, in whose name the connection would be made. */
const NO_WAY_OUT = noEgress('moments and branches connect to nothing')

/** Options of a mounted control plane that differ from the server's. */
export interface MountedParts extends Pick<ControlPlaneOptions, 'authorizer' | 'auth' | 'rules' | 'nodeGraph'> {
  readonly backend: Backend
  readonly holds: 'copy' | 'past'
}

/**
 * Options of a control plane on another store, configured as its server is. It makes no outgoing connections and presents no credentials of the server:
 * webhooks and aggregated servers appear to be down. ImagePolicyWebhook is removed, because its connection belongs to the server. The server limits what
 * requests may cost.
 */
export function mountedOptions(server: ControlPlaneOptions, { backend, holds, authorizer, auth, rules, nodeGraph }: MountedParts): ControlPlaneOptions {
  const { imagePolicy, webhookCredentials, totalSeats, onCustomKinds, onWatchers, faultObjects, history, console, origin, otherStores, ...alike } = server
  const { rules: _rules, nodeGraph: _nodeGraph, auth: _auth, ...shared } = alike
  return {
    ...shared,
    runtime: new Runtime({ clock: server.runtime.clock }),
    backend,
    holds,
    authorizer,
    ...(auth && { auth }),
    ...(rules && { rules }),
    ...(nodeGraph && { nodeGraph }),
    admissionPlugins: server.admissionPlugins.filter(name => name !== IMAGE_POLICY_PLUGIN),
    spans: undefined,
    egress: NO_WAY_OUT,
    kubelets: { addressTypes: server.kubelets.addressTypes, port: server.kubelets.port, dial: NO_WAY_OUT.cluster },
    aggregation: { refusesRedirects: server.aggregation.refusesRedirects },
    compactionIntervalMs: 0,
    exclusiveStore: true,
    ...(holds === 'past' ? { isCached: () => false } : { cachesOnDemand: true }),
  }
}
