import { setRuleDefaults } from '../rules.ts'
import type { WebhookConfiguration } from './tolerated.ts'

/** Sets the defaults of each webhook of a configuration. */
export function setWebhookDefaults({ webhooks }: WebhookConfiguration): void {
  for (const hook of webhooks ?? []) {
    hook.failurePolicy ??= 'Fail'
    hook.matchPolicy ??= 'Equivalent'
    hook.namespaceSelector ??= {}
    hook.objectSelector ??= {}
    hook.timeoutSeconds ??= 10
    if (hook.clientConfig.service) hook.clientConfig.service.port ??= 443
    setRuleDefaults(hook.rules)
  }
}

/** Sets the defaults of mutating webhooks. */
export function setMutatingWebhookDefaults(object: WebhookConfiguration): void {
  setWebhookDefaults(object)
  for (const hook of object.webhooks ?? []) hook.reinvocationPolicy ??= 'Never'
}
