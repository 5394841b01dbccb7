import type { PolicyRule } from '../../../api/rbac/v1.types.ts'
import type { RequestAttributes } from '../../../meta/context.ts'

const ALL = '*'

const names = (list: readonly string[] | null | undefined, value: string): boolean => !!list && (list.includes(ALL) || list.includes(value))

/** Matches `pods`, `pods/log`, `*\/log` or `*`. A rule for a resource does not include its subresources. */
function namesResource(resources: readonly string[] | undefined, { resource, subresource }: RequestAttributes): boolean {
  if (resources === undefined) return false
  if (subresource === '') return names(resources, resource)
  return names(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`)
}

/** Whether a path matches: literally, or by prefix if the owned path ends in `*`. */
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

/** Part of a rule that does not match a request. */
export type MissingPart = 'verb' | 'apiGroup' | 'resource' | 'name' | 'path'

/** Returns the parts of a rule that do not match the request, for display. Empty if the rule allows it. */
export function missingParts(rule: PolicyRule, info: RequestAttributes): MissingPart[] {
  const missing: MissingPart[] = names(rule.verbs, info.verb) ? [] : ['verb']
  if (!info.isResource) return rule.nonResourceURLs?.some(url => coversPath(url, info.path)) ? missing : [...missing, 'path']
  if (!namesResource(rule.resources, info)) return [...missing, 'resource']
  if (!names(rule.apiGroups, info.group)) missing.push('apiGroup')
  if ((rule.resourceNames?.length ?? 0) > 0 && !rule.resourceNames?.includes(info.name)) missing.push('name')
  return missing
}
