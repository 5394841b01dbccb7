import { certificateRequest } from '../../oracle/certificates.ts'
import type { WideCase, WideRequest } from './wide-cases.ts'

type Body = Record<string, unknown>

const items = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i))
const members = (count: number, value: (i: number) => unknown): Body =>
  Object.fromEntries(items(count, i => [`k${i.toString(36)}`, value(i)]))

/** An object that parts of a cluster follow, with as many values as fit. */
interface Shape {
  readonly name: string
  /** Path of the collection. */
  readonly path: string
  readonly metadata?: Body
  readonly content: Body
  /** Optional. A status that is written after the object. */
  readonly status?: Body
  /** Optional. Objects that exist meanwhile, by the path of their collection. */
  readonly others?: readonly (readonly [path: string, object: Body])[]
  /** Optional. A merge patch. Default: of one label. */
  readonly change?: Body
}

const CORE = '/api/v1/namespaces/default'
const APPS = '/apis/apps/v1/namespaces/default'
const PODS = `${CORE}/pods`
const SELECTED = { app: 'wide' }
const container = (more: Body = {}): Body => ({ name: 'c', image: 'i', ...more })
const podSpec = (more: Body = {}): Body => ({ containers: [container()], terminationGracePeriodSeconds: 0, ...more })
const TERM = { topologyKey: 'x', labelSelector: { matchLabels: { a: 'b' } } }
const template = (spec: Body, metadata: Body = {}): Body => ({ metadata: { labels: SELECTED, ...metadata }, spec })
const pod = (name: string, spec: Body, metadata?: Body): Shape => ({
  name: `Pod: ${name}`,
  path: PODS,
  content: { spec: podSpec(spec) },
  ...(metadata && { metadata }),
})
const smallPod = (i: number): readonly [string, Body] => [PODS, { metadata: { name: `small-${i}`, labels: SELECTED }, spec: podSpec() }]
const required = (terms: readonly unknown[]): Body => ({ requiredDuringSchedulingIgnoredDuringExecution: terms })
const expressions = (count: number): Body => ({ matchExpressions: items(count, i => ({ key: `k${i}`, operator: 'DoesNotExist' })) })
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }

