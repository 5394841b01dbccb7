import type { Node, NodeSystemInfo } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { DEFAULT_RELEASE, isSince, type Release } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { appendErrors } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { cidrWarnings } from '../../../meta/ip.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { keepMembers, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { setNodeDefaults } from './defaults.ts'
import { nodeProxySubresource } from './proxy.ts'
import { validateNode, validateNodeUpdate } from './validation.ts'

const REMOVED = 'the feature is removed'
const PLANNED = 'deprecated in v1.22, support removal is planned in v1.23'

const nodeStrategy: Strategy<Node> = {
  metaRounds: ['whole', 'change'],
  resetFields: STATUS_FIELDS,
  /**
   * A kubelet creates its node with a status. Dynamic kubelet configuration was removed: `config` is only kept on nodes
   * that already have it.
   */
  prepare(next, old) {
    if (old) keepMembers(next, old, 'status')
    else delete next.status.config
    if (old?.spec.configSource === undefined) delete next.spec.configSource
  },
  *validate(next, old, { features }) {
    const errors = yield* validateNode(next, features)
    return old ? appendErrors(errors, yield* validateNodeUpdate(next, old)) : errors
  },
  warnings(next, old, { features }) {
    const warnings: string[] = []
    const { podCIDRs: cidrs = [], configSource, externalID } = next.spec
    if (configSource) warnings.push(`spec.configSource: ${isSince(features.release, '1.26') ? REMOVED : PLANNED}`)
    if (externalID && isSince(features.release, '1.27'))
      warnings.push('spec.externalID: this field is deprecated, and is unused by Kubernetes')
    if (isSince(features.release, '1.33') && !deepEqual(cidrs, old?.spec.podCIDRs)) {
      for (const [i, cidr] of cidrs.entries()) warnings.push(...cidrWarnings(fieldPath('spec', 'podCIDRs').index(i), cidr))
    }
    return warnings
  },
}

/** Writes to `status` keep the spec, and may set status.config only if the old status has it. */
const nodeStatusStrategy: Strategy<Node> = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (!old) return
    keepMembers(next, old, 'spec')
    if (old.status.config === undefined) delete next.status.config
  },
  validate: (next, old) => (old ? validateNodeUpdate(next, old) : []),
}

const ROLE_PREFIX = 'node-role.kubernetes.io/'

/** Roles of a node, from the labels `node-role.kubernetes.io/<role>` and `kubernetes.io/role=<role>`. */
function rolesOf(node: Node): string {
  const roles = new Set<string>()
  const { labels = {} } = node.metadata
  // Creating the pairs of many entries takes longer than listing the keys.
  for (const key of Object.keys(labels)) {
    if (key.startsWith(ROLE_PREFIX) && key.length > ROLE_PREFIX.length) roles.add(key.slice(ROLE_PREFIX.length))
    else if (key === 'kubernetes.io/role' && labels[key]) roles.add(labels[key])
  }
  return [...roles].sort().join(',') || '<none>'
}

/**
 * Prints `Unknown` if there is no Ready condition. If there are several, the last one counts. A cordoned node also
 * shows `SchedulingDisabled`.
 */
function nodeStatusText(node: Node): string {
  const ready = node.status.conditions?.findLast(({ type }) => type === 'Ready')
  const status = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return node.spec.unschedulable ? `${status},SchedulingDisabled` : status
}

/** Returns the first address of the given type. */
function addressOf(node: Node, type: string): string {
  return node.status.addresses?.find(address => address.type === type)?.address ?? '<none>'
}

/** Kernel version. Since 1.36 the architecture is included. */
const kernelCell = ({ kernelVersion, architecture }: NodeSystemInfo, namesArchitecture: boolean): string =>
  `${kernelVersion || '<unknown>'}${namesArchitecture && architecture ? ` (${architecture})` : ''}`

const nodeTableIn = (release: Release): TableDefinition<Node> => ({
  columns: [
    nameColumn,
    column('Status', 'Whether the node is ready, and whether it is schedulable.'),
    column('Roles', 'Roles of the node, from its labels.'),
    ageColumn,
    column('Version', 'Version of the kubelet.'),
    column('Internal-IP', 'Address inside the cluster.', 1),
    column('External-IP', 'Address outside the cluster.', 1),
    column('OS-Image', 'Operating system image that the node reports.', 1),
    column('Kernel-Version', 'Kernel version that the node reports.', 1),
    column('Container-Runtime', 'Container runtime and its version.', 1),
  ],
  cells(node, now) {
    const info = node.status.nodeInfo
    return [
      node.metadata.name ?? '',
      nodeStatusText(node),
      rolesOf(node),
      age(node.metadata.creationTimestamp, now),
      info.kubeletVersion,
      addressOf(node, 'InternalIP'),
      addressOf(node, 'ExternalIP'),
      info.osImage || '<unknown>',
      kernelCell(info, isSince(release, '1.36')),
      info.containerRuntimeVersion || '<unknown>',
    ]
  },
})

const v1: Version<Node> = {
  group: '',
  name: 'v1',
  kind: 'Node',
  names: { plural: 'nodes', singular: 'node', shortNames: ['no'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.Node'),
  setDefaults: setNodeDefaults,
  table: nodeTableIn(DEFAULT_RELEASE),
  tableIn: nodeTableIn,
  selectableFields: { 'spec.unschedulable': node => String(node.spec.unschedulable === true) },
  subresources: { proxy: nodeProxySubresource, status: { verbs: STATUS_VERBS, strategy: nodeStatusStrategy } },
}

/**
 * A machine of the cluster. Stored below `minions`, its original name. Its proxy reaches the kubelet.
 * https://kubernetes.io/docs/concepts/architecture/nodes/
 * Source of its rules: pkg/registry/core/node.
 */
export const nodeResource = defineResource<Node>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'minions', version: v1 },
  strategy: nodeStrategy,
})
