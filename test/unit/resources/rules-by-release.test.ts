import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import { previousRelease, type Release } from '../../../src/lifecycle/release.ts'
import { validatingWebhookConfigurationResource } from '../../../src/resources/admissionregistration/validating-webhook-configuration/definition.ts'
import { controllerRevisionResource } from '../../../src/resources/apps/controller-revision/definition.ts'
import { daemonSetResource } from '../../../src/resources/apps/daemon-set/definition.ts'
import { statefulSetResource } from '../../../src/resources/apps/stateful-set/definition.ts'
import { horizontalPodAutoscalerResource } from '../../../src/resources/autoscaling/horizontal-pod-autoscaler/definition.ts'
import { jobResource } from '../../../src/resources/batch/job/definition.ts'
import { persistentVolumeResource } from '../../../src/resources/core/persistent-volume/definition.ts'
import { persistentVolumeClaimResource } from '../../../src/resources/core/persistent-volume-claim/definition.ts'
import { podResource } from '../../../src/resources/core/pod/definition.ts'
import { createServiceResource } from '../../../src/resources/core/service/definition.ts'
import { endpointSliceResource } from '../../../src/resources/discovery/endpoint-slice/definition.ts'
import { networkPolicyResource } from '../../../src/resources/networking/network-policy/definition.ts'
import { serviceCIDRResource } from '../../../src/resources/networking/service-cidr/definition.ts'
import { podDisruptionBudgetResource } from '../../../src/resources/policy/pod-disruption-budget/definition.ts'
import { csiDriverResource } from '../../../src/resources/storage/csi-driver/definition.ts'
import { causesOf, KindCases } from '../../support/kind-cases.ts'

type Rule = {
  readonly since: Release
  readonly of: ResourceDefinition
  readonly body: object
  /** Causes in the release and in the one before. */
  readonly causes: readonly [since: string[], before: string[]]
  /** Created in the previous release, and replaced by `body`. */
  readonly old?: object
  readonly gates?: Record<string, boolean>
  readonly metadata?: object
}

const pod = (spec: object, container: object = {}): object => ({
  spec: { containers: [{ name: 'c', image: 'i', ...container }], serviceAccountName: 's', ...spec },
})
const badSelector = { matchExpressions: [{ key: 'a', operator: 'In', values: ['not a value'] }] }
const devices = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'p' } }], hostUsers: false }
const device = { volumeDevices: [{ name: 'v', devicePath: '/dev/v' }] }

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } }
const job = (spec: object): object => ({ spec: { template, ...spec } })
const claim = (spec: object, more: object = {}): object => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  ...more,
})
const hook = {
  name: 'a.b.c',
  clientConfig: { url: 'https://a.b/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  namespaceSelector: badSelector,
}
const podTemplate = (spec: object): object => ({ metadata: template.metadata, spec })
const set = (spec: object): object => ({
  spec: { selector: { matchLabels: { a: 'b' } }, template: podTemplate({ containers: [{ name: 'c', image: 'i' }] }), ...spec },
})
const service = (spec: object): object => ({
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.0.0.1',
    clusterIPs: ['10.0.0.1'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ports: [{ port: 80 }],
    ...spec,
  },
})
const volume = (spec: object): object => ({ spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...spec } })
const affinity = (key: string, value: string): object => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }] },
})
const BAD_VALUE = 'matchExpressions[0].values[0]'

