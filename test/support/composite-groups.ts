import type { Manifest } from '../../src/testing/types.ts'

/** Flags of a cluster of 1.37 that schedules trees of groups. */
export const compositeFlags = {
  profile: 'cluster',
  controllers: ['scheduler'],
  'disable-admission-plugins': ['ServiceAccount', 'TaintNodesByCondition', 'DefaultTolerationSeconds'],
  'emulated-version': '1.37',
  'feature-gates': 'GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true',
  'runtime-config': 'scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true',
}

/** Parts of a group of a tree. */
interface GroupParts {
  readonly parent?: string
  /** Optional. Minimum of a gang. Default: the basic policy. */
  readonly minimum?: number
  /** Optional. Label of nodes in whose values the pods of the group agree. */
  readonly topology?: string
  /** Optional. Whether preemption takes all of the group. */
  readonly isWhole?: boolean
  readonly priorityClassName?: string
}

const specOf = ({ parent, minimum, topology, isWhole, priorityClassName }: GroupParts, member: string): object => ({
  ...(parent && { parentCompositePodGroupName: parent }),
  workloadRef: { workloadName: 'job', templateName: 'template' },
  schedulingPolicy: minimum === undefined ? { basic: {} } : { gang: { [member]: minimum } },
  ...(topology && { schedulingConstraints: { topology: [{ key: topology }] } }),
  ...(isWhole && { disruptionMode: { all: {} } }),
  ...(priorityClassName && { priorityClassName }),
})

export const groupOf = (name: string, parts: GroupParts): Manifest =>
  ({
    apiVersion: 'scheduling.k8s.io/v1beta1',
    kind: 'PodGroup',
    metadata: { name, namespace: 'default' },
    spec: specOf(parts, 'minCount'),
  }) as Manifest

export const compositeOf = (name: string, parts: GroupParts): Manifest =>
  ({
    apiVersion: 'scheduling.k8s.io/v1alpha3',
    kind: 'CompositePodGroup',
    metadata: { name, namespace: 'default' },
    spec: specOf(parts, 'minGroupCount'),
  }) as Manifest

export const podIn = (group: string, name: string, cpu = '1', spec: object = {}): Manifest & { spec: object } =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu } } }],
      schedulingGroup: { podGroupName: group },
      ...spec,
    },
  }) as Manifest & { spec: object }

export const priorityClass = (name: string, value: number): Manifest =>
  ({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value }) as Manifest
