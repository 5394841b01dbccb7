import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { qualifiedResource } from '../../../meta/gvk.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { nameIsAddress, validateIPAddress } from './validation.ts'

/** `services/default/web`, `myresource.mygroup.example.com/ns/name` */
function parentCell(object: KubeObject): string {
  const parent = object.spec?.parentRef
  if (!parent) return '<none>'
  const resource = qualifiedResource({ group: parent.group ?? '', resource: parent.resource ?? '' }).toLowerCase()
  return [resource, ...(parent.namespace ? [parent.namespace] : []), parent.name ?? ''].join('/')
}

/** The row has an age that no column names, as upstream's. */
const table: TableDefinition = {
  columns: [nameColumn, column('ParentRef', 'The object that has the address.')],
  cells: (object, now) => [object.metadata.name ?? '', parentCell(object), age(object.metadata.creationTimestamp, now)],
}

const v1: Version = {
  group: 'networking.k8s.io',
  name: 'v1',
  kind: 'IPAddress',
  names: { plural: 'ipaddresses', singular: 'ipaddress', shortNames: ['ip'] },
  verbs: STANDARD_VERBS,
  schema: types.type('networking.IPAddress'),
  table,
}

/** Differs from v1 in nothing but its name, and is the one that release 1.33 stores. */
const v1beta1: Version = { ...v1, name: 'v1beta1', schema: types.type('networkingV1beta1.IPAddress') }

export const ipAddressResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1, v1beta1],
  home: v1,
  storage: { prefix: 'ipaddresses', version: v1beta1 },
  strategy: { validateName: nameIsAddress, validate: validateIPAddress },
}