const pods: readonly Shape[] = [
  pod('labels', {}, { labels: members(32_000, () => 'v') }),
  pod('annotations', {}, { annotations: members(25_000, () => 'v') }),
  pod('finalizers', {}, { finalizers: items(30_000, i => `e.io/${i}`) }),
  pod('owners', {}, { ownerReferences: items(10_000, i => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `p${i}`, uid: `u${i}` })) }),
  pod('tolerations', { tolerations: items(16_000, i => ({ key: `k${i}`, operator: 'Exists' })) }),
  pod('node selector', { nodeSelector: members(32_000, () => 'v') }),
  pod('required anti-affinity', { affinity: { podAntiAffinity: required(items(9000, () => TERM)) } }),
  pod('required affinity', { affinity: { podAffinity: required(items(9000, () => TERM)) } }),
  pod('wide term', {
    affinity: { podAntiAffinity: required([{ topologyKey: 'x', labelSelector: { matchLabels: members(32_000, () => 'v') } }]) },
  }),
  pod('namespaces of a term', { affinity: { podAntiAffinity: required([{ ...TERM, namespaces: items(60_000, i => `n${i}`) }]) } }),
  pod('preferred anti-affinity', {
    affinity: {
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: items(8000, () => ({ weight: 1, podAffinityTerm: TERM })) },
    },
  }),
  pod('node affinity', {
    affinity: { nodeAffinity: requiredNodes(items(9000, i => ({ matchExpressions: [{ key: `k${i}`, operator: 'DoesNotExist' }] }))) },
  }),
  pod('preferred node affinity', {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: items(5000, i => ({
          weight: 1,
          preference: { matchExpressions: [{ key: `k${i}`, operator: 'Exists' }] },
        })),
      },
    },
  }),
  pod('spread constraints', {
    topologySpreadConstraints: items(5000, i => ({
      maxSkew: 1,
      topologyKey: `k${i}`,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { a: 'b' } },
    })),
  }),
  pod('containers', { containers: items(5000, i => container({ name: `c${i}` })) }),
  pod('init containers', { initContainers: items(5000, i => container({ name: `i${i}` })) }),
  pod('sidecars', { initContainers: items(5000, i => container({ name: `i${i}`, restartPolicy: 'Always' })) }),
  pod('requests of containers', {
    containers: items(4000, i => container({ name: `c${i}`, resources: { requests: { cpu: '1m', memory: '1Ki' } } })),
  }),
  pod('host ports', { containers: [container({ ports: items(9000, i => ({ containerPort: i + 1, hostPort: i + 1 })) })] }),
  pod('env', { containers: [container({ env: items(21_000, i => ({ name: `e${i}`, value: 'v' })) })] }),
  pod('args', { containers: [container({ args: items(65_000, i => `${i}`) })] }),
  pod('limits', { containers: [container({ resources: { limits: Object.fromEntries(items(20_000, i => [`e.io/${i}`, '1'])) } })] }),
  pod('volumes', { volumes: items(16_000, i => ({ name: `v${i}`, emptyDir: {} })) }),
  pod('claims', { volumes: items(9000, i => ({ name: `v${i}`, persistentVolumeClaim: { claimName: `c${i}` } })) }),
  pod('gates', { schedulingGates: items(20_000, i => ({ name: `e.io/${i}` })) }),
  pod('readiness gates', { readinessGates: items(20_000, i => ({ conditionType: `e.io/${i}` })) }),
  pod('long argument', { containers: [container({ args: ['a'.repeat(2_900_000)] })] }),
  {
    ...pod('ephemeral volumes', {
      volumes: items(3000, i => ({ name: `v${i}`, ephemeral: { volumeClaimTemplate: { spec: claim } } })),
      nodeSelector: { none: 'x' },
    }),
  },
  {
    ...pod('statuses', {}),
    status: {
      conditions: items(8000, i => ({ type: `e.io/${i}`, status: 'True' })),
      containerStatuses: [{ name: 'c', image: 'i', imageID: 'i', ready: true, restartCount: 0 }],
    },
  },
]

function requiredNodes(nodeSelectorTerms: readonly unknown[]): Body {
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } }
}

const WIDE_TEMPLATES: readonly (readonly [string, Body])[] = [
  ['labels', template(podSpec(), { labels: { ...members(28_000, () => 'v'), ...SELECTED } })],
  ['env', template(podSpec({ containers: [container({ env: items(13_000, i => ({ name: `e${i}`, value: 'v' })) })] }))],
  ['terms', template(podSpec({ affinity: { podAntiAffinity: required(items(8000, () => TERM)) } }))],
  ['volumes', template(podSpec({ volumes: items(15_000, i => ({ name: `v${i}`, emptyDir: {} })) }))],
  ['containers', template(podSpec({ containers: items(5000, i => container({ name: `c${i}` })) }))],
]

const workloads = (): Shape[] =>
  WIDE_TEMPLATES.flatMap(([name, podTemplate]): Shape[] => {
    const selector = { matchLabels: SELECTED }
    return [
      { name: `Deployment: ${name}`, path: `${APPS}/deployments`, content: { spec: { replicas: 2, selector, template: podTemplate } } },
      { name: `ReplicaSet: ${name}`, path: `${APPS}/replicasets`, content: { spec: { replicas: 2, selector, template: podTemplate } } },
      {
        name: `StatefulSet: ${name}`,
        path: `${APPS}/statefulsets`,
        content: { spec: { replicas: 2, serviceName: 's', selector, template: podTemplate } },
      },
      { name: `DaemonSet: ${name}`, path: `${APPS}/daemonsets`, content: { spec: { selector, template: podTemplate } } },
      {
        name: `Job: ${name}`,
        path: '/apis/batch/v1/namespaces/default/jobs',
        content: { spec: { template: { ...podTemplate, spec: { ...(podTemplate.spec as Body), restartPolicy: 'Never' } } } },
      },
      {
        name: `CronJob: ${name}`,
        path: '/apis/batch/v1/namespaces/default/cronjobs',
        content: {
          spec: {
            schedule: '* * * * *',
            jobTemplate: { spec: { template: { ...podTemplate, spec: { ...(podTemplate.spec as Body), restartPolicy: 'Never' } } } },
          },
        },
      },
    ]
  })

