import type { ComponentStatus } from '../../../api/core/v1.types.ts'
import { defineResource, getKind } from '../../../catalog/define.ts'
import type { ResourceDefinition, Version, VirtualCall } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { Release } from '../../../lifecycle/release.ts'
import { uncreated } from '../../../lifecycle/uncreated.ts'
import { FieldMatcher } from '../../../meta/field-selector.ts'
import { matchesLabels } from '../../../meta/label-selector.ts'
import { failure, isStatusError } from '../../../meta/status.ts'
import { NAMESPACES } from '../../kinds.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { checkHealth, type Health } from './check-health.ts'
import { checkMember } from './check-member.ts'

const v1: Version<ComponentStatus> = {
  group: '',
  name: 'v1',
  kind: 'ComponentStatus',
  names: { plural: 'componentstatuses', singular: 'componentstatus', shortNames: ['cs'] },
  verbs: ['get', 'list'],
  schema: types.type('core.ComponentStatus'),
  table: {
    columns: [
      nameColumn,
      column('Status', 'Healthy or Unhealthy.'),
      column('Message', 'Response of the health check.'),
      column('Error', 'Error of the health check.'),
    ],
    cells({ metadata, conditions = [] }) {
      const healthy = conditions.find(({ type }) => type === 'Healthy')
      const status = healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy'
      return [metadata.name ?? '', status, healthy?.message ?? '', healthy?.error ?? '']
    },
  },
}

/** Components that run as programs of their own, and the ports on which they serve /healthz. */
const PORTS: ReadonlyMap<string, number> = new Map([
  ['controller-manager', 10257],
  ['scheduler', 10259],
])
const memberName = (index: number): string => `etcd-${index}`

/** Creates a ComponentStatus. Its metadata is filled in when it is returned, since releases differ in it. */
const componentStatusOf = (name: string, isHealthy: boolean, details: { message?: string; error?: string }): ComponentStatus => ({
  kind: 'ComponentStatus',
  apiVersion: 'v1',
  metadata: { name },
  conditions: [{ type: 'Healthy', status: isHealthy ? 'True' : 'False', ...details }],
})

/** Checks the store by reading a namespace through this server. A NotFound error also shows that the store works. */
async function askStore(name: string, { api }: VirtualCall<ComponentStatus>): Promise<ComponentStatus> {
  try {
    await getKind(api, NAMESPACES, '', 'kube-system')
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) return componentStatusOf(name, false, { error: errorMessage(error) })
  }
  return componentStatusOf(name, true, { message: 'ok' })
}

/** Reports whether the object matches the label selector and metadata.name. Any other field counts as empty. */
const isSelected = ({ selection }: VirtualCall<ComponentStatus>, { metadata }: ComponentStatus): boolean =>
  selection === undefined ||
  (matchesLabels(selection.labels, metadata.labels) &&
    new FieldMatcher(selection.fields).matches(field => (field === 'metadata.name' ? (metadata.name ?? '') : '')))

/** Health checks of the components. */
export interface ComponentChecks {
  health(port: number, signal: AbortSignal): Promise<Health>
  /** Connects to a member of etcd at its `host:port` or `unix:path`. */
  member(address: string, signal: AbortSignal): Promise<void>
}

/** `etcdServers` lists the addresses of the members. It is empty if the store runs in this process. */
export function componentStatuses(
  release: Release,
  etcdServers: readonly string[] = [],
  checks: ComponentChecks = { health: checkHealth, member: checkMember },
): ResourceDefinition {
  const members = new Map(
    etcdServers.length === 0 ? [[memberName(0), undefined]] : etcdServers.map((address, i) => [memberName(i), address]),
  )
  const askMember = async (name: string, call: VirtualCall<ComponentStatus>): Promise<ComponentStatus> => {
    const address = members.get(name)
    try {
      if (address !== undefined) await checks.member(address, call.ctx.signal)
    } catch (error) {
      return componentStatusOf(name, false, { error: errorMessage(error) })
    }
    return askStore(name, call)
  }
  const askPart = async (name: string, call: VirtualCall<ComponentStatus>): Promise<ComponentStatus> => {
    const port = PORTS.get(name)
    if (port === undefined) return askMember(name, call)
    const { isHealthy, message } = await checks.health(port, call.ctx.signal)
    return componentStatusOf(name, isHealthy, { message })
  }
  const ask = async (name: string, call: VirtualCall<ComponentStatus>): Promise<ComponentStatus> => {
    const { metadata, ...status } = await askPart(name, call)
    return { ...status, metadata: { ...metadata, ...uncreated(release) } }
  }
  const names = [...PORTS.keys(), ...members.keys()]
  return defineResource<ComponentStatus>({
    scope: 'Cluster',
    versions: [v1],
    hub: v1,
    virtual: {
      async call(call) {
        if (call.verb === 'get') {
          // Upstream returns a plain error here, which becomes a 500.
          if (!names.includes(call.name)) throw failure(500, '', `Component not found: ${call.name}`)
          return { code: 200, object: await ask(call.name, call) }
        }
        const all = await Promise.all(names.map(name => ask(name, call)))
        const items = all.filter(one => isSelected(call, one)).map(({ kind: _kind, apiVersion: _apiVersion, ...item }) => item)
        return { items }
      },
    },
  })
}
