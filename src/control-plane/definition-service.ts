import type { WebhookClients } from '../admission/webhooks/client.ts'
import type { GoneVersion } from '../catalog/gone-versions.ts'
import type { ResourceAccess } from '../catalog/resource-access.ts'
import { ConversionMetrics } from '../extensions/conversion/metrics.ts'
import { findDefinition } from '../extensions/find-definition.ts'
import { type CustomResources, customResources } from '../extensions/follow-definitions.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import { valueRulesOf } from '../resources/shared/value-rules.ts'
import type { BuiltInKinds } from './built-in-kinds.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import { onceBegun, type ReadinessCheck, type Service, type ServiceStart } from './service.ts'
import type { StoreService } from './store-service.ts'

export interface DefinitionServiceParts {
  readonly kinds: BuiltInKinds
  readonly stores: StoreService
  /** Clients of conversion webhooks. */
  readonly webhooks: WebhookClients
}

/** Serves the kinds of CustomResourceDefinitions: keeps the catalog and the stores in sync with them. */
export class DefinitionService implements Service {
  readonly metrics: readonly MetricFamily[]
  readonly checks: readonly ReadinessCheck[]
  readonly #custom: CustomResources
  readonly #conversions = new ConversionMetrics()
  #isSynced = false
  #reportSynced: () => void = () => {}
  /** Resolves when `isSynced`. */
  readonly synced = new Promise<void>(resolve => {
    this.#reportSynced = resolve
  })

  /** @param signal aborted at shutdown; ends calls of webhooks. */
  constructor(
    {
      logger,
      observability: { onCustomKinds, spans },
      release,
      runtime,
    }: Pick<ControlPlaneOptions, 'logger' | 'observability' | 'release' | 'runtime'>,
    { kinds, stores, webhooks }: DefinitionServiceParts,
    signal: AbortSignal,
  ) {
    const metrics = this.#conversions
    this.metrics = metrics.families
    this.checks = [
      onceBegun('poststarthook/crd-informer-synced', () => this.#isSynced, 'the custom resource definitions are not served yet'),
    ]
    stores.expect(this.synced)
    this.#custom = customResources({
      catalog: kinds.catalog,
      logger,
      builtin: kinds.definitions,
      ...(onCustomKinds && { onServed: onCustomKinds }),
      conversion: {
        post: (config, body, timeoutMs, traceparent) => webhooks.post(config, body, { timeoutMs, signal, traceparent }),
        metrics,
        spans,
        notes: runtime.recent?.notes,
      },
      rules: valueRulesOf(release.gates),
      addResource: definition => stores.add(definition),
      replaceResource: (old, next) => stores.replace(old, next),
      removeResource: definition => stores.remove(definition),
      onSynced: () => {
        this.#isSynced = true
        this.#reportSynced()
      },
    })
  }

  /** Whether the kinds of all stored definitions are served. */
  get isSynced(): boolean {
    return this.#isSynced
  }

  /**
   * Serves a definition that this server just wrote without waiting for its watch event. Resolves once it is served, or
   * if it cannot be read: then the event follows.
   */
  serveWritten(access: ResourceAccess, name: string): Promise<void> {
    return this.#custom.serveWritten(name, () => findDefinition(access, name)).catch(() => undefined)
  }

  /** The name of a definition is that of its resource. */
  forgetVersion({ group, resource, isLast }: GoneVersion): void {
    if (isLast) this.#conversions.forget(`${resource}.${group}`)
  }

  /** Follows definitions. The check `crd-informer-synced` passes once all stored ones are served. */
  start({ env }: ServiceStart, signal: AbortSignal): Promise<void> {
    return this.#custom.follow(env, signal)
  }
}
