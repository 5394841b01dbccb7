import type { ResourceDefinition, Version, VirtualCall } from '../../../catalog/definition.ts'
import { FieldMatcher } from '../../../meta/field-selector.ts'
import { matchesLabels } from '../../../meta/label-selector.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { notFoundError } from '../../../meta/status.ts'
import { column, nameColumn } from '../../columns.ts'
import { types } from '../../types.ts'
import type { ApiStruct } from '../checks.ts'

const v1: Version = {
  group: '',
  name: 'v1',
  kind: 'ComponentStatus',
  names: { plural: 'componentstatuses', singular: 'componentstatus', shortNames: ['cs'] },
  verbs: ['get', 'list'],
  schema: types.type('core.ComponentStatus'),
  table: {
    columns: [
      nameColumn,
      column('Status', 'Healthy or not.'),
      column('Message', 'What the component says of itself.'),
      column('Error', 'Why it could not be asked.'),
    ],
    cells({ metadata, conditions = [] }) {
      const healthy: ApiStruct | undefined = conditions.find(({ type }: ApiStruct) => type === 'Healthy')
      const status = healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy'
      return [metadata.name ?? '', status, healthy?.message ?? '', healthy?.error ?? '']
    },
  },
}

/** The store is the one component that is known here; schedulers and controller managers are programs of their own, wherever they run. */
async function askStore({ api }: VirtualCall): Promise<KubeObject> {
  const answer = (status: 'True' | 'False', told: { message?: string; error?: string }): KubeObject => ({
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name: 'etcd-0', creationTimestamp: null },
    conditions: [{ type: 'Healthy', status, ...told }],
  })
  try {
    await api.get({ group: '', resource: 'namespaces' }, '', 'kube-system')
    return answer('True', { message: 'ok' })
  } catch (error) {
    return (error as { code?: number }).code === 404 ? answer('True', { message: 'ok' }) : answer('False', { error: (error as Error).message })
  }
}

const isSelected = ({ selection }: VirtualCall, { metadata }: KubeObject): boolean =>
  selection === undefined ||
  (matchesLabels(selection.labels, metadata.labels) &&
    new FieldMatcher(selection.fields).matches(field => (field === 'metadata.name' ? (metadata.name ?? '') : '')))

export const componentStatusResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1],
  home: v1,
  virtual: {
    async call(call) {
      if (call.verb === 'get' && call.name !== 'etcd-0') throw notFoundError({ group: '', resource: 'componentstatuses' }, call.name)
      const store = await askStore(call)
      if (call.verb === 'get') return { code: 200, object: store }
      const { kind: _kind, apiVersion: _apiVersion, ...item } = store
      const items = isSelected(call, store) ? [item] : []
      return { code: 200, object: { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items } as KubeObject }
    },
  },
}
