import { noEgress } from '../../lib/no-egress.ts'
import { IMAGE_POLICY_PLUGIN } from '../../resources/core/pod/image-policy/configuration.ts'
import type { Backend } from '../../storage/backend.ts'
import type { ControlPlaneOptions } from '../control-plane-options.ts'
import { Runtime } from '../runtime.ts'

/** Users of a mounted plane may be nobody outside: connections would be made in the name of the server. */
const NO_WAY_OUT = noEgress('moments and branches connect to nothing')

/** What a mounted plane has in place of what its server has. */
export interface MountedParts extends Pick<ControlPlaneOptions, 'authorizer' | 'auth' | 'rules' | 'nodeGraph'> {
  readonly backend: Backend
  readonly holds: 'copy' | 'past'
}

/**
 * The options of a plane over another store, set up as its server is. It connects to nothing, and shows nobody what the server proves itself by: webhooks and aggregated servers are to it as if they were down. The plugin that asks for
 * images is left out: its connection is the server's own. What requests may cost is the server's to limit.
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
