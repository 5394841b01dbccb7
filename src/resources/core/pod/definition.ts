import type { Pod } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { DEFAULT_RELEASE } from '../../../lifecycle/release.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { bindingSubresource } from './binding.ts'
import { setGatedPodDefaults, setPodDefaults } from './defaults.ts'
import { ephemeralContainersStrategy } from './ephemeral-containers.ts'
import { evictionSubresource } from './eviction.ts'
import { logSubresource } from './log.ts'
import { podProxySubresource } from './proxy.ts'
import { resizeStrategy } from './resize.ts'
import { podStatusStrategy, podStrategy } from './strategy.ts'
import { attachSubresource, execSubresource, portForwardSubresource } from './streams.ts'
import { podTableIn } from './table.ts'

const v1: Version<Pod> = {
  group: '',
  name: 'v1',
  kind: 'Pod',
  names: { plural: 'pods', singular: 'pod', shortNames: ['po'] },
  categories: ['all'],
  verbs: STANDARD_VERBS,
  schema: types.type('core.Pod'),
  setDefaults: setPodDefaults,
  setGatedDefaults: setGatedPodDefaults,
  table: podTableIn(DEFAULT_RELEASE),
  tableIn: podTableIn,
  selectableSince: { 'spec.hostNetwork': '1.28' },
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec.hostNetwork ?? false),
    'status.phase': ({ status }) => status.phase ?? '',
    'status.podIP': ({ status }) => status.podIPs?.[0]?.ip ?? status.podIP ?? '',
    // The field may be selected by, but matches no pod.
    'status.podIPs': () => '',
    'status.nominatedNodeName': ({ status }) => status.nominatedNodeName ?? '',
  },
  // The name of the field in early releases.
  fieldAliases: { 'spec.host': 'spec.nodeName' },
  subresources: {
    attach: attachSubresource,
    binding: bindingSubresource,
    ephemeralcontainers: { verbs: STATUS_VERBS, strategy: ephemeralContainersStrategy },
    eviction: evictionSubresource,
    exec: execSubresource,
    log: logSubresource,
    portforward: portForwardSubresource,
    proxy: podProxySubresource,
    resize: { gate: 'InPlacePodVerticalScaling', verbs: STATUS_VERBS, strategy: resizeStrategy },
    status: { verbs: STATUS_VERBS, strategy: podStatusStrategy },
  },
}

/**
 * A group of containers on one node. In its spec only images, the deadline, additional tolerations and the removal of
 * gates are updatable; the subresources `resize`, `ephemeralcontainers` and `binding` change other fields. Deletion is
 * graceful. https://kubernetes.io/docs/concepts/workloads/pods/ Source of its rules: pkg/registry/core/pod.
 */
export const podResource = defineResource<Pod>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  // Every kubelet lists and watches the pods of its own node.
  storage: { prefix: 'pods', version: v1, indexedBy: { field: 'spec.nodeName', path: ['spec', 'nodeName'] } },
  strategy: podStrategy,
})
