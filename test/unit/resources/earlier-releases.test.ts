import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import { previousRelease, type Release } from '../../../src/lifecycle/release.ts'
import { createValidatingAdmissionPolicyBindingResource } from '../../../src/resources/admissionregistration/validating-admission-policy-binding/definition.ts'
import { statefulSetResource } from '../../../src/resources/apps/stateful-set/definition.ts'
import { horizontalPodAutoscalerResource } from '../../../src/resources/autoscaling/horizontal-pod-autoscaler/definition.ts'
import { cronJobResource } from '../../../src/resources/batch/cron-job/definition.ts'
import { jobResource } from '../../../src/resources/batch/job/definition.ts'
import { nodeResource } from '../../../src/resources/core/node/definition.ts'
import { persistentVolumeClaimResource } from '../../../src/resources/core/persistent-volume-claim/definition.ts'
import { podResource } from '../../../src/resources/core/pod/definition.ts'
import { replicationControllerResource } from '../../../src/resources/core/replication-controller/definition.ts'
import { createServiceResource } from '../../../src/resources/core/service/definition.ts'
import { ingressClassResource } from '../../../src/resources/networking/ingress-class/definition.ts'
import { priorityClassResource } from '../../../src/resources/scheduling/priority-class/definition.ts'
import { oldestReader } from '../../../src/resources/shared/oldest-reader.ts'
import { volumeAttributesClassResource } from '../../../src/resources/storage/volume-attributes-class/definition.ts'
import { judge } from '../../../src/upgrade/judge.ts'
import { ReleaseKinds } from '../../../src/upgrade/versions/release-kinds.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { definitionIn } from '../../support/hook-context.ts'
import { causesOf, KindCases } from '../../support/kind-cases.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'
import { TestRegistry } from '../../support/test-registry.ts'

const casesIn = (release: Release, definition: ResourceDefinition, gates: Record<string, boolean> = {}): KindCases => {
  const cases = new KindCases(definition)
  cases.server.features = parseGates(release, new Map(Object.entries(gates)))
  return cases
}

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } }
const job = (spec: object = {}): object => ({ spec: { template, ...spec } })
const cronJob = (schedule: string): object => ({ spec: { schedule, jobTemplate: { spec: { template } } } })
const pod = (spec: object, container: object = {}): object => ({
  spec: { containers: [{ name: 'c', image: 'i', ...container }], serviceAccountName: 's', ...spec },
})

/** Fields whose gate is off by default in a release, and a function that reads what remains of them. */
const OFF: readonly [
  release: Release,
  gate: string,
  definition: ResourceDefinition,
  body: object,
  member: (object: AnyObject) => unknown,
][] = [
  [
    '1.30',
    'JobSuccessPolicy',
    jobResource,
    job({ completionMode: 'Indexed', completions: 2, successPolicy: { rules: [{ succeededCount: 1 }] } }),
    o => o.spec.successPolicy,
  ],
  [
    '1.28',
    'SidecarContainers',
    podResource,
    pod({ initContainers: [{ name: 'i', image: 'i', restartPolicy: 'Always' }] }),
    o => o.spec.initContainers[0].restartPolicy,
  ],
  [
    '1.28',
    'JobBackoffLimitPerIndex',
    jobResource,
    job({ completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1 }),
    o => o.spec.backoffLimitPerIndex,
  ],
  ['1.26', 'PodSchedulingReadiness', podResource, pod({ schedulingGates: [{ name: 'a.b/c' }] }), o => o.spec.schedulingGates],
  [
    '1.30',
    'RecursiveReadOnlyMounts',
    podResource,
    pod(
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'IfPossible' }] },
    ),
    o => o.spec.containers[0].volumeMounts[0].recursiveReadOnly,
  ],
]

