import { expect } from 'chai'
import { ensureFlowControlObjects, flowControlKeeper } from '../../../src/controllers/flow-control-objects.ts'
import { flowSchemaStatusController } from '../../../src/controllers/flow-schema-status.ts'
import { mandatoryLevels } from '../../../src/resources/flowcontrol/bootstrap/mandatory.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { builtinRegistry, controllerEnvironment } from '../../support/builtin-registry.ts'
import { eventually } from '../../support/waiting.ts'

const GROUP = 'flowcontrol.apiserver.k8s.io'
const SCHEMAS = { group: GROUP, resource: 'flowschemas' }
const LEVELS = { group: GROUP, resource: 'prioritylevelconfigurations' }
const AUTO = 'apf.kubernetes.io/autoupdate-spec'

async function made() {
  const t = builtinRegistry()
  const env = controllerEnvironment(t)
  await ensureFlowControlObjects(env, '1.33')
  return { t, env, access: t.access() }
}
const schema = (name: string, level: string, annotations = {}): AnyObject => ({
  kind: 'FlowSchema',
  apiVersion: `${GROUP}/v1`,
  metadata: { name, annotations },
  spec: { priorityLevelConfiguration: { name: level } },
})

describe('ensureFlowControlObjects', () => {
  it('creates the mandatory and suggested objects', async () => {
    const { access } = await made()
    const names = async (id: typeof SCHEMAS) => (await access.list(id, '')).items.map(({ metadata }) => metadata.name)
    expect(await names(LEVELS)).to.deep.equal([
      ...['catch-all', 'exempt', 'global-default', 'leader-election', 'node-high', 'system', 'workload-high', 'workload-low'],
    ])
    expect(await names(SCHEMAS)).to.deep.equal([
      ...[
        'catch-all',
        'endpoint-controller',
        'exempt',
        'global-default',
        'kube-controller-manager',
        'kube-scheduler',
        'kube-system-service-accounts',
      ],
      ...['probes', 'service-accounts', 'system-leader-election', 'system-node-high', 'system-nodes', 'workload-leader-election'],
    ])
    const { metadata, spec } = await access.get(SCHEMAS, '', 'probes')
    expect(metadata.annotations).to.deep.equal({ [AUTO]: 'true' })
    expect(spec.rules[0].nonResourceRules).to.deep.equal([{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }])
  })

  it('updates unchanged objects to the release, and marks those that users have changed', async () => {
    const { env, access } = await made()
    const change = (name: string, precedence: number, auto?: string) =>
      access.update(SCHEMAS, '', name, now => ({
        ...now,
        metadata: { ...now.metadata, annotations: { ...(auto !== undefined && { [AUTO]: auto }) } },
        spec: { ...now.spec, matchingPrecedence: precedence },
      }))
    await change('probes', 3, 'true')
    await change('system-nodes', 4, 'false')
    await change('kube-scheduler', 5)
    await access.update(SCHEMAS, '', 'catch-all', now => ({ ...now, metadata: { ...now.metadata, annotations: { [AUTO]: 'false' } } }))
    await ensureFlowControlObjects(env, '1.33')
    const state = async (name: string) => {
      const { metadata, spec } = await access.get(SCHEMAS, '', name)
      return [spec.matchingPrecedence, metadata.annotations?.[AUTO]]
    }
    expect(await state('probes')).to.deep.equal([2, 'true'])
    expect(await state('system-nodes')).to.deep.equal([4, 'false'])
    expect(await state('kube-scheduler')).to.deep.equal([5, 'false'])
    expect(await state('catch-all')).to.deep.equal([10_000, 'true'])
  })

  it('recreates deleted objects, and deletes those of an earlier release', async () => {
    const { env, access } = await made()
    await access.create(SCHEMAS, '', schema('former', 'system', { [AUTO]: 'true' }))
    await access.create(SCHEMAS, '', schema('mine', 'system', { [AUTO]: 'false' }))
    await access.delete(SCHEMAS, '', 'probes')
    const end = new AbortController()
    const kept = flowControlKeeper('1.33', 5)(env, end.signal)
    await eventually('the one is there and the other is not', async () => {
      const names = (await access.list(SCHEMAS, '')).items.map(({ metadata }) => metadata.name)
      return names.includes('probes') && !names.includes('former') && names.includes('mine')
    })
    end.abort()
    await kept
  })

  it('keeps the exempt settings of administrators', async () => {
    const { env, access } = await made()
    await access.update(LEVELS, '', 'exempt', now => ({
      ...now,
      spec: { ...now.spec, exempt: { nominalConcurrencyShares: 3, lendablePercent: 40 } },
    }))
    await ensureFlowControlObjects(env, '1.33')
    const { spec } = await access.get(LEVELS, '', 'exempt')
    expect(spec.exempt).to.deep.equal({ nominalConcurrencyShares: 3, lendablePercent: 40 })
  })

  it('has no exempt settings before 1.28', () => {
    expect(mandatoryLevels('1.27').map(({ spec }) => Object.keys(spec))).to.deep.equal([['type', 'limited'], ['type']])
    expect(mandatoryLevels('1.28').map(({ spec }) => Object.keys(spec))).to.deep.equal([
      ['type', 'limited'],
      ['type', 'exempt'],
    ])
  })

  it('writes only changes', async () => {
    const { t, env } = await made()
    const before = await t.backend.currentRevision(new AbortController().signal)
    await ensureFlowControlObjects(env, '1.33')
    expect(await t.backend.currentRevision(new AbortController().signal)).to.equal(before)
  })
})

describe('flowSchemaStatusController', () => {
  it('reports whether the priority level exists', async () => {
    const { t, env, access } = await made()
    const end = new AbortController()
    const running = flowSchemaStatusController(env, end.signal)
    await access.create(SCHEMAS, '', schema('mine', 'no-such'))
    const dangling = async (name: string) => (await access.get(SCHEMAS, '', name)).status?.conditions?.[0]
    await eventually(
      'both are told',
      async () => (await dangling('mine'))?.status === 'True' && (await dangling('exempt'))?.status === 'False',
    )
    expect(await dangling('mine')).to.deep.equal({
      type: 'Dangling',
      status: 'True',
      lastTransitionTime: new Date(t.now).toISOString().replace('.000', ''),
      reason: 'NotFound',
      message: 'This FlowSchema references the PriorityLevelConfiguration object named "no-such" but there is no such object',
    })
    const { spec } = await access.get(LEVELS, '', 'system')
    await access.create(LEVELS, '', { kind: 'PriorityLevelConfiguration', apiVersion: `${GROUP}/v1`, metadata: { name: 'no-such' }, spec })
    await eventually('the level is found', async () => (await dangling('mine'))?.reason === 'Found')
    await access.delete(LEVELS, '', 'no-such')
    await eventually('the level is missed', async () => (await dangling('mine'))?.reason === 'NotFound')
    end.abort()
    await running
  })
})
