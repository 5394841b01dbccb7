import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { ServiceAccountSubject, Subject } from '../v1.types.ts'

/** Kinds of subjects, and the members that say who. */
const MEMBERS = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' } as const
type Kind = keyof typeof MEMBERS

const isKind = (kind: string): kind is Kind => Object.hasOwn(MEMBERS, kind)

/** The order in which upstream reports members that do not belong to a kind. */
const OTHERS: Readonly<Record<Kind, readonly Kind[]>> = {
  ServiceAccount: ['User', 'Group'],
  User: ['ServiceAccount', 'Group'],
  Group: ['ServiceAccount', 'User'],
}

/** The name may be `*`, for all accounts of the namespace. The namespace may not. */
function validateAccount({ name, namespace }: ServiceAccountSubject, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (!name) errors.push(required(path.child('name')))
  else if (name !== '*') errors.push(...nameIsDnsSubdomain(name, false).map(text => invalid(path.child('name'), name, text)))
  if (!namespace) return [...errors, required(path.child('namespace'), 'must specify namespace for service account')]
  return [...errors, ...nameIsDnsLabel(namespace, false).map(text => invalid(path.child('namespace'), namespace, text))]
}

/** The member of the kind is required, and in it a name. Names of users and groups are any text. */
function validateWho(kind: Kind, { user, group, serviceAccount }: Subject, path: FieldPath): FieldError[] {
  const at = path.child(MEMBERS[kind])
  const who = { User: user, Group: group, ServiceAccount: serviceAccount }[kind]
  if (!who) return [required(at, `${MEMBERS[kind]} is required when subject kind is '${kind}'`)]
  if (kind === 'ServiceAccount' && serviceAccount) return validateAccount(serviceAccount, at)
  return who.name ? [] : [required(at.child('name'))]
}

/** Exactly the member of its kind is set: a user, a group or a service account. `*` stands for all. */
export function validateSubject(subject: Subject, path: FieldPath): FieldError[] {
  const { kind } = subject
  if (!isKind(kind)) return [notSupported(path.child('kind'), kind, ['Group', 'ServiceAccount', 'User'])]
  const strangers = OTHERS[kind].filter(other => subject[MEMBERS[other]])
  return [
    ...validateWho(kind, subject, path),
    ...strangers.map(other => forbidden(path.child(MEMBERS[other]), `${MEMBERS[other]} is forbidden when subject kind is not '${other}'`)),
  ]
}
