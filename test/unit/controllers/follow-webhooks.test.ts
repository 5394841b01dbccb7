import { expect } from 'chai'
import { WebhookConfigurations } from '../../../src/admission/webhooks/configurations.ts'
import type { AccessEvent, ResourceAccess } from '../../../src/catalog/resource-access.ts'
import { followWebhooks } from '../../../src/controllers/follow-webhooks.ts'
import { MUTATING_WEBHOOKS } from '../../../src/resources/kinds.ts'
import { builtinRegistry, controllerEnvironment } from '../../support/builtin-registry.ts'
import { eventually } from '../../support/waiting.ts'
import { configuration } from '../../support/webhooks/webhook-world.ts'

const namesOf = ({ hooks }: WebhookConfigurations): string => hooks.map(({ name }) => name).join(' ')

describe('followWebhooks', () => {
  it('follows stored configurations', async () => {
    const t = builtinRegistry()
    const api = t.access()
    const id = MUTATING_WEBHOOKS
    const known = new WebhookConfigurations('mutating')
    const stop = new AbortController()
    const following = followWebhooks(controllerEnvironment(t), known, stop.signal)
    expect(known.filling.isOpen).to.equal(true)
    expect(await known.filling.ended(10_000)).to.equal(true)
    const hook = (name: string) => ({ name, clientConfig: { url: 'https://h/' }, sideEffects: 'None', admissionReviewVersions: ['v1'] })
    const body = { kind: 'MutatingWebhookConfiguration', apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'a' } }
    await api.create(id, '', { ...body, webhooks: [hook('x.example.com')] })
    await eventually('a webhook', () => namesOf(known) === 'x.example.com')
    expect(known.hooks[0]?.timeoutMs).to.equal(10_000)
    await api.update(id, '', 'a', object => ({ ...object, webhooks: [hook('y.example.com'), hook('z.example.com')] }))
    await eventually('two webhooks', () => namesOf(known) === 'y.example.com z.example.com')
    await api.delete(id, '', 'a')
    await eventually('no webhook', () => namesOf(known) === '')
    stop.abort()
    await following
  })

  it('removes configurations that were deleted while the watch was interrupted', async () => {
    const added = (name: string): AccessEvent => ({ type: 'added', object: configuration(name, [{ name: `${name}.example.com` }]) })
    const streams: AccessEvent[][] = [
      [added('a'), added('b'), { type: 'synced' }],
      [added('b'), { type: 'synced' }],
    ]
    let round = 0
    const stop = new AbortController()
    const access = {
      async watch(...[, , , handle]: Parameters<ResourceAccess['watch']>) {
        for (const event of streams[Math.min(round++, 1)] as AccessEvent[]) await handle(event)
      },
    } as unknown as ResourceAccess
    const known = new WebhookConfigurations('validating')
    const env = { ...controllerEnvironment(builtinRegistry()), access }
    const following = followWebhooks(env, known, stop.signal)
    await eventually('one webhook', () => round > 1 && namesOf(known) === 'b.example.com')
    stop.abort()
    await following
  })
})
