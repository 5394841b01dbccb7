import { coversPath, type PolicyRule } from './policy.ts'

const ALL = '*'

/** The same rights as rules of one verb and one resource, name or path each. */
export function breakDown(rule: PolicyRule): PolicyRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const single: PolicyRule[] = []
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs ?? []) {
        const one = { verbs: [verb], apiGroups: [group], resources: [resource] }
        if (resourceNames.length === 0) single.push(one)
        else for (const name of resourceNames) single.push({ ...one, resourceNames: [name] })
      }
  for (const url of nonResourceURLs) for (const verb of verbs ?? []) single.push({ verbs: [verb], nonResourceURLs: [url] })
  return single
}

const hasAll = (owned: readonly string[] | null | undefined, wanted: readonly string[] | null | undefined): boolean =>
  (wanted ?? []).every(one => owned?.includes(one) ?? false)
const hasAllOrStar = (owned: readonly string[] | null | undefined, wanted: readonly string[] | null | undefined): boolean =>
  (owned?.includes(ALL) ?? false) || hasAll(owned, wanted)

const coversResource = (owned: readonly string[] | undefined, resource: string): boolean => {
  const slash = resource.indexOf('/')
  return hasAllOrStar(owned, [resource]) || (slash >= 0 && (owned?.includes(`*${resource.slice(slash)}`) ?? false))
}

/** `single`: of one verb and one resource, as `breakDown` makes them. */
function ruleCovers(owner: PolicyRule, single: PolicyRule): boolean {
  const anyName = (owner.resourceNames?.length ?? 0) === 0
  return (
    hasAllOrStar(owner.verbs, single.verbs) &&
    hasAllOrStar(owner.apiGroups, single.apiGroups) &&
    (single.resources ?? []).every(resource => coversResource(owner.resources, resource)) &&
    (anyName || ((single.resourceNames?.length ?? 0) > 0 && hasAll(owner.resourceNames, single.resourceNames))) &&
    (single.nonResourceURLs ?? []).every(url => owner.nonResourceURLs?.some(owned => coversPath(owned, url)) ?? false)
  )
}

/** What of the wanted rights the owned rules do not give, each as a rule of its own. */
export const missingRules = (owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] =>
  wanted.flatMap(breakDown).filter(single => !owned.some(owner => ruleCovers(owner, single)))
