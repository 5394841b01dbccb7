import type { NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule, Subject } from '../api/flowcontrol/v1.types.ts'
import type { RequestInfo, User } from '../meta/context.ts'

const SERVICE_ACCOUNT = 'system:serviceaccount:'

/**
 * Reports whether a rule matches the operation of a request, regardless of its user. Called for every request, so it
 * creates no closures.
 */
export function matchesInfo({ resourceRules, nonResourceRules }: PolicyRulesWithSubjects, info: RequestInfo): boolean {
  if (info.isResource) {
    if (resourceRules !== undefined) for (const rule of resourceRules) if (matchesResource(rule, info)) return true
  } else if (nonResourceRules !== undefined) for (const rule of nonResourceRules) if (matchesPath(rule, info)) return true
  return false
}

/** Reports whether one of the subjects is the user. */
export const matchesSubjects = (subjects: readonly Subject[] | null, user: User): boolean =>
  subjects?.some(subject => matchesSubject(subject, user)) ?? false

/** A name `*` matches every user, group or account of the namespace. Subjects of unknown kinds match no user. */
function matchesSubject({ kind, user: wanted, group, serviceAccount }: Subject, user: User): boolean {
  switch (kind) {
    case 'User':
      return wanted !== undefined && (wanted.name === '*' || wanted.name === user.name)
    case 'Group':
      return group !== undefined && (group.name === '*' || user.groups.includes(group.name))
    case 'ServiceAccount':
      return serviceAccount !== undefined && matchesServiceAccount(serviceAccount.namespace, serviceAccount.name, user.name)
    default:
      return false
  }
}

function matchesServiceAccount(namespace: string, name: string, user: string): boolean {
  if (!user.startsWith(SERVICE_ACCOUNT)) return false
  const rest = SERVICE_ACCOUNT.length
  if (!user.startsWith(namespace, rest) || user[rest + namespace.length] !== ':') return false
  return name === '*' || user.slice(rest + namespace.length + 1) === name
}

function matchesResource({ verbs, resources, apiGroups, clusterScope, namespaces }: ResourcePolicyRule, info: RequestInfo): boolean {
  if (!hasValue(verbs, info.verb)) return false
  if (!isEvery(resources) && !resources?.includes(info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`))
    return false
  if (!hasValue(apiGroups, info.group)) return false
  return info.namespace === '' ? clusterScope === true : hasValue(namespaces, info.namespace)
}

const matchesPath = ({ verbs, nonResourceURLs }: NonResourcePolicyRule, { verb, path }: RequestInfo): boolean =>
  hasValue(verbs, verb) && (nonResourceURLs?.some(pattern => matchesPattern(pattern, path)) ?? false)

/** Reports whether a pattern matches a path. `/path/*` and `/path` both match every path below `/path`. */
function matchesPattern(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true
  const prefix = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern
  return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
}

/** Reports whether a list matches everything: only if `*` is its sole entry, as validation requires. */
const isEvery = (list: readonly string[] | null): boolean => list?.length === 1 && list[0] === '*'
const hasValue = (list: readonly string[] | null, value: string): boolean => list !== null && (isEvery(list) || list.includes(value))
