import type { RequestInfo, User } from '../../meta/context.ts'
import { quote } from '../../meta/field-error.ts'
import { forbiddenError, type StatusError } from '../../meta/status.ts'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** 403 for a request that nobody allows, in upstream's words. */
export function forbidden(user: User, info: RequestInfo, reason: string): StatusError {
  const told = sentence(user, info).replace(/[&<>]/g, c => ENTITIES[c] ?? c)
  return forbiddenError({ group: info.group, resource: info.resource }, info.name, reason === '' ? told : `${told}: ${reason}`)
}

function sentence(user: User, info: RequestInfo): string {
  if (!info.isResource) return `User ${quote(user.name)} cannot ${info.verb} path ${quote(info.path)}`
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`
  const what = `User ${quote(user.name)} cannot ${info.verb} resource ${quote(resource)} in API group ${quote(info.group)}`
  return info.namespace === '' ? `${what} at the cluster scope` : `${what} in the namespace ${quote(info.namespace)}`
}
