import type { AuditedBody } from '../meta/audit.ts'
import type { User } from '../meta/context.ts'
import { formatMicroTime } from '../meta/time.ts'
import { goJson, writeString } from '../schema/json-text.ts'
import type { AuditEvent } from './event.ts'
import type { Stage } from './policy.ts'
import { listMember, member, statusMembers, struct } from './status-text.ts'

/** Characters of a user agent that are logged. */
const LONGEST_AGENT = 1024

/** First members of every event. */
export const JSON_TYPE = '"kind":"Event","apiVersion":"audit.k8s.io/v1"'

const TRUNCATED = ['audit.k8s.io/truncated', 'true'] as const

/**
 * Returns an event at a stage as Go writes an audit.k8s.io/v1 Event: strings and bodies, to be concatenated. `at`:
 * milliseconds since the epoch.
 */
export function jsonPieces(event: AuditEvent, stage: Stage, at: number): (string | AuditedBody)[] {
  const { requestBody, responseBody, annotations } = event
  return [
    headText(event, stage),
    ...(requestBody === undefined ? [] : [',"requestObject":', requestBody]),
    ...(responseBody === undefined ? [] : [',"responseObject":', responseBody]),
    tailText(event, at, annotations),
  ]
}

/** Returns the event without objects, for a target whose limit it exceeds. */
export const truncatedPieces = (event: AuditEvent, stage: Stage, at: number): string[] => [
  headText(event, stage),
  tailText(event, at, new Map([...event.annotations, TRUNCATED])),
]

/** The members before the objects, in the order of upstream's type. Absent ones are omitted. */
function headText(event: AuditEvent, stage: Stage): string {
  const { request, audited, user, impersonated } = event
  const agent = request.userAgent
  return [
    `{${JSON_TYPE}`,
    `"level":"${audited.level}"`,
    `"auditID":${writeString(request.auditId)}`,
    `"stage":"${stage}"`,
    `"requestURI":${writeString(request.uri)}`,
    `"verb":${writeString(request.info.verb)}`,
    `"user":${user === undefined ? '{}' : userText(user)}`,
    ...(impersonated ? [`"impersonatedUser":${userText(impersonated)}`] : []),
    ...(event.impersonationConstraint
      ? [`"authenticationMetadata":${struct(member('impersonationConstraint', event.impersonationConstraint))}`]
      : []),
    ...listMember('sourceIPs', event.sourceIps),
    ...member('userAgent', agent.length > LONGEST_AGENT ? `${agent.slice(0, LONGEST_AGENT)}...TRUNCATED` : agent),
    ...referenceMember(event),
    ...statusMember(event),
  ].join(',')
}

function tailText({ request }: AuditEvent, at: number, annotations: ReadonlyMap<string, string>): string {
  const times = `"requestReceivedTimestamp":"${formatMicroTime(request.receivedAt)}","stageTimestamp":"${formatMicroTime(at)}"`
  const notes = annotations.size === 0 ? '' : `,"annotations":${goJson(Object.fromEntries(annotations))}`
  return `,${times}${notes}}`
}

/** authentication.k8s.io/v1 UserInfo. */
function userText({ name, uid, groups, extra = {} }: User): string {
  const extras =
    Object.keys(extra).length === 0
      ? []
      : [`"extra":${goJson(Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])))}`]
  return struct(member('username', name), member('uid', uid), listMember('groups', groups), extras)
}

/** The member objectRef, which requests for paths do not have. */
function referenceMember({ request: { info }, reference }: AuditEvent): string[] {
  if (!info.isResource) return []
  const text = struct(
    member('resource', info.resource),
    member('namespace', reference.namespace),
    member('name', reference.name),
    member('uid', reference.uid),
    member('apiGroup', info.group),
    member('apiVersion', info.version),
    member('resourceVersion', reference.resourceVersion),
    member('subresource', info.subresource),
  )
  return [`"objectRef":${text}`]
}

function statusMember({ status, code }: AuditEvent): string[] {
  const answered = code || status?.code
  return answered || status ? [`"responseStatus":${struct(statusMembers(status ?? {}, answered))}`] : []
}
