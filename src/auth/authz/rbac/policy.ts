import type { RequestAttributes } from '../../../meta/context.ts'

/** rbac.authorization.k8s.io/v1 PolicyRule: allows every combination of what its lists name. */
export type PolicyRule = {
  verbs: string[] | null
  apiGroups?: string[]
  resources?: string[]
  resourceNames?: string[]
  nonResourceURLs?: string[]
}

/** rbac.authorization.k8s.io/v1 Subject. */
export type Subject = {
  kind: string
  apiGroup?: string
  name: string
  namespace?: string
}

/** rbac.authorization.k8s.io/v1 RoleRef. */
export type RoleRef = {
  apiGroup: string
  kind: string
  name: string
}

const ALL = '*'

const names = (list: readonly string[] | null | undefined, value: string): boolean => !!list && (list.includes(ALL) || list.includes(value))

/** `pods`, `pods/log`, `*\/log`, `*`; a rule for a resource says nothing of its subresources. */
function namesResource(resources: readonly string[] | undefined, { resource, subresource }: RequestAttributes): boolean {
  if (resources === undefined) return false
  if (subresource === '') return names(resources, resource)
  return names(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`)
}

/** Whether a path is one of these: the path itself, or what begins as one that ends in a star. */
export function coversPath(owned: string, path: string): boolean {
  if (owned === path || !owned.endsWith(ALL)) return owned === path
  let end = owned.length
  while (owned[end - 1] === ALL) end--
  return path.startsWith(owned.slice(0, end))
}

/** Whether the rule allows the request. */
export function ruleAllows(rule: PolicyRule, info: RequestAttributes): boolean {
  if (!names(rule.verbs, info.verb)) return false
  if (!info.isResource) return rule.nonResourceURLs?.some(url => coversPath(url, info.path)) ?? false
  return (
    names(rule.apiGroups, info.group) &&
    namesResource(rule.resources, info) &&
    ((rule.resourceNames?.length ?? 0) === 0 || (rule.resourceNames ?? []).includes(info.name))
  )
}

/** A part of a rule that does not fit a request. */
export type MissingPart = 'verb' | 'apiGroup' | 'resource' | 'name' | 'path'

/** Which parts of a rule do not fit the request: none where the rule allows it. For showing. */
export function missingParts(rule: PolicyRule, info: RequestAttributes): MissingPart[] {
  const missing: MissingPart[] = names(rule.verbs, info.verb) ? [] : ['verb']
  if (!info.isResource) return rule.nonResourceURLs?.some(url => coversPath(url, info.path)) ? missing : [...missing, 'path']
  if (!namesResource(rule.resources, info)) return [...missing, 'resource']
  if (!names(rule.apiGroups, info.group)) missing.push('apiGroup')
  if ((rule.resourceNames?.length ?? 0) > 0 && !rule.resourceNames?.includes(info.name)) missing.push('name')
  return missing
}