describe('kinds of releases before 1.32', () => {
  for (const [release, gate, definition, body, member] of OFF)
    it(`drop the fields of ${gate} in ${release}, in which it is off`, async () => {
      expect(member(await casesIn(release, definition).create(body))).to.equal(undefined)
      expect(member(await casesIn(release, definition, { [gate]: true }).create(body))).to.not.equal(undefined)
    })

  it('have the table columns of their release', () => {
    const columnsIn = (release: Release, { hub }: ResourceDefinition) => hub.tableIn?.(release)?.columns.map(({ name }) => name)
    expect(columnsIn('1.31', priorityClassResource)).to.deep.equal(['Name', 'Value', 'Global-Default', 'Age'])
    expect(columnsIn('1.29', jobResource)?.slice(0, 3)).to.deep.equal(['Name', 'Completions', 'Duration'])
    expect(columnsIn('1.29', cronJobResource)?.slice(0, 3)).to.deep.equal(['Name', 'Schedule', 'Suspend'])
    expect(columnsIn('1.28', persistentVolumeClaimResource)).to.not.include('VolumeAttributesClass')
  })

  it('have the table cells of their release', async () => {
    const cellsIn = async (release: Release, definition: ResourceDefinition, body: object, metadata: object = {}, gates = {}) => {
      const cases = casesIn(release, definition, gates)
      const object = cases.server.decode({ group: definition.hub.group, resource: definition.hub.names.plural }, cases.body(body, metadata))
      return definition.hub.tableIn?.(release)?.cells(object, 0)
    }
    const metric = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } }
    const autoscaler = {
      spec: { maxReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, metrics: [metric] },
    }
    const node = { status: { nodeInfo: { kernelVersion: '6.1', architecture: 'arm64' } } }
    const met = job({})
    const cases: [since: Release, definition: ResourceDefinition, body: object, before: string, since: string, metadata?: object][] = [
      ['1.30', horizontalPodAutoscalerResource, autoscaler, '<unknown>/60%', 'cpu: <unknown>/60%'],
      [
        '1.34',
        jobResource,
        { ...met, status: { conditions: [{ type: 'SuccessCriteriaMet', status: 'True' }] } },
        'Running',
        'SuccessCriteriaMet',
      ],
      ['1.36', nodeResource, node, '6.1', '6.1 (arm64)'],
      [
        '1.36',
        ingressClassResource,
        { spec: {} },
        'x',
        'x (default)',
        { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
      ],
      [
        '1.34',
        volumeAttributesClassResource,
        { driverName: 'd' },
        'x (default)',
        'x',
        { annotations: { 'volumeattributesclass.alpha.kubernetes.io/is-default-class': 'true' } },
      ],
      ['1.28', createValidatingAdmissionPolicyBindingResource(), { spec: { paramRef: { name: 'p' } } }, 'p', '*/p'],
    ]
    for (const [since, definition, body, before, after, metadata] of cases) {
      const [old, now] = [
        await cellsIn(previousRelease(since), definition, body, metadata),
        await cellsIn(since, definition, body, metadata),
      ]
      expect(now?.filter((cell, i) => cell !== old?.[i])).to.deep.equal([after])
      expect(old?.filter((cell, i) => cell !== now?.[i])).to.deep.equal([before])
    }
  })

  it('have the selectable fields of their release', () => {
    const fieldsIn = (release: Release, kind: string) =>
      Object.keys(
        servedBuiltins({}, {}, ['10.0.0.0/24'], release).find(({ hub }) => hub.kind === kind && hub.group === '')?.hub.selectableFields ??
          {},
      )
    expect(fieldsIn('1.30', 'Service')).to.deep.equal([])
    expect(fieldsIn('1.31', 'Service')).to.include('spec.type')
    expect(fieldsIn('1.27', 'Pod')).to.include('spec.nodeName').and.not.include('spec.hostNetwork')
  })

  it('allow a time zone in a schedule, with a warning, before 1.29', async () => {
    const old = casesIn('1.28', cronJobResource)
    expect(await causesOf(old.create(cronJob('TZ=Etc/UTC 0 * * * *')))).to.deep.equal([])
    expect(old.server.warnings).to.deep.equal([
      'CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    ])
    expect(await causesOf(casesIn('1.29', cronJobResource).create(cronJob('TZ=Etc/UTC 0 * * * *')))).to.deep.equal([
      'Invalid spec.schedule',
    ])
  })

  it('have the defaults of their release', async () => {
    const service = { spec: { type: 'ClusterIP', clusterIP: 'None', externalIPs: ['192.0.2.1'], ports: [{ port: 80 }] } }
    const set = {
      spec: { selector: { matchLabels: { a: 'b' } }, template: { ...template, spec: { ...template.spec, restartPolicy: 'Always' } } },
    }
    const of = (release: Release, definition: ResourceDefinition, body: object): AnyObject => {
      const cases = casesIn(release, definition)
      const { group, resource } = { group: definition.hub.group, resource: definition.hub.names.plural }
      return cases.server.decode({ group, resource }, cases.body(body))
    }
    expect(of('1.28', createServiceResource(), service).spec.externalTrafficPolicy).to.equal(undefined)
    expect(of('1.29', createServiceResource(), service).spec.externalTrafficPolicy).to.equal('Cluster')
    expect(of('1.28', jobResource, job()).spec.manualSelector).to.equal(undefined)
    expect(of('1.29', jobResource, job()).spec.manualSelector).to.equal(false)
    const ports = [{ containerPort: 80 }]
    const host = {
      spec: {
        ...set.spec,
        template: { ...set.spec.template, spec: { hostNetwork: true, containers: [{ name: 'c', image: 'i', ports }] } },
      },
    }
    const portIn = (release: Release) => of(release, statefulSetResource, host).spec.template.spec.containers[0].ports[0].hostPort
    expect([portIn('1.27'), portIn('1.28')]).to.deep.equal([80, undefined])
    expect(of('1.26', statefulSetResource, set).spec.persistentVolumeClaimRetentionPolicy).to.equal(undefined)
    expect(of('1.27', statefulSetResource, set).spec.persistentVolumeClaimRetentionPolicy).to.deep.equal({
      whenDeleted: 'Retain',
      whenScaled: 'Retain',
    })
  })

  it('accept clusterName in 1.24, and keep it only in templates', async () => {
    const object = { apiVersion: 'v1', kind: 'ReplicationController', metadata: { name: 'x', clusterName: 'a' } }
    const spec = { selector: { a: 'b' }, template: { ...template, metadata: { ...template.metadata, clusterName: 'a' } } }
    const unknownIn = async (release: Release): Promise<readonly string[] | undefined> => {
      const kinds = new ReleaseKinds(release)
      const found = kinds.find(object)
      return found && (await judge(kinds, found, { ...object, spec })).unknown
    }
    expect(await unknownIn('1.24')).to.deep.equal([])
    expect(await unknownIn('1.25')).to.deep.equal(['metadata.clusterName', 'spec.template.metadata.clusterName'])
    const features = parseGates('1.24')
    const registry = new TestRegistry([definitionIn(replicationControllerResource, features)], undefined, features)
    const body = {
      ...object,
      spec: { ...spec, template: { ...spec.template, spec: { ...template.spec, restartPolicy: 'Always' } } },
    } as AnyObject
    const resource = { group: '', resource: 'replicationcontrollers' }
    const made = (await registry.access().create(resource, 'ns', body)) as AnyObject
    const changed = (await registry
      .access()
      .update(resource, 'ns', 'x', old => ({ ...old, metadata: { ...old.metadata, clusterName: 'b' } }) as AnyObject)) as AnyObject
    for (const written of [made, changed]) {
      expect(written.metadata).not.to.have.property('clusterName')
      expect(written.spec.template.metadata.clusterName).to.equal('a')
    }
  })

  it('warn as their release does', async () => {
    const warningsIn = async (release: Release): Promise<string[]> => {
      const cases = casesIn(release, podResource)
      const env = [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ]
      await cases.create(pod({ volumes: [{ name: 'v', flocker: { datasetName: 'd' } }] }, { env }))
      return cases.server.warnings
    }
    const gone = 'spec.volumes[0].flocker: deprecated in v1.22, non-functional in v1.25+'
    const hidden = 'spec.containers[0].env[1]: hides previous definition of "A"'
    expect(await warningsIn('1.26')).to.deep.equal([
      'spec.volumes[0].flocker: deprecated in v1.22, support removal is planned in v1.26',
      'spec.containers[0].env[1].name: duplicate name "A"',
    ])
    expect(await warningsIn('1.29')).to.deep.equal([gone, hidden])
    expect(await warningsIn('1.30')).to.deep.equal([gone, `${hidden}, which may be dropped when using apply`])
  })

  it('require expressions that the previous release supports from 1.28 on', () => {
    expect(oldestReader(parseGates('1.27'), false)).to.equal(27)
    expect(oldestReader(parseGates('1.28'), false)).to.equal(27)
    expect(oldestReader(parseGates('1.31'), false)).to.equal(30)
  })
})
