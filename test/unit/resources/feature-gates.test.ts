import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { isGateName } from '../../../src/lifecycle/feature-gates.ts'
import { GATE_TABLE } from '../../../src/lifecycle/gate-table.ts'
import { clone } from '../../../src/meta/equal.ts'
import { statefulSetResource } from '../../../src/resources/apps/stateful-set/definition.ts'
import { horizontalPodAutoscalerResource } from '../../../src/resources/autoscaling/horizontal-pod-autoscaler/definition.ts'
import { cronJobResource } from '../../../src/resources/batch/cron-job/definition.ts'
import { jobResource } from '../../../src/resources/batch/job/definition.ts'
import { leaseResource } from '../../../src/resources/coordination/lease/definition.ts'
import { persistentVolumeClaimResource } from '../../../src/resources/core/persistent-volume-claim/definition.ts'
import { podResource } from '../../../src/resources/core/pod/definition.ts'
import { endpointSliceResource } from '../../../src/resources/discovery/endpoint-slice/definition.ts'
import { resourceSliceResource } from '../../../src/resources/resource/resource-slice/definition.ts'
import { csiDriverResource } from '../../../src/resources/storage/csi-driver/definition.ts'
import { csiNodeResource } from '../../../src/resources/storage/csi-node/definition.ts'
import { dropGatedFields, type GatedField, gatedFields } from '../../../src/schema/gated-fields.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { fillStruct } from '../../support/fill-schema.ts'
import { featuresOf } from '../../support/hook-context.ts'
import { causesOf, KindCases } from '../../support/kind-cases.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'

const pathOf = ({ path }: GatedField): string => path.map(({ name }) => name).join('.')

/** Whether there is a value at the path. */
function isAt(value: unknown, [step, ...rest]: GatedField['path']): boolean {
  if (step === undefined) return value !== undefined && value !== null
  const items = Array.isArray(value) ? value : [value]
  return items.some(item => {
    const member = (item as Record<string, unknown> | undefined)?.[step.name]
    if (member === undefined) return false
    return step.within === 'map' ? Object.values(member as object).some(each => isAt(each, rest)) : isAt(member, rest)
  })
}

describe('fields behind feature gates', () => {
  const marked = servedBuiltins({ 'api/all': true })
    .map(({ hub }) => ({ hub, fields: gatedFields(hub.schema) }))
    .filter(({ fields }) => fields.length > 0)

  it('refer to gates that the server evaluates', () => {
    const isRead = (gate: string): boolean => isGateName(gate) && GATE_TABLE[gate].startsWith('read ')
    const fixed = marked.flatMap(({ fields }) => fields.filter(({ gate }) => !isRead(gate)).map(({ gate }) => gate))
    expect([...new Set(fixed)]).to.deep.equal([])
  })

  for (const { hub, fields } of marked) {
    it(`are dropped while their gates are off, unless the old object has them: ${hub.kind}`, () => {
      const full = fillStruct(hub.schema, '', -4) as unknown as AnyObject
      const created = clone(full)
      runAtOnce(dropGatedFields(fields, created, undefined))
      const updated = clone(full)
      runAtOnce(dropGatedFields(fields, updated, full))
      for (const field of fields) {
        expect(isAt(full, field.path), pathOf(field)).to.equal(true)
        expect(isAt(created, field.path), `created: ${pathOf(field)}`).to.equal(false)
        expect(isAt(updated, field.path), `updated: ${pathOf(field)}`).to.equal(field.use !== 'never')
      }
    })
  }
})

/** The expected values while the gate is off and on. */
interface Kept {
  readonly definition: ResourceDefinition
  readonly given: object
  readonly member: (object: AnyObject) => unknown
  readonly off: unknown
  readonly on: unknown
}

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } }
const job = (spec: object = {}): object => ({ spec: { template, ...spec } })
const set = { selector: { matchLabels: { a: 'b' } }, template: { ...template, spec: { ...template.spec, restartPolicy: 'Always' } } }
const autoscaler = (spec: object): object => ({
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 5, ...spec },
})
const metric = { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } }
const claim = (spec: object = {}): object => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10G' } }, ...spec },
})
const elsewhere = { apiGroup: 'a.b', kind: 'K', name: 'n', namespace: 'other' }
const slice = (device: object): object => ({
  spec: { driver: 'a.b', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, devices: [{ name: 'd', ...device }] },
})
const pod = (spec: object, more: object = {}): object => ({
  spec: { containers: [{ name: 'c', image: 'i', ...more }], serviceAccountName: 's', ...spec },
})

