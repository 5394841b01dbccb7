import type { TypedObject } from '../../../api/meta/object.ts'
import type { RoleRef, Subject } from '../../../api/rbac/v1.types.ts'
import type { TableDefinition } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import { age } from '../../../meta/age.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { itemErrors } from '../../../meta/item-errors.ts'
import { nameIsDnsSubdomain, nameIsPathSegment } from '../../../meta/names.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { goValue } from '../../shared/go-values.ts'
import { RBAC_GROUP } from './version.ts'

/** A RoleBinding or a ClusterRoleBinding. */
interface AnyRoleBinding extends TypedObject {
  subjects?: Subject[]
  roleRef: RoleRef
}

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group']

/** Sets the API group of the role and of users and groups. Service accounts have the empty group. */
export function setBindingDefaults(binding: AnyRoleBinding): void {
  binding.roleRef.apiGroup ||= RBAC_GROUP
  for (const subject of binding.subjects ?? []) if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= RBAC_GROUP
}

/**
 * Validates a subject, whose API group follows from its kind. Only names of service accounts have a form. `namespaced`:
 * see `bindingStrategy`.
 */
function validateSubject(subject: Subject, namespaced: boolean, path: FieldPath): FieldError[] {
  const group = subject.apiGroup ?? ''
  const wants = (wanted: string): FieldError[] => (group === wanted ? [] : [notSupported(path.child('apiGroup'), group, [wanted])])
  const errors = subject.name ? [] : covered('', [required(path.child('name'))])
  switch (subject.kind) {
    case 'ServiceAccount':
      if (subject.name) errors.push(...nameIsDnsSubdomain(subject.name, false).map(text => invalid(path.child('name'), subject.name, text)))
      errors.push(...wants(''))
      if (!namespaced && !subject.namespace) errors.push(required(path.child('namespace')))
      return errors
    case 'User':
    case 'Group':
      return [...errors, ...wants(RBAC_GROUP)]
    default:
      return [...errors, notSupported(path.child('kind'), subject.kind, SUBJECT_KINDS)]
  }
}

/** Validates the role reference. The name may be any path segment. The role need not exist. */
function validateRoleRef({ apiGroup, kind, name }: RoleRef, kinds: readonly string[]): FieldError[] {
  const path = fieldPath('roleRef')
  return [
    ...(apiGroup === RBAC_GROUP ? [] : [notSupported(path.child('apiGroup'), apiGroup, [RBAC_GROUP])]),
    ...(kinds.includes(kind) ? [] : [notSupported(path.child('kind'), kind, kinds)]),
    ...(name
      ? nameIsPathSegment(name, false).map(text => invalid(path.child('name'), name, text))
      : covered('', [required(path.child('name'))])),
  ]
}

function* validateBinding(
  next: AnyRoleBinding,
  old: AnyRoleBinding | undefined,
  namespaced: boolean,
  kinds: readonly string[],
): Steps<FieldError[]> {
  const errors = [
    ...validateRoleRef(next.roleRef, kinds),
    ...(yield* itemErrors(next.subjects ?? [], fieldPath('subjects'), (subject, path) => validateSubject(subject, namespaced, path))),
  ]
  if (!old) return errors
  // Upstream validates an update as a create first, and reports the same errors again for the update.
  const same = (['apiGroup', 'kind', 'name'] as const).every(member => next.roleRef[member] === old.roleRef[member])
  return [...errors, ...errors, ...(same ? [] : [invalid(fieldPath('roleRef'), roleRefValue(next.roleRef), 'cannot change roleRef')])]
}

/** Prints the reference in Go's syntax. */
const roleRefValue = (ref: RoleRef) => goValue('rbac.RoleRef', ref)

/**
 * Strategy of bindings. With `namespaced` service account subjects may omit their namespace. `kinds` are the kinds of
 * roles that may be bound.
 */
export const bindingStrategy = (namespaced: boolean, kinds: readonly string[]): Strategy<AnyRoleBinding> => ({
  allowCreateOnUpdate: true,
  metaRounds: ['whole', 'whole', 'change'],
  validateName: nameIsPathSegment,
  validate: (next, old) => validateBinding(next, old, namespaced, kinds),
})

/** Prints the names of subjects of one kind, service accounts with their namespace. */
const subjectNames = (subjects: readonly Subject[] | undefined, kind: string): string =>
  (subjects ?? [])
    .filter(subject => subject.kind === kind)
    .map(({ namespace, name }) => (kind === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name))
    .join(', ')

export const bindingTable: TableDefinition<AnyRoleBinding> = {
  columns: [
    nameColumn,
    column('Role', 'Kind and name of the role.'),
    ageColumn,
    column('Users', 'Users that are subjects of the binding.', 1),
    column('Groups', 'Groups that are subjects of the binding.', 1),
    column('ServiceAccounts', 'Service accounts that are subjects of the binding.', 1),
  ],
  cells: ({ metadata, roleRef, subjects }, now) => [
    metadata.name ?? '',
    `${roleRef.kind}/${roleRef.name}`,
    age(metadata.creationTimestamp, now),
    subjectNames(subjects, 'User'),
    subjectNames(subjects, 'Group'),
    subjectNames(subjects, 'ServiceAccount'),
  ],
}