const others: readonly Shape[] = [
  {
    name: 'Deployment: expressions',
    path: `${APPS}/deployments`,
    content: { spec: { replicas: 2, selector: { matchLabels: SELECTED, ...expressions(12_000) }, template: template(podSpec()) } },
    others: items(20, smallPod),
  },
  {
    name: 'StatefulSet: claims',
    path: `${APPS}/statefulsets`,
    content: {
      spec: {
        replicas: 1,
        serviceName: 's',
        selector: { matchLabels: SELECTED },
        template: template(podSpec()),
        volumeClaimTemplates: items(3000, i => ({ metadata: { name: `c${i}` }, spec: claim })),
      },
    },
  },
  {
    name: 'Service: selector',
    path: `${CORE}/services`,
    content: { spec: { ports: [{ port: 1 }], selector: members(32_000, () => 'v') } },
    others: items(20, smallPod),
  },
  {
    name: 'Service: ports',
    path: `${CORE}/services`,
    content: { spec: { ports: items(12_000, i => ({ name: `p${i}`, port: i + 1 })), selector: SELECTED } },
    others: items(20, smallPod),
  },
  {
    name: 'Service: ports and labels',
    path: `${CORE}/services`,
    metadata: { labels: members(30_000, () => 'v') },
    content: { spec: { ports: items(5000, i => ({ name: `p${i}`, port: i + 1 })), selector: SELECTED } },
    others: items(20, smallPod),
  },
  {
    name: 'Endpoints: addresses',
    path: `${CORE}/endpoints`,
    content: {
      subsets: [{ ports: [{ port: 1 }], addresses: items(30_000, i => ({ ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}` })) }],
    },
    others: [[`${CORE}/services`, { metadata: { name: 'wide' }, spec: { ports: [{ port: 1 }] } }]],
  },
  {
    name: 'Endpoints: subsets',
    path: `${CORE}/endpoints`,
    content: { subsets: items(6000, i => ({ ports: [{ port: i + 1 }], addresses: [{ ip: `10.0.${(i >> 8) & 255}.${i & 255}` }] })) },
    others: [[`${CORE}/services`, { metadata: { name: 'wide' }, spec: { ports: [{ port: 1 }] } }]],
  },
  {
    name: 'Endpoints: labels',
    path: `${CORE}/endpoints`,
    metadata: { labels: members(30_000, () => 'v'), annotations: members(30_000, () => 'v') },
    content: { subsets: [{ ports: [{ port: 1 }], addresses: [{ ip: '10.0.0.1' }] }] },
    others: [[`${CORE}/services`, { metadata: { name: 'wide' }, spec: { ports: [{ port: 1 }] } }]],
  },
  {
    name: 'EndpointSlice: ports',
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    metadata: { labels: { 'kubernetes.io/service-name': 'wide', ...members(32_000, () => 'v') } },
    content: { addressType: 'IPv4', ports: [{ port: 1 }], endpoints: items(1000, i => ({ addresses: [`10.0.${i >> 8}.${i & 255}`] })) },
    others: [[`${CORE}/services`, { metadata: { name: 'wide' }, spec: { ports: [{ port: 1 }], selector: SELECTED } }]],
  },
  {
    name: 'HorizontalPodAutoscaler: metrics',
    path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    content: {
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'hpa' },
        metrics: items(5000, () => ({
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
        })),
      },
    },
    others: [
      [
        `${APPS}/deployments`,
        { metadata: { name: 'hpa' }, spec: { replicas: 2, selector: { matchLabels: SELECTED }, template: template(podSpec()) } },
      ],
    ],
  },
  {
    name: 'PodDisruptionBudget: expressions',
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    content: { spec: { minAvailable: 1, selector: expressions(12_000) } },
    others: items(20, smallPod),
  },
  {
    name: 'PodDisruptionBudget: labels',
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    content: { spec: { minAvailable: 1, selector: { matchLabels: members(32_000, () => 'v') } } },
    others: items(20, smallPod),
  },
  {
    name: 'PersistentVolumeClaim: selector',
    path: `${CORE}/persistentvolumeclaims`,
    content: { spec: { ...claim, storageClassName: 'none', selector: { matchLabels: members(32_000, () => 'v') } } },
    others: [[`/api/v1/persistentvolumes`, volumeOf('other', {})]],
  },
  {
    name: 'PersistentVolumeClaim: annotations',
    path: `${CORE}/persistentvolumeclaims`,
    metadata: { annotations: members(25_000, () => 'v') },
    content: { spec: claim },
  },
  {
    name: 'PersistentVolume: affinity',
    path: '/api/v1/persistentvolumes',
    content: volumeOf('wide', {
      nodeAffinity: {
        required: { nodeSelectorTerms: items(9000, i => ({ matchExpressions: [{ key: `k${i}`, operator: 'DoesNotExist' }] })) },
      },
    }),
    others: [[`${CORE}/persistentvolumeclaims`, { metadata: { name: 'c' }, spec: { ...claim, storageClassName: 'none' } }]],
  },
  {
    name: 'PersistentVolume: labels',
    path: '/api/v1/persistentvolumes',
    metadata: { labels: members(32_000, () => 'v') },
    content: volumeOf('wide', {}),
    others: [[`${CORE}/persistentvolumeclaims`, { metadata: { name: 'c' }, spec: { ...claim, storageClassName: 'none' } }]],
  },
  {
    name: 'StorageClass: topologies',
    path: '/apis/storage.k8s.io/v1/storageclasses',
    content: {
      provisioner: 'p',
      allowedTopologies: items(8000, i => ({ matchLabelExpressions: [{ key: `k${i}`, values: ['v'] }] })),
    },
  },
  {
    name: 'CSINode: drivers',
    path: '/apis/storage.k8s.io/v1/csinodes',
    content: { spec: { drivers: items(9000, i => ({ name: `d${i}`, nodeID: 'n', topologyKeys: ['k'] })) } },
  },
  {
    name: 'Node: labels',
    path: '/api/v1/nodes',
    metadata: { labels: members(32_000, () => 'v') },
    content: { spec: {} },
    others: items(3, smallPod),
  },
  { name: 'Node: annotations', path: '/api/v1/nodes', metadata: { annotations: members(25_000, () => 'v') }, content: { spec: {} } },
  {
    name: 'Node: taints',
    path: '/api/v1/nodes',
    content: { spec: { taints: items(16_000, i => ({ key: `k${i}`, effect: 'NoExecute' })) } },
    others: items(3, smallPod),
  },
  {
    name: 'Node: images',
    path: '/api/v1/nodes',
    content: { spec: {} },
    status: { images: items(15_000, i => ({ names: [`i${i}`], sizeBytes: 1 })) },
    others: items(3, smallPod),
  },
  {
    name: 'Node: conditions',
    path: '/api/v1/nodes',
    content: { spec: {} },
    status: { conditions: items(9000, i => ({ type: `c${i}`, status: 'True' })) },
  },
  {
    name: 'Node: allocatable',
    path: '/api/v1/nodes',
    content: { spec: {} },
    status: {
      capacity: Object.fromEntries(items(25_000, i => [`e.io/${i}`, '1'])),
      allocatable: Object.fromEntries(items(25_000, i => [`e.io/${i}`, '1'])),
    },
    others: items(3, smallPod),
  },
  {
    name: 'Node: addresses',
    path: '/api/v1/nodes',
    content: { spec: {} },
    status: { addresses: items(15_000, i => ({ type: 'InternalIP', address: `a${i}` })) },
  },
  {
    name: 'CertificateSigningRequest: usages',
    path: '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    metadata: { annotations: members(25_000, () => 'v') },
    content: { spec: { signerName: 'e.io/s', usages: ['client auth'], request: await certificateRequest({ cn: 'wide' }) } },
  },
  {
    name: 'ConfigMap: cluster-info',
    path: '/api/v1/namespaces/kube-public/configmaps',
    metadata: { name: 'cluster-info' },
    content: { data: members(32_000, () => 'v') },
    others: [
      [
        '/api/v1/namespaces/kube-system/secrets',
        {
          metadata: { name: 'bootstrap-token-aaaaaa' },
          type: 'bootstrap.kubernetes.io/token',
          stringData: { 'token-id': 'aaaaaa', 'token-secret': 'aaaaaaaaaaaaaaaa', 'usage-bootstrap-signing': 'true' },
        },
      ],
    ],
  },
  {
    name: 'Secret: token',
    path: '/api/v1/namespaces/kube-system/secrets',
    metadata: { name: 'bootstrap-token-bbbbbb' },
    content: {
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        ...members(32_000, () => 'v'),
        'token-id': 'bbbbbb',
        'token-secret': 'aaaaaaaaaaaaaaaa',
        expiration: '2020-01-01T00:00:00Z',
      },
    },
  },
  {
    name: 'Namespace: labels',
    path: '/api/v1/namespaces',
    metadata: { labels: members(32_000, () => 'v') },
    content: {},
    others: items(3, smallPod),
  },
  {
    name: 'ResourceSlice: devices',
    path: '/apis/resource.k8s.io/v1/resourceslices',
    content: {
      spec: {
        driver: 'd.io',
        nodeName: 'node-1',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: items(128, i => ({ name: `d${i}`, attributes: Object.fromEntries(items(32, n => [`a${n}`, { string: 'v' }])) })),
      },
    },
  },
  {
    name: 'ResourceClaim: annotations',
    path: '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    metadata: { annotations: members(25_000, () => 'v') },
    content: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } },
  },
  {
    name: 'Job: failure rules',
    path: '/apis/batch/v1/namespaces/default/jobs',
    content: {
      spec: {
        backoffLimit: 0,
        template: { metadata: { labels: members(28_000, () => 'v') }, spec: podSpec({ restartPolicy: 'Never' }) },
        podFailurePolicy: {
          rules: items(20, () => ({ action: 'Ignore', onExitCodes: { operator: 'In', values: items(255, i => i + 1) } })),
        },
      },
    },
  },
  {
    name: 'CronJob: schedule',
    path: '/apis/batch/v1/namespaces/default/cronjobs',
    content: {
      spec: {
        schedule: `${items(100_000, i => i % 60).join(',')} * * * *`,
        jobTemplate: { spec: { template: template(podSpec({ restartPolicy: 'Never' })) } },
      },
    },
  },
]

function volumeOf(name: string, spec: Body): Body {
  return {
    metadata: { name },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'none', hostPath: { path: '/x' }, ...spec },
  }
}

function caseOf({ name, path, metadata, content, status, others: beside = [], change }: Shape): WideCase {
  const own = (metadata?.name as string | undefined) ?? 'wide'
  const one = `${path}/${own}`
  const post = (to: string, object: Body) => (): WideRequest => ({ method: 'POST', path: to, body: JSON.stringify(object) })
  const remove = (of: string) => (): WideRequest => ({ method: 'DELETE', path: `${of}?gracePeriodSeconds=0&propagationPolicy=Background` })
  const merge = (to: string, body: Body) => (): WideRequest => ({
    method: 'PATCH',
    path: to,
    type: 'application/merge-patch+json',
    body: JSON.stringify(body),
  })
  return {
    name,
    before: beside.map(([to, object]) => post(to, object)),
    requests: {
      create: post(path, { ...content, metadata: { name: 'wide', ...metadata } }),
      ...(status && { status: merge(`${one}/status`, { status }) }),
      change: merge(one, change ?? { metadata: { labels: { one: 'more' } } }),
      'another pod': post(PODS, { metadata: { name: 'another', labels: SELECTED }, spec: podSpec() }),
      remove: remove(one),
    },
    after: [
      merge(one, { metadata: { finalizers: null } }),
      remove(`${PODS}/another`),
      ...beside.map(([to, object]) => remove(`${to}/${(object.metadata as { name: string }).name}`)),
    ],
  }
}

/** Objects that make the parts of a cluster work, each with many values. */
export const wideClusterCases: readonly WideCase[] = [...pods, ...workloads(), ...others].map(caseOf)
