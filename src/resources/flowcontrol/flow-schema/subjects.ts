import { ownMember } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'

type ApiStruct = KubeObject['spec']

/** Kinds of subjects, and the members that say who. */
const MEMBERS: Readonly<Record<string, string>> = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' }
/** Of the members that do not belong to a kind, upstream tells the first kind's first. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  ServiceAccount: ['User', 'Group'],
  User: ['ServiceAccount', 'Group'],
  Group: ['ServiceAccount', 'User'],
}

function validateAccount({ name, namespace }: ApiStruct, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (!name) errors.push(required(path.child('name')))
  else if (name !== '*') errors.push(...nameIsDnsSubdomain(name, false).map(text => invalid(path.child('name'), name, text)))
  if (!namespace) return [...errors, required(path.child('namespace'), 'must specify namespace for service account')]
  return [...errors, ...nameIsDnsLabel(namespace, false).map(text => invalid(path.child('namespace'), namespace, text))]
}

export function validateSubject(subject: ApiStruct, path: FieldPath): FieldError[] {
  const kind: string = subject.kind ?? ''
  const member = ownMember(MEMBERS, kind)
  if (member === undefined) return [notSupported(path.child('kind'), kind, ['Group', 'ServiceAccount', 'User'])]
  const who = subject[member]
  const at = path.child(member)
  const errors: FieldError[] = []
  if (!who) errors.push(required(at, `${member} is required when subject kind is '${kind}'`))
  else if (kind === 'ServiceAccount') errors.push(...validateAccount(who, at))
  else if (!who.name) errors.push(required(at.child('name')))
  for (const other of OTHERS[kind] ?? []) {
    const stranger = MEMBERS[other] ?? ''
    if (subject[stranger]) errors.push(forbidden(path.child(stranger), `${stranger} is forbidden when subject kind is not '${other}'`))
  }
  return errors
}
