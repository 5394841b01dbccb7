import type { WebhookConfigurations } from '../admission/webhooks/configurations.ts'
import { MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS } from '../resources/kinds.ts'
import { type ControllerEnvironment, clusterKeys, followKept } from './controller.ts'

/** Keeps the webhooks in sync with their stored configurations. Every server runs it. */
export function followWebhooks(env: ControllerEnvironment, configurations: WebhookConfigurations, signal: AbortSignal): Promise<void> {
  configurations.filling.begin()
  const kept = {
    keys: () => clusterKeys(configurations.names()),
    put: (configuration: Parameters<WebhookConfigurations['put']>[0]) => configurations.put(configuration),
    remove: (_: string, name: string) => configurations.remove(name),
    synced: () => configurations.filling.end(),
  }
  return configurations.kind === 'mutating'
    ? followKept(env, MUTATING_WEBHOOKS, signal, kept)
    : followKept(env, VALIDATING_WEBHOOKS, signal, kept)
}
