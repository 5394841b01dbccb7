import { type ClusterTrust, keepClusterTrust } from '../controllers/cluster-trust.ts'
import type { Features } from '../lifecycle/gates.ts'
import type { Service, ServiceStart } from './service.ts'

/** Publishes for extension servers which certificates and headers to trust. */
export class TrustService implements Service {
  private readonly trust: (() => ClusterTrust) | undefined
  private readonly features: Features
  private readonly bootstrapped: Promise<void>

  /** `trust`: absent where nobody authenticates by certificates. `bootstrapped`: resolves when kube-system is there. */
  constructor(trust: (() => ClusterTrust) | undefined, features: Features, bootstrapped: Promise<void>) {
    this.trust = trust
    this.features = features
    this.bootstrapped = bootstrapped
  }

  async start({ env }: ServiceStart, signal: AbortSignal): Promise<void> {
    if (!this.trust) return
    await this.bootstrapped
    if (!signal.aborted) await keepClusterTrust(env, this.trust, this.features.enabled('RemoteRequestHeaderUID'), signal)
  }
}
