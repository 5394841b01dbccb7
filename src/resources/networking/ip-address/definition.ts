import type { IPAddress, ParentReference } from '../../../api/networking/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { age } from '../../../meta/age.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { covered, type FieldError, immutableError, invalid, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { qualifiedResource } from '../../../meta/gvk.ts'
import { validateIpStrict } from '../../../meta/ip.ts'
import { isDns1123Subdomain, nameIsPathSegment, type ValidateName } from '../../../meta/names.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { goValue } from '../../shared/go-values.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'

/** Checks that the name is an address in canonical form. */
const nameIsAddress: ValidateName = name =>
  // Name checks return details only, so reason and value are removed from the message.
  validateIpStrict(fieldPath(), name).map(error => error.body.slice(error.body.indexOf(': ', 'Invalid value: '.length) + 2))

/** Checks a path segment. An empty value is accepted here; the caller reports required ones. */
const segment = (value: string | undefined, path: FieldPath): FieldError[] =>
  value ? nameIsPathSegment(value, false).map(text => invalid(path, value, text)) : []

/** Validates parentRef, which is required and has `resource` and `name`. An empty group is the core group. */
function validateParent(parent: ParentReference | undefined, path: FieldPath): FieldError[] {
  if (!parent) return covered('', [required(path)])
  const { group, resource, name, namespace } = parent
  return [
    ...(group ? isDns1123Subdomain(group).map(text => invalid(path.child('group'), group, text)) : []),
    ...(resource ? segment(resource, path.child('resource')) : covered('', [required(path.child('resource'))])),
    ...(name ? segment(name, path.child('name')) : covered('', [required(path.child('name'))])),
    ...segment(namespace, path.child('namespace')),
  ]
}

/** Validates an IPAddress. parentRef is immutable. Source: pkg/apis/networking/validation in k8s.io/kubernetes. */
function validateIPAddress(next: IPAddress, old: IPAddress | undefined): FieldError[] {
  const path = fieldPath('spec', 'parentRef')
  const parent = next.spec.parentRef
  const errors = validateParent(parent, path)
  if (!old || deepEqual(parent, old.spec.parentRef)) return errors
  return [...errors, ...covered('immutable', [immutableError(path, parent && goValue('networking.ParentReference', parent))])]
}

/** Prints a parent as `services/default/web` or `myresource.mygroup.example.com/ns/name`. */
function parentCell(parent: ParentReference | undefined): string {
  if (!parent) return '<none>'
  const resource = qualifiedResource({ group: parent.group ?? '', resource: parent.resource ?? '' }).toLowerCase()
  return [resource, ...(parent.namespace ? [parent.namespace] : []), parent.name ?? ''].join('/')
}

/** Rows contain an age without a column for it, as in upstream. */
const table: TableDefinition<IPAddress> = {
  columns: [nameColumn, column('ParentRef', 'Object that uses the address.')],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', parentCell(spec.parentRef), age(metadata.creationTimestamp, now)],
}

const v1: Version<IPAddress> = {
  group: 'networking.k8s.io',
  name: 'v1',
  kind: 'IPAddress',
  names: { plural: 'ipaddresses', singular: 'ipaddress', shortNames: ['ip'] },
  verbs: STANDARD_VERBS,
  schema: types.type('networking.IPAddress'),
  table,
}

/** Differs from v1 only in name. Release 1.33 stores this version. */
const v1beta1: Version<IPAddress> = { ...v1, name: 'v1beta1', schema: types.type('networkingV1beta1.IPAddress') }

/** The version that releases before 1.31 serve and store. */
const v1alpha1: Version<IPAddress> = { ...v1, name: 'v1alpha1', schema: types.type('networkingV1alpha1.IPAddress') }

/**
 * A cluster IP that is in use. Its name is the canonical form of the address, so no two services can have the same one.
 * core/service/allocation/cluster-ips.ts creates and deletes it. Source of its rules:
 * pkg/registry/networking/ipaddress.
 */
export const ipAddressResource = defineResource<IPAddress>({
  scope: 'Cluster',
  versions: [v1, v1beta1, v1alpha1],
  hub: v1,
  storage: { prefix: 'ipaddresses', version: v1beta1 },
  neededByServer: true,
  strategy: { metaRounds: ['whole', 'change'], validateName: nameIsAddress, validate: validateIPAddress },
})
