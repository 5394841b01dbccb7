import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import { previousRelease, type Release } from '../../../src/lifecycle/release.ts'
import { fieldErrorText } from '../../../src/meta/field-error.ts'
import { isStatusError } from '../../../src/meta/status.ts'
import { validateStorageVersionStatus } from '../../../src/resources/apiserverinternal/storage-version/validation.ts'
import { statefulSetResource } from '../../../src/resources/apps/stateful-set/definition.ts'
import { horizontalPodAutoscalerResource } from '../../../src/resources/autoscaling/horizontal-pod-autoscaler/definition.ts'
import { certificateSigningRequestResource } from '../../../src/resources/certificates/certificate-signing-request/definition.ts'
import { persistentVolumeClaimResource } from '../../../src/resources/core/persistent-volume-claim/definition.ts'
import { podResource } from '../../../src/resources/core/pod/definition.ts'
import { priorityLevelConfigurationResource } from '../../../src/resources/flowcontrol/priority-level-configuration/definition.ts'
import { deviceClassResource } from '../../../src/resources/resource/device-class/definition.ts'
import { createResourceClaimResource } from '../../../src/resources/resource/resource-claim/definition.ts'
import { testAuth } from '../../support/auth.ts'
import { KindCases } from '../../support/kind-cases.ts'

/** The errors of a write, one text per cause, each reduced to its first line. */
async function errorsOf(
  { of, next, old, subresource = '', name }: Case,
  release: Release,
  gates: Record<string, boolean> = {},
): Promise<string[]> {
  const cases = new KindCases(of, parseGates(release, new Map(Object.entries(gates))))
  try {
    if (!old) await cases.create(next, name ? { name } : {})
    else {
      await cases.create(old)
      await cases.update(next, {}, subresource)
    }
    return []
  } catch (error) {
    if (!isStatusError(error, 'Invalid')) throw error
    return (error.status.details?.causes ?? []).map(({ field, message = '' }) => `${field}: ${message.split('\n')[0]}`)
  }
}

const pod = (spec: object, container: object = {}): object => ({
  spec: { containers: [{ name: 'c', image: 'i', ...container }], serviceAccountName: 's', ...spec },
})
const sidecar = (more: object): object => pod({ initContainers: [{ name: 'i', image: 'i', ...more }] })
const ephemeral = (more: object, spec: object = {}): object => {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec }
  return pod({ volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { metadata: more, spec: claim } } }] })
}
const set = { selector: { matchLabels: { a: 'b' } }, serviceName: 's', template: { metadata: { labels: { a: 'b' } }, ...pod({}) } }
const autoscaler = (maxReplicas: number): object => ({
  spec: { maxReplicas, scaleTargetRef: { kind: 'ReplicationController', name: 'r', apiVersion: 'v1' } },
})
const BELOW_LEAST = 'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`'
const LABEL =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', " +
  "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', " +
  "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'

interface Case {
  readonly what: string
  readonly since: Release
  readonly of: ResourceDefinition
  readonly next: object
  readonly old?: object
  readonly subresource?: string
  readonly name?: string
  readonly gates?: Record<string, boolean>
  /** Parts of the errors in the previous release and since. Other errors are ignored. */
  readonly said: readonly [before: readonly string[], since: readonly string[]]
  readonly about: string
}

