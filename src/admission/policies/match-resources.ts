import type { AdmissionRequest } from '../../registry/types.ts'
import { type About, aboutRequest } from '../attributes.ts'
import { type GetNamespace, type MatchPolicy, matchRules, namespaceMatches, objectMatches, type Rule, Selector } from '../matching.ts'
import type { MatchConstraints } from './policy.ts'

/** admissionregistration.k8s.io MatchResources, read once. */
export interface MatchResources {
  readonly namespaces: Selector
  readonly objects: Selector
  /** Empty: everything. */
  readonly rules: readonly Rule[]
  readonly excluded: readonly Rule[]
  readonly policy: MatchPolicy
}

/** Selectors that cannot be parsed are kept, and fail when they are asked. */
export const readMatchResources = ({
  namespaceSelector,
  objectSelector,
  resourceRules,
  excludeResourceRules,
  matchPolicy,
}: MatchConstraints): MatchResources => ({
  namespaces: new Selector(namespaceSelector),
  objects: new Selector(objectSelector),
  rules: resourceRules ?? [],
  excluded: excludeResourceRules ?? [],
  policy: matchPolicy === 'Equivalent' ? 'Equivalent' : 'Exact',
})

/** In which version of its resource a request matches by the rules alone, which decide most often and ask nobody. @param asked what the request itself is about. */
export function matchedByRules(match: MatchResources, request: AdmissionRequest, asked: About): About | undefined {
  const found = match.rules.length === 0 ? asked : matchRules(match.rules, match.policy, request, asked)
  return found && !matchRules(match.excluded, match.policy, request, asked) ? found : undefined
}

/**
 * In which version of its resource a request matches; undefined where it does not. What is wrong with a selector, or with the namespace, is thrown only where all else matches: a
 * policy that is not for the request does not fail it.
 */
export async function matchResources(match: MatchResources, request: AdmissionRequest, getNamespace: GetNamespace): Promise<About | undefined> {
  // Rules come first: what they say does not depend on the selectors.
  const found = matchedByRules(match, request, aboutRequest(request))
  return found && (await isSelected(match, request, getNamespace)) ? found : undefined
}

/** Whether the selectors pick the namespace and the object of a request that the rules match: at once where they pick everything. */
export const isSelected = (match: MatchResources, request: AdmissionRequest, getNamespace: GetNamespace): true | Promise<boolean> =>
  (match.namespaces.isEmpty && match.objects.isEmpty) || selectsBoth(match, request, getNamespace)

async function selectsBoth(match: MatchResources, request: AdmissionRequest, getNamespace: GetNamespace): Promise<boolean> {
  const faults: unknown[] = []
  const keep = (fault: unknown): true => {
    faults.push(fault)
    return true
  }
  if (!(await namespaceMatches(match.namespaces, request, getNamespace).catch(keep))) return false
  if (!selects(match.objects, request, keep)) return false
  if (faults.length > 0) throw faults[0]
  return true
}

function selects(selector: Selector, request: AdmissionRequest, keep: (fault: unknown) => true): boolean {
  try {
    return objectMatches(selector, request)
  } catch (fault) {
    return keep(fault)
  }
}
