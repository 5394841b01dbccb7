import type { KubeObject } from '../../../meta/object.ts'
import { setRuleDefaults } from '../rules.ts'

/** Fills in each webhook of a configuration. */
export function setWebhookDefaults({ webhooks }: KubeObject): void {
  for (const hook of webhooks ?? []) {
    hook.failurePolicy ??= 'Fail'
    hook.matchPolicy ??= 'Equivalent'
    hook.namespaceSelector ??= {}
    hook.objectSelector ??= {}
    hook.timeoutSeconds ??= 10
    if (hook.clientConfig?.service) hook.clientConfig.service.port ??= 443
    setRuleDefaults(hook.rules)
  }
}

/** Those of a mutating webhook, too. */
export function setMutatingWebhookDefaults(object: KubeObject): void {
  setWebhookDefaults(object)
  for (const hook of object.webhooks ?? []) hook.reinvocationPolicy ??= 'Never'
}
