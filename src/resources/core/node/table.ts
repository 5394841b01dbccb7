import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import type { ApiStruct } from '../checks.ts'

const ROLE_PREFIX = 'node-role.kubernetes.io/'

/** From labels `node-role.kubernetes.io/<role>` and `kubernetes.io/role=<role>`. */
function rolesOf(node: KubeObject): string {
  const roles = new Set<string>()
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX) && key.length > ROLE_PREFIX.length) roles.add(key.slice(ROLE_PREFIX.length))
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value)
  }
  return [...roles].sort().join(',') || '<none>'
}

function statusOf(node: KubeObject): string {
  const conditions: ApiStruct[] = node.status?.conditions ?? []
  const ready = conditions.findLast(({ type }) => type === 'Ready')
  const status = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return node.spec?.unschedulable ? `${status},SchedulingDisabled` : status
}

function addressOf(node: KubeObject, type: string): string {
  const addresses: ApiStruct[] = node.status?.addresses ?? []
  return addresses.find(address => address.type === type)?.address ?? '<none>'
}

export const nodeTable: TableDefinition = {
  columns: [
    nameColumn,
    column('Status', 'Whether the node is ready, and whether pods are scheduled on it.'),
    column('Roles', 'What its labels say it is for.'),
    ageColumn,
    column('Version', 'Version of its kubelet.'),
    column('Internal-IP', 'Address inside the cluster.', 1),
    column('External-IP', 'Address outside the cluster.', 1),
    column('OS-Image', 'Operating system, as the node reports it.', 1),
    column('Kernel-Version', 'Kernel, as the node reports it.', 1),
    column('Container-Runtime', 'Runtime and version.', 1),
  ],
  cells(node, now) {
    const info: ApiStruct = node.status?.nodeInfo ?? {}
    return [
      node.metadata.name ?? '',
      statusOf(node),
      rolesOf(node),
      age(node.metadata.creationTimestamp, now),
      info.kubeletVersion ?? '',
      addressOf(node, 'InternalIP'),
      addressOf(node, 'ExternalIP'),
      info.osImage || '<unknown>',
      info.kernelVersion || '<unknown>',
      info.containerRuntimeVersion || '<unknown>',
    ]
  },
}
