import { expect } from 'chai'
import { applyKindDefaults } from '../../../../src/registry/decode-object.ts'
import { internalContext } from '../../../../src/registry/internal-context.ts'
import { annotationsOf } from '../../../support/audit-record.ts'
import { CONFIG_MAPS, NAMESPACES } from '../../../support/builtin-registry.ts'
import { NEVER } from '../../../support/test-registry.ts'
import { WebhookWorld } from '../../../support/webhooks/webhook-world.ts'

describe('audit annotations of webhooks', () => {
  let world: WebhookWorld
  before(async () => {
    world = await WebhookWorld.start()
    await world.t.access().create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ns' } })
    world.server.acts.set('/annotate', review => {
      const { uid } = review.request as { uid: string }
      const auditAnnotations = { key: 'value', 'not/a key': 'lost' }
      return { apiVersion: review.apiVersion, kind: 'AdmissionReview', response: { uid, allowed: true, auditAnnotations } }
    })
  })
  afterEach(() => world.clear())
  after(() => world.close())

  /** Annotations of the creation of a config map. */
  async function annotations(name: string): Promise<Record<string, string>> {
    const { t } = world
    const { record, annotations: found } = annotationsOf()
    const served = t.served(CONFIG_MAPS)
    const ctx = { ...internalContext({ verb: 'create' }, NEVER, t.now), audit: record, warn: () => {} }
    const object = applyKindDefaults(served.version, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } })
    await t.registry.store(served).create({ ctx, served, subresource: '', namespace: 'ns', name, dryRun: false, manager: 'tester' }, object)
    return found
  }
  const mutation = (configuration: string, mutated: boolean): string => JSON.stringify({ configuration, webhook: 'h.example.com', mutated })

  it('record the mutation of each webhook in each pass', async () => {
    world.add('mutating', '/ok', { reinvocationPolicy: 'IfNeeded' })
    world.add('mutating', '/label')
    const found = await annotations('rounds')
    const patch = found['patch.webhook.admission.k8s.io/round_0_index_1']
    expect(JSON.parse(patch ?? '')).to.include({ configuration: 'c1', webhook: 'h.example.com', patchType: 'JSONPatch' })
    expect(JSON.parse(patch ?? '').patch)
      .to.be.an('array')
      .with.length(1)
    expect({ ...found, 'patch.webhook.admission.k8s.io/round_0_index_1': undefined }).to.deep.equal({
      'mutation.webhook.admission.k8s.io/round_0_index_0': mutation('c0', false),
      'mutation.webhook.admission.k8s.io/round_0_index_1': mutation('c1', true),
      'mutation.webhook.admission.k8s.io/round_1_index_0': mutation('c0', false),
      'patch.webhook.admission.k8s.io/round_0_index_1': undefined,
    })
  })
  it('record webhooks that failed open', async () => {
    const nobody = { clientConfig: { url: 'https://127.0.0.1:1/' }, failurePolicy: 'Ignore' }
    world.add('mutating', '/ok', nobody)
    world.add('validating', '/ok')
    world.add('validating', '/ok', nobody)
    expect(await annotations('open')).to.deep.equal({
      'failed-open.mutation.webhook.admission.k8s.io/round_0_index_0': 'h.example.com',
      'mutation.webhook.admission.k8s.io/round_0_index_0': mutation('c0', false),
      'failed-open.validating.webhook.admission.k8s.io/round_0_index_1': 'h.example.com',
    })
  })
  it("include the webhooks' own annotations, prefixed with their names", async () => {
    world.add('validating', '/annotate')
    expect(await annotations('own')).to.deep.equal({ 'h.example.com/key': 'value' })
  })
})
