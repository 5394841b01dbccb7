import { escapeHtml } from '../../lib/escape-html.ts'
import { quote } from '../../lib/go-quote.ts'
import type { RequestAttributes, User } from '../../meta/context.ts'
import { forbiddenError, type StatusError } from '../../meta/status.ts'

/** 403 for a request that no authorizer allows, in upstream's words. */
export function forbidden(user: User, info: RequestAttributes, reason: string): StatusError {
  const text = escapeHtml(sentence(user, info))
  return forbiddenError({ group: info.group, resource: info.resource }, info.name, reason === '' ? text : `${text}: ${reason}`)
}

function sentence(user: User, info: RequestAttributes): string {
  if (!info.isResource) return `User ${quote(user.name)} cannot ${info.verb} path ${quote(info.path)}`
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`
  const what = `User ${quote(user.name)} cannot ${info.verb} resource ${quote(resource)} in API group ${quote(info.group)}`
  return info.namespace === '' ? `${what} at the cluster scope` : `${what} in the namespace ${quote(info.namespace)}`
}
