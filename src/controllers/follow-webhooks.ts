import type { WebhookConfigurations } from '../admission/webhooks/configurations.ts'
import type { ResourceId } from '../catalog/definition.ts'
import { type ControllerEnvironment, followFresh } from './controller.ts'

const GROUP = 'admissionregistration.k8s.io'

export const WEBHOOK_CONFIGURATIONS = {
  mutating: { group: GROUP, resource: 'mutatingwebhookconfigurations' },
  validating: { group: GROUP, resource: 'validatingwebhookconfigurations' },
} satisfies Record<WebhookConfigurations['kind'], ResourceId>

/** Keeps webhooks as their configurations are, from the watch cache. Every server runs it. */
export function followWebhooks(env: ControllerEnvironment, configurations: WebhookConfigurations, signal: AbortSignal): Promise<void> {
  configurations.filling.begin()
  return followFresh(env, WEBHOOK_CONFIGURATIONS[configurations.kind], signal, () => {
    // What is known from before and is not seen again was deleted while nobody watched.
    const before = new Set(configurations.names())
    return ({ type, object }) => {
      if (object) {
        const { name = '' } = object.metadata
        before.delete(name)
        if (type === 'deleted') configurations.remove(name)
        else configurations.put(object)
        return
      }
      for (const name of before) configurations.remove(name)
      before.clear()
      configurations.filling.end()
    }
  })
}
