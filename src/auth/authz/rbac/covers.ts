import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { coversPath, type PolicyRule } from './policy.ts'

const ALL = '*'

/** The same rights as rules of one verb and one resource, name or path each. */
export const breakDown = (rule: PolicyRule): PolicyRule[] => [...singleRights(rule)]

function* singleRights(rule: PolicyRule): Generator<PolicyRule> {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs ?? []) {
        const one = { verbs: [verb], apiGroups: [group], resources: [resource] }
        if (resourceNames.length === 0) yield one
        else for (const name of resourceNames) yield { ...one, resourceNames: [name] }
      }
  for (const url of nonResourceURLs) for (const verb of verbs ?? []) yield { verbs: [verb], nonResourceURLs: [url] }
}

const hasAll = (owned: readonly string[] | null | undefined, wanted: readonly string[] | null | undefined): boolean =>
  (wanted ?? []).every(one => owned?.includes(one) ?? false)
const hasAllOrStar = (owned: readonly string[] | null | undefined, wanted: readonly string[] | null | undefined): boolean =>
  (owned?.includes(ALL) ?? false) || hasAll(owned, wanted)

const coversResource = (owned: readonly string[] | undefined, resource: string): boolean => {
  const slash = resource.indexOf('/')
  return hasAllOrStar(owned, [resource]) || (slash >= 0 && (owned?.includes(`*${resource.slice(slash)}`) ?? false))
}

/** Whether one rule gives all that another does. It may be given by several rules together, which is why rights are compared one by one. */
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

/** What a user lacks. */
export interface MissingRights {
  /** Each as a rule of its own. */
  readonly rules: readonly PolicyRule[]
  /** There are more rights than are compared: a rule has as many as its groups, resources, verbs and names multiply to. */
  readonly areMore: boolean
}

/** The same in steps, for rules that a client sends. At most `limit` rights are compared, but for rules that one owned rule covers as a whole. */
export function* missingRights(owned: readonly PolicyRule[], wanted: readonly PolicyRule[], limit: number): Steps<MissingRights> {
  const rules: PolicyRule[] = []
  let compared = 0
  for (const rule of wanted) {
    if (owned.some(owner => ruleCovers(owner, rule))) continue
    for (const single of singleRights(rule)) {
      if (++compared > limit) return { rules, areMore: true }
      if (!owned.some(owner => ruleCovers(owner, single))) rules.push(single)
      if (isStepDone()) yield
    }
  }
  return { rules, areMore: false }
}
