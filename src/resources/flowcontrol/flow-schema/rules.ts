import type { NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule } from '../../../api/flowcontrol/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { itemErrors } from '../../../meta/item-errors.ts'
import { nameIsDnsLabel } from '../../../meta/names.ts'
import { starStandsAlone } from '../../shared/word-lists.ts'
import { validateSubject } from './subjects.ts'

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']

/** Validates verbs. `*` must be the only one. An unknown verb is one error for the whole list. */
function validateVerbs(verbs: readonly string[], path: FieldPath): FieldError[] {
  if (verbs.length === 0) return [required(path, 'verbs must contain at least one value')]
  if (verbs.includes('*')) return starStandsAlone(verbs, path, 'verbs')
  return verbs.every(verb => VERBS.includes(verb)) ? [] : [notSupported(path, verbs, VERBS)]
}

/** Returns the fault of a path, or undefined. `*` may only be the last segment; the caller handles a single `*`. */
function pathFault(url: string): string | undefined {
  if (url === '') return 'must not be empty'
  if (url === '/') return undefined
  if (!url.startsWith('/')) return 'must start with slash'
  if (url.includes(' ')) return 'must not contain white-space'
  if (url.includes('//')) return 'must not contain double slash'
  const stars = url.split('*').length - 1
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined
}

function* validatePathRule({ verbs, nonResourceURLs }: NonResourcePolicyRule, path: FieldPath): Steps<FieldError[]> {
  const errors = validateVerbs(verbs ?? [], path.child('verbs'))
  const urls = nonResourceURLs ?? []
  const at = path.child('nonResourceURLs')
  if (urls.length === 0) return [...errors, required(at, 'nonResourceURLs must contain at least one value')]
  if (urls.includes('*')) return [...errors, ...starStandsAlone(urls, at, 'non-resource URLs')]
  const ofUrls = yield* itemErrors(urls, at, (url, place) => {
    const fault = pathFault(url)
    return fault === undefined ? [] : [invalid(place, url, fault)]
  })
  return [...errors, ...ofUrls]
}

/** Validates namespaces. A rule with clusterScope needs none. `*` must be the only one. */
function* validateNamespaces(namespaces: readonly string[], clusterScope: boolean, path: FieldPath): Steps<FieldError[]> {
  if (namespaces.length === 0) {
    return clusterScope ? [] : [required(path, 'resource rules that are not cluster scoped must supply at least one namespace')]
  }
  if (namespaces.includes('*')) return starStandsAlone(namespaces, path, 'namespaces')
  return yield* itemErrors(namespaces, path, (name, at) =>
    nameIsDnsLabel(name, false).map(text => invalid(at, name, `each member of this list must be '*' or a DNS-1123 label; ${text}`)),
  )
}

/** Validates a resource rule. API groups and resources need not exist. */
function* validateResourceRule(
  { verbs, apiGroups, resources, namespaces, clusterScope }: ResourcePolicyRule,
  path: FieldPath,
): Steps<FieldError[]> {
  const list = (items: readonly string[], member: string, one: string, others: string): FieldError[] => {
    const at = path.child(member)
    return items.length === 0 ? [required(at, `resource rules must supply at least one ${one}`)] : starStandsAlone(items, at, others)
  }
  return [
    ...validateVerbs(verbs ?? [], path.child('verbs')),
    ...list(apiGroups ?? [], 'apiGroups', 'api group', 'api groups'),
    ...list(resources ?? [], 'resources', 'resource', 'resources'),
    ...(yield* validateNamespaces(namespaces ?? [], clusterScope === true, path.child('namespaces'))),
  ]
}

/**
 * Validates a rule, which needs a subject and a rule for resources or paths. Errors come in this order: subjects,
 * missing rules, resource rules, non-resource rules.
 */
export function* validateFlowRule(
  { subjects: given, resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects,
  path: FieldPath,
): Steps<FieldError[]> {
  const subjects = given ?? []
  const errors = yield* itemErrors(subjects, path.child('subjects'), validateSubject)
  if (subjects.length === 0) errors.push(required(path.child('subjects'), 'subjects must contain at least one value'))
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'))
  }
  return [
    ...errors,
    ...(yield* itemErrors(resourceRules, path.child('resourceRules'), validateResourceRule)),
    ...(yield* itemErrors(nonResourceRules, path.child('nonResourceRules'), validatePathRule)),
  ]
}
