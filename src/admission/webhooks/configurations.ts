import { compareText } from '../../lib/compare-text.ts'
import { Filling } from '../filling.ts'
import { type Webhook, type WebhookConfiguration, type WebhookKind, webhooksOf } from './webhook.ts'

/**
 * Webhooks of all configurations of one kind: of manifests, and stored ones, which `controllers/follow-webhooks.ts`
 * updates.
 */
export class WebhookConfigurations {
  readonly kind: WebhookKind
  readonly filling = new Filling()
  readonly #configurations = new Map<string, { readonly version: string; readonly hooks: readonly Webhook[] }>()
  #manifests: readonly Webhook[] = []
  #hooks: readonly Webhook[] = []
  #hookNames: ReadonlySet<string> = new Set()

  constructor(kind: WebhookKind) {
    this.kind = kind
  }

  /** Those of manifests first, then sorted by configuration name, then in the order of the configuration. */
  get hooks(): readonly Webhook[] {
    return this.#hooks
  }

  /** Webhooks of manifests alone, in the same order. */
  get manifests(): readonly Webhook[] {
    return this.#manifests
  }

  /** Replaces the configurations of manifests. */
  setManifests(configurations: readonly WebhookConfiguration[]): void {
    const sorted = [...configurations].sort((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? ''))
    this.#manifests = sorted.flatMap(configuration => webhooksOf(this.kind, configuration, 'manifest/'))
    this.#collect()
  }

  /** Whether a configuration has a webhook of this name. */
  hasHook(name: string): boolean {
    return this.#hookNames.has(name)
  }

  names(): Iterable<string> {
    return this.#configurations.keys()
  }

  /** Adds or replaces a configuration. */
  put(configuration: WebhookConfiguration): void {
    const { name = '', uid = '', generation = 0 } = configuration.metadata
    const version = `${uid}/${generation}`
    // An unchanged generation keeps its compiled match conditions.
    if (this.#configurations.get(name)?.version === version) return
    this.#configurations.set(name, { version, hooks: webhooksOf(this.kind, configuration) })
    this.#collect()
  }

  remove(name: string): void {
    if (this.#configurations.delete(name)) this.#collect()
  }

  #collect(): void {
    const sorted = [...this.#configurations].sort(([a], [b]) => compareText(a, b))
    this.#hooks = [...this.#manifests, ...sorted.flatMap(([, { hooks }]) => hooks)]
    this.#hookNames = new Set(this.#hooks.map(({ name }) => name))
  }
}