const CASES: readonly Case[] = [
  {
    what: 'usages of a certificate that are missing',
    since: '1.26',
    of: certificateSigningRequestResource,
    next: { spec: { request: '', signerName: 'a.b/c' } },
    about: 'spec.usages',
    said: [['spec.usages: Required value: usages must be provided'], ['spec.usages: Required value']],
  },
  {
    what: 'the signer of a certificate that is missing',
    since: '1.26',
    of: certificateSigningRequestResource,
    next: { spec: { request: '', signerName: '', usages: ['any'] } },
    about: 'spec.signerName',
    said: [['spec.signerName: Required value: signerName must be provided'], ['spec.signerName: Required value']],
  },
  {
    what: 'lists of devices that are too long, without further errors',
    since: '1.35',
    of: deviceClassResource,
    next: { spec: { config: [{}, ...Array.from({ length: 32 }, () => ({ opaque: { driver: 'a.b', parameters: {} } }))] } },
    about: 'spec.config',
    said: [
      ['spec.config[0].opaque: Required value', 'spec.config: Too many: 33: must have at most 32 items'],
      ['spec.config: Too many: 33: must have at most 32 items'],
    ],
  },
  {
    what: 'requests for devices of one name',
    since: '1.35',
    of: createResourceClaimResource(testAuth.authorizer),
    next: {
      spec: {
        devices: {
          requests: ['a', 'a'].map(name => ({ name, exactly: { deviceClassName: 'c', allocationMode: 'All' } })),
        },
      },
    },
    about: 'Duplicate',
    said: [['spec.devices.requests[1].name: Duplicate value: "a"'], ['spec.devices.requests[1]: Duplicate value: "a"']],
  },
  {
    what: 'sources of claims without a group',
    since: '1.26',
    of: persistentVolumeClaimResource,
    next: {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, dataSourceRef: { kind: 'A', name: 'a' } },
      status: {},
    },
    about: 'spec.dataSourceRef:',
    said: [
      ['spec.dataSourceRef: Invalid value: "A"'],
      ['spec.dataSourceRef: Invalid value: "A": must be \'PersistentVolumeClaim\' when referencing the default apiGroup'],
    ],
  },
  {
    what: 'metadata of claims of ephemeral volumes',
    since: '1.26',
    of: podResource,
    next: ephemeral({ name: 'n' }),
    about: 'volumeClaimTemplate.metadata',
    said: [
      ['spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set for an ephemeral volume'],
      ['spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set'],
    ],
  },
  {
    what: 'selectors of claims of ephemeral volumes',
    since: '1.26',
    of: podResource,
    next: ephemeral({}, { selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] } }),
    about: 'values[0]: Invalid',
    said: [[], ['spec.volumes[0].ephemeral.volumeClaimTemplate.spec.selector.matchExpressions[0].values[0]: Invalid value: "-": ']],
  },
  {
    what: 'mutable fields of a stateful set',
    since: '1.26',
    of: statefulSetResource,
    next: { spec: { ...set, podManagementPolicy: 'Parallel' } },
    old: { spec: set },
    about: 'spec: Forbidden',
    said: [
      [
        "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ],
      [
        "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ],
    ],
  },
  {
    what: 'requests over the limit',
    since: '1.27',
    of: podResource,
    next: pod({}, { resources: { limits: { cpu: '1', 'a.b/c': '1' }, requests: { cpu: '2', 'a.b/c': '2' } } }),
    about: 'requests: Invalid',
    said: [
      [
        'spec.containers[0].resources.requests: Invalid value: "2": must be equal to a.b/c limit',
        'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit',
      ],
      [
        'spec.containers[0].resources.requests: Invalid value: "2": must be equal to a.b/c limit of 1',
        'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      ],
    ],
  },
  {
    what: 'names of scheduling gates',
    since: '1.27',
    of: podResource,
    next: pod({ schedulingGates: [{ name: '' }, { name: '-' }] }),
    gates: { PodSchedulingReadiness: true },
    about: 'schedulingGates',
    said: [
      ['spec.schedulingGates[0]: Required value: must not be empty'],
      [
        'spec.schedulingGates[0]: Invalid value: "": name part must be non-empty',
        `spec.schedulingGates[0]: Invalid value: "": ${QUALIFIED}`,
        `spec.schedulingGates[1]: Invalid value: "-": ${QUALIFIED}`,
      ],
    ],
  },
  {
    what: 'keys of spread constraints without a selector',
    since: '1.27',
    of: podResource,
    next: pod({ topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule', matchLabelKeys: ['a'] }] }),
    gates: { MatchLabelKeysInPodTopologySpread: true },
    about: 'matchLabelKeys',
    said: [[], ['spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set']],
  },
  {
    what: 'names of resource claims',
    since: '1.27',
    of: podResource,
    next: pod({ resourceClaims: [{ name: 'a', source: { resourceClaimName: '-' } }] }),
    gates: { DynamicResourceAllocation: true },
    about: 'resourceClaims',
    said: [[], [`spec.resourceClaims[0].source.resourceClaimName: Invalid value: "-": ${LABEL}`]],
  },
  {
    what: 'names of claims that are made of templates, until 1.30',
    since: '1.31',
    of: podResource,
    next: pod({ resourceClaims: [{ name: 'a', source: { resourceClaimTemplateName: 't' }, resourceClaimTemplateName: 't' }] }),
    name: 'X',
    gates: { DynamicResourceAllocation: true },
    about: 'final',
    said: [[`spec.resourceClaims[0].name: Invalid value: "X-a": final ResourceClaim name: ${LABEL}`], []],
  },
  {
    what: 'ports on the network of the host',
    since: '1.28',
    of: podResource,
    next: pod({ hostNetwork: true }, { ports: [{ containerPort: 80, hostPort: 81, protocol: 'TCP' }] }),
    about: 'hostNetwork',
    said: [
      ['spec.containers[0].ports[0].containerPort: Invalid value: 80: must match `hostPort` when `hostNetwork` is true'],
      ['spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true'],
    ],
  },
  {
    what: 'hooks of init containers',
    since: '1.28',
    of: podResource,
    next: sidecar({ lifecycle: { preStop: { exec: { command: ['a'] } } } }),
    about: 'lifecycle',
    said: [
      ['spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers'],
      ['spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always'],
    ],
  },
  {
    what: 'how containers of pods that never restart are resized',
    since: '1.29',
    of: podResource,
    next: pod({ restartPolicy: 'Never' }, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }),
    gates: { InPlacePodVerticalScaling: true },
    about: 'resizePolicy',
    said: [
      [],
      ["spec.containers[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when `restartPolicy` is 'Never'"],
    ],
  },
  {
    what: 'addresses of name servers and aliases',
    since: '1.30',
    of: podResource,
    next: pod({ dnsConfig: { nameservers: ['a'] }, hostAliases: [{ ip: 'b', hostnames: ['-'] }] }),
    about: 'Invalid value',
    said: [
      [
        'spec.dnsConfig.nameservers[0]: Invalid value: "a": must be valid IP address',
        'spec.hostAliases.ip: Invalid value: "b": must be valid IP address',
        `spec.hostAliases.hostnames: Invalid value: "-": ${LABEL}`,
      ],
      [
        `spec.dnsConfig.nameservers[0]: Invalid value: "a": ${IP}`,
        `spec.hostAliases[0].ip: Invalid value: "b": ${IP}`,
        `spec.hostAliases[0].hostnames[0]: Invalid value: "-": ${LABEL}`,
      ],
    ],
  },
  {
    what: 'states of the resize of a claim',
    since: '1.31',
    of: persistentVolumeClaimResource,
    next: {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      status: { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } },
    },
    old: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }, status: {} },
    subresource: 'status',
    gates: { RecoverVolumeExpansionFailure: true },
    about: 'allocatedResourceStatus',
    said: [
      [
        'status.allocatedResourceStatus: Unsupported value: "storage": supported values: "ControllerResizeFailed", "ControllerResizeInProgress", "NodeResizeFailed", "NodeResizeInProgress", "NodeResizePending"',
      ],
      [],
    ],
  },
  {
    what: 'resizing containers of pods that never restart',
    since: '1.36',
    of: podResource,
    next: pod({ restartPolicy: 'Never' }, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }),
    about: 'resizePolicy',
    said: [
      ["spec.containers[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when `restartPolicy` is 'Never'"],
      ["spec.containers[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when pod `restartPolicy` is 'Never'"],
    ],
  },
  {
    what: 'names of claims of devices in the status of a pod',
    since: '1.36',
    of: podResource,
    old: pod({ resourceClaims: [{ name: 'a', resourceClaimTemplateName: 't' }] }),
    next: {
      ...pod({ resourceClaims: [{ name: 'a', resourceClaimTemplateName: 't' }] }),
      status: { resourceClaimStatuses: [{ name: 'a', resourceClaimName: '-' }] },
    },
    subresource: 'status',
    about: 'resourceClaimStatuses',
    said: [
      [`status.resourceClaimStatuses[0].name: Invalid value: "-": ${LABEL}`],
      [`status.resourceClaimStatuses[0].resourceClaimName: Invalid value: "-": ${LABEL}`],
    ],
  },
  {
    what: 'no replicas at the most',
    since: '1.36',
    of: horizontalPodAutoscalerResource,
    next: autoscaler(0),
    about: 'maxReplicas: ',
    said: [
      ['spec.maxReplicas: Invalid value: 0: must be greater than 0', BELOW_LEAST],
      ['spec.maxReplicas: Required value: must be set and greater than 0', BELOW_LEAST],
    ],
  },
  {
    what: 'fewer replicas than none',
    since: '1.36',
    of: horizontalPodAutoscalerResource,
    next: autoscaler(-1),
    about: 'maxReplicas: Invalid value: -1: must be greater than 0',
    said: [['spec.maxReplicas: Invalid value: -1: must be greater than 0'], []],
  },
  {
    what: 'types of priority levels that are missing',
    since: '1.36',
    of: priorityLevelConfigurationResource,
    next: { spec: { type: '' } },
    about: 'spec.type',
    said: [['spec.type: Unsupported value: "": supported values: "Exempt", "Limited"'], ['spec.type: Required value']],
  },
  {
    what: 'types of responses of priority levels that are missing',
    since: '1.36',
    of: priorityLevelConfigurationResource,
    next: { spec: { type: 'Limited', limited: { limitResponse: { type: '' } } } },
    about: 'limitResponse',
    said: [
      ['spec.limited.limitResponse.type: Unsupported value: "": supported values: "Queue", "Reject"'],
      ['spec.limited.limitResponse.type: Required value'],
    ],
  },
]

