import { expect } from 'chai'
import { steadyClock } from '../../../../src/lib/clock.ts'
import { internalContext } from '../../../../src/registry/internal-context.ts'
import type { AnyObject } from '../../../support/any-object.ts'
import { CONFIG_MAPS, NAMESPACES } from '../../../support/builtin-registry.ts'
import { NEVER, refusalText } from '../../../support/test-registry.ts'
import { eventually } from '../../../support/waiting.ts'
import { WebhookWorld } from '../../../support/webhooks/webhook-world.ts'

const SCALERS = { group: 'autoscaling', resource: 'horizontalpodautoscalers' }
const EVENTS = { group: '', resource: 'events' }
const CONFIGURATIONS = { group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' }

const map = (name: string): AnyObject => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { a: '1' } })
const scaler = (name: string): AnyObject => ({
  kind: 'HorizontalPodAutoscaler',
  apiVersion: 'autoscaling/v2',
  metadata: { name },
  spec: {
    maxReplicas: 3,
    scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
  },
})
const ruleFor = (group: string, version: string, resource: string) => ({
  rules: [{ operations: ['*'], apiGroups: [group], apiVersions: [version], resources: [resource] }],
})

describe('admission webhooks', () => {
  let world: WebhookWorld
  before(async () => {
    world = await WebhookWorld.start()
    await world.t.access().create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ns', labels: { team: 'a' } } })
  })
  afterEach(() => world.clear())
  after(() => world.close())
  const api = () => world.t.access()

  it('are not called if none are configured', async () => {
    await api().create(CONFIG_MAPS, 'ns', map('none'))
    expect(world.asked()).to.deep.equal([])
  })

  it('receive and patch an older version of a built-in kind', async () => {
    world.server.acts.set('/cpu', review => {
      const { uid } = review.request as { uid: string }
      const patch = Buffer.from(JSON.stringify([{ op: 'replace', path: '/spec/targetCPUUtilizationPercentage', value: 80 }])).toString(
        'base64',
      )
      return { apiVersion: review.apiVersion, kind: 'AdmissionReview', response: { uid, allowed: true, patchType: 'JSONPatch', patch } }
    })
    world.add('mutating', '/cpu', ruleFor('autoscaling', 'v1', 'horizontalpodautoscalers'))
    const made = await api().create(SCALERS, 'ns', scaler('h'))
    const [asked] = world.asked()
    expect(asked?.kind).to.deep.equal({ group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' })
    expect(asked?.requestKind).to.deep.equal({ group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' })
    expect(asked?.object.spec).to.deep.include({ targetCPUUtilizationPercentage: 50 })
    expect(made.apiVersion).to.equal('autoscaling/v2')
    expect(made.spec.metrics[0].resource.target.averageUtilization).to.equal(80)
  })

  for (const [path, value, refusal] of [
    ['/kind', 'Secret', '500 InternalError: Internal error occurred: illegal base64 data at input byte 0'],
    [
      '/apiVersion',
      'v2',
      '500 InternalError: Internal error occurred: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
  ])
    it(`cannot turn an object into another one: ${path}`, async () => {
      world.server.acts.set('/other', review => {
        const { uid } = review.request as { uid: string }
        const patch = Buffer.from(JSON.stringify([{ op: 'replace', path, value }])).toString('base64')
        return { apiVersion: review.apiVersion, kind: 'AdmissionReview', response: { uid, allowed: true, patchType: 'JSONPatch', patch } }
      })
      world.add('mutating', '/other')
      expect(await refusalText(api().create(CONFIG_MAPS, 'ns', map('other')))).to.equal(refusal)
    })

  it('receive an event in the other API group', async () => {
    world.add('validating', '/ok', ruleFor('events.k8s.io', 'v1', 'events'))
    await api().create(EVENTS, 'ns', {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: { name: 'e' },
      involvedObject: { namespace: 'ns', kind: 'Pod', name: 'p' },
    })
    const [asked] = world.asked()
    expect(asked?.resource).to.deep.equal({ group: 'events.k8s.io', version: 'v1', resource: 'events' })
    expect(asked?.object.apiVersion).to.equal('events.k8s.io/v1')
    expect(asked?.object.regarding).to.deep.include({ name: 'p' })
  })

  it('see the changes of earlier ones, in order of configuration names', async () => {
    world.add('mutating', '/label')
    world.add('mutating', '/ok')
    world.add('validating', '/ok')
    await api().create(CONFIG_MAPS, 'ns', map('two'))
    const labels = world.asked().map(({ object }) => object.metadata.labels)
    expect(labels).to.deep.equal([undefined, { hooked: 'yes' }, { hooked: 'yes' }])
  })

  it('are called in parallel if validating, and the first rejection is returned', async () => {
    let asked = 0
    world.server.acts.set('/wait', async review => {
      asked++
      await eventually('the other is asked meanwhile', () => asked === 2)
      const { uid } = review.request as { uid: string }
      return { apiVersion: review.apiVersion, kind: 'AdmissionReview', response: { uid, allowed: true } }
    })
    world.add('validating', '/wait')
    world.add('validating', '/wait')
    world.add('validating', '/deny-message')
    const text = await refusalText(api().create(CONFIG_MAPS, 'ns', map('refused')))
    expect(text).to.equal('400 : admission webhook "h.example.com" denied the request: only words')
    expect(asked).to.equal(2)
  })

  it('with side effects are not called in a dry run', async () => {
    world.add('validating', '/ok', { sideEffects: 'Some' })
    const target = world.t.access()
    await target.create(CONFIG_MAPS, 'ns', map('wet'))
    expect(await refusalText(target.delete(CONFIG_MAPS, 'ns', 'wet', { dryRun: true }))).to.equal(
      '400 BadRequest: admission webhook "h.example.com" does not support dry run',
    )
  })

  it('with an unsupported review version fail', async () => {
    world.add('validating', '/ok', { admissionReviewVersions: ['v2'] })
    expect(await refusalText(api().create(CONFIG_MAPS, 'ns', map('v2')))).to.equal(
      '500 InternalError: Internal error occurred: failed calling webhook "h.example.com": could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    )
  })

  it('are not called for configurations of admission', async () => {
    world.add('validating', '/deny')
    await api().create(CONFIGURATIONS, '', {
      kind: 'ValidatingWebhookConfiguration',
      apiVersion: 'admissionregistration.k8s.io/v1',
      metadata: { name: 'x' },
    })
    expect(world.asked()).to.deep.equal([])
  })

  it('are not called for writes that are part of another request', async () => {
    world.add('validating', '/deny')
    await world.t.registry.access(undefined, { nested: true }).create(CONFIG_MAPS, 'ns', map('nested'))
    expect(world.asked()).to.deep.equal([])
  })

  it('match the labels of the namespace', async () => {
    world.add('validating', '/deny', { namespaceSelector: { matchLabels: { team: 'b' } } })
    await api().create(CONFIG_MAPS, 'ns', map('of-a'))
    world.add('validating', '/deny', { namespaceSelector: { matchLabels: { team: 'a' } } })
    expect(await refusalText(api().create(CONFIG_MAPS, 'ns', map('of-a-2')))).to.match(/^418 Teapot/)
  })

  it('are counted in metrics', async () => {
    world.add('mutating', '/label', { name: 'c.example.com' })
    world.add('validating', '/500', { name: 'c.example.com', failurePolicy: 'Ignore' })
    await api().create(CONFIG_MAPS, 'ns', map('counted'))
    world.add('validating', '/deny', { name: 'c.example.com' })
    await api()
      .create(CONFIG_MAPS, 'ns', map('counted-2'))
      .catch(() => {})
    const lines = world.metrics
      .families()
      .flatMap(family => [...family.samples()])
      .map(
        ({ metricName, labels, value }) =>
          `${metricName.replace('apiserver_admission_webhook_', '')} ${Object.values(labels).join(' ')} ${value}`,
      )
    for (const line of [
      'request_total c.example.com validating CREATE 500 false 2',
      'fail_open_count c.example.com validating 2',
      'rejection_count c.example.com validating CREATE no_error 418 1',
      'request_total c.example.com validating CREATE 418 true 1',
    ])
      expect(lines).to.include(line)
    expect(lines.some(line => line.startsWith('admission_duration_seconds_count c.example.com admit CREATE false'))).to.equal(true)
  })

  it('have no more time than the request has left', async () => {
    world.add('validating', '/silent')
    const ctx = { ...internalContext({ verb: 'create' }, NEVER, 0), deadline: steadyClock.now() + 200 }
    const asked = {
      ctx,
      operation: 'CREATE' as const,
      served: servedOf(world),
      subresource: '',
      namespace: 'ns',
      name: 'late',
      dryRun: false,
      object: map('late'),
    }
    expect(await refusalText(world.t.registry.admit(asked))).to.equal(
      '504 Timeout: Timeout: request did not complete within the allotted timeout',
    )
    expect(world.server.requests.at(-1)?.path).to.equal('/silent?timeout=1s')
  })

  it('delay requests until their configurations are loaded', async () => {
    const { filling } = world.validating
    filling.begin()
    const ctx = { ...internalContext({ verb: 'create' }, NEVER, 0), user: { name: 'jane', groups: [] } }
    const made = world.t.registry.admit({
      ctx,
      operation: 'CREATE',
      served: servedOf(world),
      subresource: '',
      namespace: 'ns',
      name: 'early',
      dryRun: false,
      object: map('early'),
    })
    world.add('validating', '/deny-bare')
    filling.end()
    expect(await refusalText(made)).to.equal('400 : admission webhook "h.example.com" denied the request without explanation')
  })
})

function servedOf({ t }: WebhookWorld) {
  const definition = t.catalog.snapshot().definition('', 'configmaps')
  if (!definition) throw new Error('there are no ConfigMaps')
  return { definition, version: definition.hub }
}
