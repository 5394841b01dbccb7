import { type ClusterTrust, keepClusterTrust } from '../controllers/cluster-trust.ts'
import type { Features } from '../lifecycle/gates.ts'
import type { Service, ServiceStart } from './service.ts'

/** Publishes the CAs and headers that extension servers must trust. */
export class TrustService implements Service {
  readonly #trust: (() => ClusterTrust) | undefined
  readonly #features: Features
  readonly #bootstrapped: Promise<void>

  /**
   * @param trust undefined if client certificates are not used. @param bootstrapped resolves when kube-system exists.
   */
  constructor(trust: (() => ClusterTrust) | undefined, features: Features, bootstrapped: Promise<void>) {
    this.#trust = trust
    this.#features = features
    this.#bootstrapped = bootstrapped
  }

  async start({ env }: ServiceStart, signal: AbortSignal): Promise<void> {
    if (!this.#trust) return
    await this.#bootstrapped
    if (!signal.aborted) await keepClusterTrust(env, this.#trust, this.#features.enabled('RemoteRequestHeaderUID'), signal)
  }
}
