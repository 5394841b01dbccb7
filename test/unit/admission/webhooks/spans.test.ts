import { expect } from 'chai'
import { applyKindDefaults } from '../../../../src/registry/decode-object.ts'
import { internalContext } from '../../../../src/registry/internal-context.ts'
import { CONFIG_MAPS, NAMESPACES } from '../../../support/builtin-registry.ts'
import { RecordedSpans } from '../../../support/recorded-spans.ts'
import { NEVER } from '../../../support/test-registry.ts'
import { WebhookWorld } from '../../../support/webhooks/webhook-world.ts'

/** Names and attributes: k8s.io/apiserver, pkg/admission/plugin/webhook/mutating/dispatcher.go. */
describe('spans of webhook calls', () => {
  const spans = new RecordedSpans()
  let world: WebhookWorld
  before(async () => {
    world = await WebhookWorld.start({ spans })
    await world.t.access().create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ns' } })
  })
  beforeEach(() => spans.ended.splice(0))
  afterEach(() => world.clear())
  after(() => world.close())

  async function create(name: string): Promise<void> {
    const { t } = world
    const served = t.served(CONFIG_MAPS)
    const ctx = internalContext({ verb: 'create' }, NEVER, t.now)
    const object = applyKindDefaults(served.version, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } })
    await t.registry.store(served).create({ ctx, served, subresource: '', namespace: 'ns', name, dryRun: false, manager: 'tester' }, object)
  }
  const about = { webhook: 'h.example.com', resource: '/v1, Resource=configmaps', subresource: '', operation: 'CREATE' }

  it('exist for each call and are propagated to it', async () => {
    world.add('mutating', '/ok')
    world.add('validating', '/ok')
    await create('a')
    expect(spans.ended.map(({ name, attributes: { UID: _uid, ...others } }) => [name, others])).to.deep.equal([
      ['Call mutating webhook', { ...about, configuration: 'c0' }],
      ['Call validating webhook', { ...about, configuration: 'c0' }],
    ])
    expect(world.server.requests.map(({ headers }) => headers.traceparent)).to.deep.equal([spans.traceparent, spans.traceparent])
    expect(world.server.requests.map(({ review }) => (review.request as { uid: string }).uid)).to.deep.equal(
      spans.ended.map(({ attributes }) => attributes.UID),
    )
  })

  it('record why a call failed', async () => {
    world.add('validating', '/ok', { clientConfig: { url: 'https://127.0.0.1:1/' }, failurePolicy: 'Ignore' })
    await create('b')
    expect(spans.ended.map(({ name, failure }) => [name, failure])).to.deep.equal([
      [
        'Call validating webhook',
        'failed to call webhook: Post "https://127.0.0.1:1/?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
      ],
    ])
  })
})