describe('feature gates of kinds', () => {
  const kept: Record<string, Kept> = {
    JobManagedBy: {
      definition: jobResource,
      given: job({ managedBy: 'a.b/c' }),
      member: ({ spec }) => spec.managedBy,
      off: undefined,
      on: 'a.b/c',
    },
    JobPodReplacementPolicy: {
      definition: jobResource,
      given: job(),
      member: ({ spec }) => spec.podReplacementPolicy,
      off: undefined,
      on: 'TerminatingOrFailed',
    },
    MaxUnavailableStatefulSet: {
      definition: statefulSetResource,
      given: { spec: set },
      member: ({ spec }) => spec.updateStrategy.rollingUpdate,
      off: { partition: 0 },
      on: { partition: 0, maxUnavailable: 1 },
    },
    HPAConfigurableTolerance: {
      definition: horizontalPodAutoscalerResource,
      given: autoscaler({ behavior: { scaleUp: { tolerance: '100m' } } }),
      member: ({ spec }) => spec.behavior.scaleUp.tolerance,
      off: undefined,
      on: '100m',
    },
    SELinuxMountReadWriteOncePod: {
      definition: csiDriverResource,
      given: { spec: {} },
      member: ({ spec }) => spec.seLinuxMount,
      off: undefined,
      on: false,
    },
    MutableCSINodeAllocatableCount: {
      definition: csiDriverResource,
      given: { spec: { nodeAllocatableUpdatePeriodSeconds: 10 } },
      member: ({ spec }) => spec.nodeAllocatableUpdatePeriodSeconds,
      off: undefined,
      on: 10,
    },
    PreferSameTrafficDistribution: {
      definition: endpointSliceResource,
      given: { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'], hints: { forNodes: [{ name: 'n' }] } }], ports: [] },
      member: ({ endpoints }) => endpoints[0].hints,
      off: {},
      on: { forNodes: [{ name: 'n' }] },
    },
    CoordinatedLeaderElection: {
      definition: leaseResource,
      given: { spec: { strategy: 'OldestEmulationVersion' } },
      member: ({ spec }) => spec.strategy,
      off: undefined,
      on: 'OldestEmulationVersion',
    },
    VolumeAttributesClass: {
      definition: persistentVolumeClaimResource,
      given: claim({ volumeAttributesClassName: 'fast' }),
      member: ({ spec }) => spec.volumeAttributesClassName,
      off: undefined,
      on: 'fast',
    },
    CrossNamespaceVolumeDataSource: {
      definition: persistentVolumeClaimResource,
      given: claim({ dataSourceRef: elsewhere }),
      member: ({ spec }) => spec.dataSourceRef,
      off: undefined,
      on: elsewhere,
    },
    DRADeviceTaints: {
      definition: resourceSliceResource,
      given: slice({ taints: [{ key: 'a', effect: 'NoSchedule', timeAdded: '2026-01-02T03:04:05Z' }] }),
      member: ({ spec }) => spec.devices,
      off: [{ name: 'd' }],
      on: [{ name: 'd', taints: [{ key: 'a', effect: 'NoSchedule', timeAdded: '2026-01-02T03:04:05Z' }] }],
    },
    ContainerStopSignals: {
      definition: podResource,
      given: pod({ os: { name: 'linux' } }, { lifecycle: { stopSignal: 'SIGHUP' } }),
      member: ({ spec }) => spec.containers[0].lifecycle,
      off: undefined,
      on: { stopSignal: 'SIGHUP' },
    },
  }
  for (const [gate, { definition, given, member, off, on }] of Object.entries(kept)) {
    it(`${gate} determines which fields are kept`, async () => {
      for (const [value, left] of [
        [false, off],
        [true, on],
      ] as const) {
        const cases = new KindCases(definition)
        cases.server.features = featuresOf(`${gate}=${value}`)
        expect(member(await cases.create(given)), `${gate}=${value}`).to.deep.equal(left)
      }
    })
  }

  it('a CronJob keeps the gated fields of its job template', async () => {
    const cases = new KindCases(cronJobResource)
    cases.server.features = featuresOf('JobManagedBy=false')
    const made = await cases.create({ spec: { schedule: '* * * * *', jobTemplate: job({ managedBy: 'a.b/c' }) } })
    expect(made.spec.jobTemplate.spec.managedBy).to.equal('a.b/c')
  })

  const searches = (name: string): object => pod({ dnsConfig: { searches: [name] } })
  const sleep = pod({}, { lifecycle: { preStop: { sleep: { seconds: 0 } } } })
  const drivers = (count: number): object => ({ spec: { drivers: [{ name: 'd', nodeID: 'n', allocatable: { count } }] } })
  /** The errors while the gate is off; there are none while it is on. `before` is created while the gate is on. */
  const judged: [gate: string, what: string, definition: ResourceDefinition, given: object, causes: string[], before?: object][] = [
    [
      'HPAScaleToZero',
      'no replicas',
      horizontalPodAutoscalerResource,
      autoscaler({ minReplicas: 0, metrics: [metric] }),
      ['Invalid spec.minReplicas'],
    ],
    [
      'RelaxedEnvironmentVariableValidation',
      'a name with a blank',
      podResource,
      pod({}, { env: [{ name: 'a b' }] }),
      ['Invalid spec.containers[0].env[0].name'],
    ],
    [
      'RelaxedEnvironmentVariableValidation',
      'a prefix',
      podResource,
      pod({}, { envFrom: [{ prefix: '1', configMapRef: { name: 'm' } }] }),
      ['Invalid spec.containers[0].envFrom[0].prefix'],
    ],
    ['RelaxedDNSSearchValidation', 'the root', podResource, searches('.'), ['Invalid spec.dnsConfig.searches[0]']],
    ['RelaxedDNSSearchValidation', 'an underscore', podResource, searches('_a.b'), ['Invalid spec.dnsConfig.searches[0]']],
    ['PodLifecycleSleepActionAllowZero', 'no sleep', podResource, sleep, ['Invalid spec.containers[0].lifecycle.preStop.sleep']],
    ['MutableCSINodeAllocatableCount', 'another count', csiNodeResource, drivers(2), ['Invalid spec.drivers'], drivers(1)],
    [
      'SELinuxMount',
      'a mount option',
      podResource,
      pod({ securityContext: { seLinuxChangePolicy: 'MountOption' } }),
      ['NotSupported spec.securityContext.seLinuxChangePolicy'],
    ],
  ]
  for (const [gate, what, definition, given, causes, before] of judged) {
    it(`${gate} determines whether ${what} is allowed`, async () => {
      for (const value of [false, true]) {
        const cases = new KindCases(definition)
        cases.server.features = featuresOf(`${gate}=${value}`)
        if (before) await cases.create(before)
        expect(await causesOf(before ? cases.update(given) : cases.create(given)), `${gate}=${value}`).to.deep.equal(value ? [] : causes)
      }
    })
  }

  it('stored values remain valid when their gate is turned off', async () => {
    for (const [gate, given] of [
      ['RelaxedEnvironmentVariableValidation', pod({}, { env: [{ name: 'a b' }] })],
      ['RelaxedDNSSearchValidation', searches('.')],
      ['PodLifecycleSleepActionAllowZero', sleep],
    ] as const) {
      const cases = new KindCases(podResource)
      await cases.create(given)
      cases.server.features = featuresOf(`${gate}=false`)
      expect(await causesOf(cases.update(given)), gate).to.deep.equal([])
    }
  })

  it('a stop signal requires an operating system that supports it', async () => {
    const refused = async (spec: object, stopSignal: string): Promise<string[]> => {
      const cases = new KindCases(podResource)
      cases.server.features = featuresOf('ContainerStopSignals=true')
      return causesOf(cases.create(pod(spec, { lifecycle: { stopSignal } })))
    }
    expect(await refused({}, 'SIGHUP')).to.deep.equal(['Forbidden spec.containers[0].lifecycle.stopSignal'])
    expect(await refused({ os: { name: 'windows' } }, 'SIGHUP')).to.deep.equal(['NotSupported spec.containers[0].lifecycle.stopSignal'])
    expect(await refused({ os: { name: 'windows' } }, 'SIGTERM')).to.deep.equal([])
    expect(await refused({ os: { name: 'linux' } }, 'SIGRTMAX-14')).to.deep.equal([])
  })

  it('a claim shrinks only to recover, and changes its class only with classes', async () => {
    const shrink = async (gate: string): Promise<string[]> => {
      const cases = new KindCases(persistentVolumeClaimResource)
      await cases.create(claim())
      await cases.update({ ...claim(), status: { phase: 'Bound', capacity: { storage: '5G' } } }, {}, 'status')
      await cases.update(claim({ resources: { requests: { storage: '20G' } } }))
      cases.server.features = featuresOf(gate)
      return causesOf(cases.update(claim()))
    }
    expect(await shrink('RecoverVolumeExpansionFailure=true')).to.deep.equal([])
    expect(await shrink('RecoverVolumeExpansionFailure=false')).to.deep.equal(['Forbidden spec.resources.requests.storage'])
  })
})
