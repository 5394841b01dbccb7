import type { ServiceAccountSubject, Subject } from '../../../api/flowcontrol/v1.types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../../meta/names.ts'

/** Kinds of subjects, and their members. */
const MEMBERS = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' } as const
type Kind = keyof typeof MEMBERS

const isKind = (kind: string): kind is Kind => Object.hasOwn(MEMBERS, kind)

/** Order in which upstream reports members of other kinds. */
const OTHERS: Readonly<Record<Kind, readonly Kind[]>> = {
  ServiceAccount: ['User', 'Group'],
  User: ['ServiceAccount', 'Group'],
  Group: ['ServiceAccount', 'User'],
}

/** Validates a service account. The name may be `*`, for all accounts of the namespace. The namespace may not. */
function validateAccount({ name, namespace }: ServiceAccountSubject, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (!name) errors.push(required(path.child('name')))
  else if (name !== '*') errors.push(...nameIsDnsSubdomain(name, false).map(text => invalid(path.child('name'), name, text)))
  if (!namespace) return [...errors, required(path.child('namespace'), 'must specify namespace for service account')]
  return [...errors, ...nameIsDnsLabel(namespace, false).map(text => invalid(path.child('namespace'), namespace, text))]
}

/** Checks that the member of the kind is set and has a name. Names of users and groups are arbitrary. */
function validateWho(kind: Kind, { user, group, serviceAccount }: Subject, path: FieldPath): FieldError[] {
  const at = path.child(MEMBERS[kind])
  const who = { User: user, Group: group, ServiceAccount: serviceAccount }[kind]
  if (!who) return [required(at, `${MEMBERS[kind]} is required when subject kind is '${kind}'`)]
  if (kind === 'ServiceAccount' && serviceAccount) return validateAccount(serviceAccount, at)
  return who.name ? [] : [required(at.child('name'))]
}

/** Validates a subject. Only the member of its kind is set: user, group or service account. `*` matches all. */
export function validateSubject(subject: Subject, path: FieldPath): FieldError[] {
  const { kind } = subject
  if (!isKind(kind)) return [notSupported(path.child('kind'), kind, ['Group', 'ServiceAccount', 'User'])]
  const strangers = OTHERS[kind].filter(other => subject[MEMBERS[other]])
  return [
    ...validateWho(kind, subject, path),
    ...strangers.map(other => forbidden(path.child(MEMBERS[other]), `${MEMBERS[other]} is forbidden when subject kind is not '${other}'`)),
  ]
}