/** Rules introduced by a release without a feature gate. */
const RULES: Record<string, Rule> = {
  'values of selectors in pod affinity': {
    since: '1.26',
    of: podResource,
    body: pod({
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'k', labelSelector: badSelector }] } },
    }),
    causes: [
      ['Invalid spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values[0]'],
      [],
    ],
  },
  'selectors of spread constraints': {
    since: '1.27',
    of: podResource,
    body: pod({
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule', labelSelector: badSelector }],
    }),
    causes: [['Invalid spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].values[0]'], []],
  },
  "sysctls of the host's namespaces": {
    since: '1.29',
    of: podResource,
    body: pod({ hostNetwork: true, securityContext: { sysctls: [{ name: 'net.a', value: '1' }] } }),
    causes: [['Invalid spec.securityContext.sysctls[0].name'], []],
  },
  'paths of tokens that leave the volume': {
    since: '1.30',
    of: podResource,
    body: pod({ volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: '../a' } }] } }] }),
    causes: [['Invalid spec.volumes[0].projected.path'], []],
  },
  "an unmasked /proc in the host's user namespace": {
    since: '1.30',
    of: podResource,
    gates: { ProcMountType: true, UserNamespacesSupport: true },
    body: pod({}, { securityContext: { procMount: 'Unmasked' } }),
    causes: [['Invalid spec.containers[0].securityContext.procMount'], []],
  },
  'block devices in a user namespace': {
    since: '1.34',
    of: podResource,
    body: pod(devices, device),
    causes: [['Forbidden spec.containers[0].volumeDevices'], []],
  },
  'block devices in a user namespace that were there': {
    since: '1.34',
    of: podResource,
    old: pod(devices, device),
    body: pod(devices, { ...device, image: 'j' }),
    causes: [[], []],
  },
  'requests of pods, only if set': {
    since: '1.34',
    of: podResource,
    gates: { PodLevelResources: true },
    body: pod({ resources: { limits: { cpu: '1' } } }, { resources: { requests: { 'ephemeral-storage': '1Mi' } } }),
    causes: [[], ['Invalid spec.resources.requests[ephemeral-storage]']],
  },
  'resources of pods of Windows': {
    since: '1.34',
    of: podResource,
    gates: { PodLevelResources: true },
    body: pod({ os: { name: 'windows' }, resources: { limits: { cpu: '1' } } }),
    causes: [['Forbidden spec.resources'], []],
  },
  'init containers that a resize restarts': {
    since: '1.36',
    of: podResource,
    body: pod({ initContainers: [{ name: 'i', image: 'i', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }] }),
    causes: [['Invalid spec.initContainers[0].resizePolicy[0].restartPolicy'], []],
  },
  'images of volumes in templates': {
    since: '1.37',
    of: statefulSetResource,
    body: set({
      template: podTemplate({ containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', image: { pullPolicy: 'Always' } }] }),
    }),
    causes: [['Required spec.template.spec.volumes[0].image.reference'], []],
  },
  'autoscalers without replicas': {
    since: '1.37',
    of: horizontalPodAutoscalerResource,
    body: {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
        minReplicas: 0,
        maxReplicas: 1,
        metrics: [{ type: 'External', external: { metric: { name: 'q' }, target: { type: 'Value', value: '1' } } }],
      },
    },
    causes: [[], ['Invalid spec.minReplicas']],
  },
  'values of selectors in daemon sets': {
    since: '1.26',
    of: daemonSetResource,
    body: { spec: { selector: badSelector, template: { ...template, spec: { ...template.spec, restartPolicy: 'Always' } } } },
    causes: [[`Invalid spec.selector.${BAD_VALUE}`], []],
  },
  'values of selectors in jobs': {
    since: '1.26',
    of: jobResource,
    body: job({ manualSelector: true, selector: badSelector }),
    causes: [[`Invalid spec.selector.${BAD_VALUE}`], []],
  },
  'values of selectors in claims': {
    since: '1.26',
    of: persistentVolumeClaimResource,
    body: claim({ selector: badSelector }),
    causes: [[`Invalid spec.selector.${BAD_VALUE}`], []],
  },
  'values of selectors in network policies': {
    since: '1.26',
    of: networkPolicyResource,
    body: { spec: { podSelector: badSelector } },
    causes: [[`Invalid spec.podSelector.${BAD_VALUE}`], []],
  },
  'values of selectors in disruption budgets': {
    since: '1.26',
    of: podDisruptionBudgetResource,
    body: { spec: { selector: badSelector } },
    causes: [[`Invalid spec.selector.${BAD_VALUE}`], []],
  },
  'values of selectors in webhooks': {
    since: '1.26',
    of: validatingWebhookConfigurationResource,
    body: { webhooks: [hook] },
    causes: [[`Invalid webhooks[0].namespaceSelector.${BAD_VALUE}`], []],
  },
  'completions of indexed jobs, which may change': {
    since: '1.27',
    of: jobResource,
    old: job({ completionMode: 'Indexed', completions: 2, parallelism: 2, selector: { matchLabels: { a: 'b' } }, manualSelector: true }),
    body: job({ completionMode: 'Indexed', completions: 3, parallelism: 3, selector: { matchLabels: { a: 'b' } }, manualSelector: true }),
    causes: [[], ['Invalid spec.completions']],
  },
  'API groups of data sources': {
    since: '1.29',
    of: persistentVolumeClaimResource,
    body: claim({ dataSourceRef: { apiGroup: 'A/B', kind: 'K', name: 'n' } }),
    causes: [['Invalid spec.dataSource.apiGroup', 'Invalid spec.dataSourceRef.apiGroup'], []],
  },
  'names of stateful sets': {
    since: '1.27',
    of: statefulSetResource,
    body: set({}),
    metadata: { name: 'a.b' },
    causes: [['Invalid metadata.name'], []],
  },
  'pods of stateful sets': {
    since: '1.34',
    of: statefulSetResource,
    body: set({ template: podTemplate({ containers: [], hostname: 'No Name' }) }),
    causes: [['Required spec.template.spec.containers'], []],
  },
  'volumes of stateful sets, with those of claims': {
    since: '1.34',
    of: statefulSetResource,
    body: set({
      template: podTemplate({ containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/d' }] }] }),
      volumeClaimTemplates: [{ metadata: { name: 'data' }, ...claim({}) }],
    }),
    causes: [[], []],
  },
  'claims of stateful sets': {
    since: '1.34',
    of: statefulSetResource,
    body: set({ volumeClaimTemplates: [{ metadata: { name: 'data' }, ...claim({ accessModes: [] }) }] }),
    causes: [['Required spec.volumeClaimTemplates[0].spec.accessModes'], []],
  },
  'pods of stateful sets, unless they were invalid before': {
    since: '1.34',
    of: statefulSetResource,
    old: set({ template: podTemplate({ containers: [] }) }),
    body: set({ template: podTemplate({ containers: [], initContainers: [{ name: 'No Name' }] }) }),
    causes: [[], []],
  },
  'annotations about topology that disagree': {
    since: '1.27',
    of: createServiceResource(),
    body: service({}),
    metadata: { annotations: { 'service.kubernetes.io/topology-aware-hints': 'Auto', 'service.kubernetes.io/topology-mode': 'Disabled' } },
    causes: [['Invalid metadata.annotations[service.kubernetes.io/topology-mode]'], []],
  },
  'policies of services with external addresses': {
    since: '1.29',
    of: createServiceResource(),
    body: service({ externalIPs: ['192.0.2.1'], externalTrafficPolicy: 'Local' }),
    causes: [[], ['Invalid spec.externalTrafficPolicy']],
  },
  'names of secrets of volumes': {
    since: '1.27',
    of: persistentVolumeResource,
    body: volume({ csi: { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { name: 'a.b', namespace: 'n' } } }),
    causes: [[], ['Invalid spec.csi.nodePublishSecretRef.name']],
  },
  'names of labels in the affinity of volumes': {
    since: '1.27',
    of: persistentVolumeResource,
    old: volume({ hostPath: { path: '/a' }, nodeAffinity: affinity('failure-domain.beta.kubernetes.io/zone', 'a') }),
    body: volume({ hostPath: { path: '/a' }, nodeAffinity: affinity('topology.kubernetes.io/zone', 'a') }),
    causes: [[], ['Invalid nodeAffinity']],
  },
  'values in the affinity of volumes': {
    since: '1.33',
    of: persistentVolumeResource,
    body: volume({ hostPath: { path: '/a' }, nodeAffinity: affinity('k', 'not a value') }),
    causes: [['Invalid spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0]'], []],
  },
  'how drivers mount': {
    since: '1.30',
    of: csiDriverResource,
    old: { spec: {} },
    body: { spec: { podInfoOnMount: true, fsGroupPolicy: 'File' } },
    causes: [[], ['Invalid spec.fsGroupPolicy', 'Invalid spec.podInfoOnMount']],
  },
  'data of revisions': { since: '1.31', of: controllerRevisionResource, body: { revision: 1, data: [1] }, causes: [['Required data'], []] },
  'forms of IPv6 addresses': {
    since: '1.33',
    of: endpointSliceResource,
    body: { addressType: 'IPv6', endpoints: [{ addresses: ['2001:DB8::1'] }] },
    causes: [['Invalid endpoints[0].addresses[0]'], []],
  },
  'ranges that are added': {
    since: '1.33',
    of: serviceCIDRResource,
    gates: { MultiCIDRServiceAllocator: true },
    old: { spec: { cidrs: ['10.1.0.0/24'] } },
    body: { spec: { cidrs: ['10.1.0.0/24', '2001:db8::/64'] } },
    causes: [[], ['Invalid spec.cidrs']],
  },
  'groups of scale targets': {
    since: '1.34',
    of: horizontalPodAutoscalerResource,
    body: { spec: { maxReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'd' } } },
    causes: [['Invalid spec.scaleTargetRef.apiVersion'], []],
  },
  'versions of described objects': {
    since: '1.34',
    of: horizontalPodAutoscalerResource,
    body: {
      spec: {
        maxReplicas: 1,
        scaleTargetRef: { kind: 'ReplicationController', name: 'r', apiVersion: 'v1' },
        metrics: [
          {
            type: 'Object',
            object: {
              describedObject: { kind: 'Service', name: 's', apiVersion: 'a/b/c' },
              metric: { name: 'm' },
              target: { type: 'Value', value: '1' },
            },
          },
        ],
      },
    },
    causes: [['Invalid spec.metrics[0].object.describedObject.apiVersion'], []],
  },
}

describe('rules of kinds by release', () => {
  for (const [what, { since, of, body, causes, old, gates = {}, metadata }] of Object.entries(RULES))
    it(`validates ${what} since ${since}`, async () => {
      const inRelease = async (release: Release): Promise<string[]> => {
        const cases = new KindCases(of)
        const featuresOf = (named: Release) => parseGates(named, new Map(Object.entries(gates)))
        cases.server.features = featuresOf(old ? previousRelease(since) : release)
        if (!old) return await causesOf(cases.create(body, metadata))
        await cases.create(old)
        cases.server.features = featuresOf(release)
        return await causesOf(cases.update(body))
      }
      expect([await inRelease(since), await inRelease(previousRelease(since))]).to.deep.equal(causes)
    })

  it('removes a VolumeAttributesClass that is not applied, since 1.34', async () => {
    const leave = async (release: Release, applied: object): Promise<string[]> => {
      const cases = new KindCases(persistentVolumeClaimResource)
      cases.server.features = parseGates(release, new Map([['VolumeAttributesClass', true]]))
      const named = claim({ volumeAttributesClassName: 'fast', storageClassName: 's' })
      await cases.create(named)
      await cases.update({ ...named, status: { phase: 'Bound', ...applied } }, {}, 'status')
      return await causesOf(cases.update(claim({ storageClassName: 's' })))
    }
    const path = 'Forbidden spec.volumeAttributesClassName'
    expect(await leave('1.34', {})).to.deep.equal([])
    expect(await leave('1.34', { currentVolumeAttributesClassName: 'fast' })).to.deep.equal([path])
    expect(await leave('1.33', {})).to.deep.equal(['Forbidden spec', path])
  })
})
