import { quote } from '../lib/go-quote.ts'
import { formatMicroTime } from '../meta/time.ts'
import type { AuditEvent } from './event.ts'
import type { Stage } from './policy.ts'

/** An event in the one-line text of --audit-log-format=legacy, as kube-apiserver writes it. */
export function legacyText({ request, user, sourceIps, impersonated, reference, status, code }: AuditEvent, stage: Stage): string {
  const [ip = '<unknown>'] = sourceIps
  const groups = user === undefined || user.groups.length === 0 ? '<none>' : listed(user.groups)
  const fields: readonly (readonly [string, string])[] = [
    ['id', quote(request.auditId)],
    ['stage', quote(stage)],
    ['ip', quote(ip)],
    ['method', quote(request.info.verb)],
    ['user', quote(user?.name || '<none>')],
    // As upstream, texts that are quoted already are quoted once more.
    ['groups', quote(groups)],
    ['as', quote(impersonated?.name ?? '<self>')],
    ['asgroups', quote(impersonated ? listed(impersonated.groups) : '<lookup>')],
    ['user-agent', quote(request.userAgent)],
    ['namespace', quote(request.info.isResource && reference.namespace !== '' ? reference.namespace : '<none>')],
    ['uri', quote(request.uri)],
    ['response', `"${status === undefined && code === 0 ? '<deferred>' : code}"`],
  ]
  return `${shortened(formatMicroTime(request.receivedAt))} AUDIT: ${fields.map(([name, text]) => `${name}=${text}`).join(' ')}`
}

const listed = (texts: readonly string[]): string => texts.map(quote).join(',')

/** RFC 3339 with no more digits than there are, as Go prints nanoseconds. */
const shortened = (time: string): string => time.replace(/\.?0+Z$/, 'Z')