describe('error messages by release', () => {
  for (const each of CASES) {
    const { since, about, said, gates } = each
    it(`${since}: ${each.what}`, async () => {
      const inRelease = async (release: Release, on?: Record<string, boolean>): Promise<string[]> =>
        (await errorsOf(each, release, on)).filter(text => text.includes(about)).map(text => text.replace(/("-": )a valid label .*/, '$1'))
      expect([await inRelease(previousRelease(since), gates), await inRelease(since, gates)]).to.deep.equal(said)
    })
  }

  it('1.28: served versions, and StorageVersions with two entries of a server', () => {
    const server = { apiServerID: 'a', encodingVersion: 'v1', decodableVersions: ['v1'], servedVersions: ['v2'] }
    const object = {
      apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
      kind: 'StorageVersion',
      metadata: { name: 'a.b' },
      spec: {},
      status: { storageVersions: [server, { ...server, servedVersions: ['v1'] }], commonEncodingVersion: 'v1' },
    }
    const said = (release: Release): string[] =>
      validateStorageVersionStatus(object, undefined, { features: parseGates(release) }).map(fieldErrorText)
    expect([said('1.27'), said('1.28')]).to.deep.equal([
      [],
      [
        'status.storageVersions[0].servedVersions[0]: Invalid value: "v2": individual served version : v2 must be included in decodableVersions : [v1]',
        'status.storageVersions[1].apiServerID: Duplicate value: "a"',
      ],
    ])
  })
})
