import { noEgress } from '../../lib/no-egress.ts'
import { IMAGE_POLICY_PLUGIN } from '../../resources/core/pod/image-policy/configuration.ts'
import type { Backend } from '../../storage/backend.ts'
import type { AccessOptions, ControlPlaneOptions } from '../control-plane-options.ts'
import { Runtime } from '../runtime.ts'

/**
 * Rejects outgoing connections. Users of a mounted control plane may have no permissions on the server, in whose name
 * the connection would be made.
 */
const NO_WAY_OUT = noEgress('moments and branches connect to nothing')

/** Options of a mounted control plane that differ from the server's. */
export interface MountedParts {
  readonly backend: Backend
  readonly holds: 'copy' | 'past'
  readonly access: AccessOptions
}

/**
 * Options of a control plane on another store, configured as its server is. It makes no outgoing connections and
 * presents no credentials of the server: webhooks and aggregated servers appear to be down. ImagePolicyWebhook is
 * removed, because its connection belongs to the server. The server limits what requests may cost.
 */
export function mountedOptions(server: ControlPlaneOptions, { backend, holds, access }: MountedParts): ControlPlaneOptions {
  const { runtime, logger, release, controllers, cluster, network, requests, observability } = server
  const { history, origin, ...storage } = server.storage
  const { imagePolicy, ...admission } = server.admission
  const { trust } = server.access
  return {
    runtime: new Runtime({ clock: runtime.clock }),
    logger,
    release,
    storage: {
      ...storage,
      backend,
      otherStores: [],
      holds,
      compactionIntervalMs: 0,
      isExclusive: true,
      ...(holds === 'past' ? { isCached: () => false } : { cachesOnDemand: true }),
    },
    access: { ...access, ...(trust && { trust }) },
    admission: { ...admission, plugins: admission.plugins.filter(name => name !== IMAGE_POLICY_PLUGIN), webhookCredentials: new Map() },
    controllers,
    ...(cluster && { cluster }),
    network: {
      ...network,
      egress: NO_WAY_OUT,
      kubelets: { addressTypes: network.kubelets.addressTypes, port: network.kubelets.port, dial: NO_WAY_OUT.cluster },
      aggregation: { refusesRedirects: network.aggregation.refusesRedirects },
    },
    requests: { media: requests.media, minTimeoutSeconds: requests.minTimeoutSeconds, faultObjects: false },
    observability: { webhookCertificates: observability.webhookCertificates },
  }
}
