import type { MatchResources, NamedRuleWithOperations } from '../../api/admissionregistration/v1.types.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import { requestedResource, type VersionedResource } from '../attributes.ts'
import { type GetNamespace, type MatchPolicy, matchRules, namespaceMatches, objectMatches, Selector } from '../matching.ts'

/** Parsed MatchResources. A rule without resourceNames matches every name. */
export interface ParsedMatchResources {
  readonly namespaces: Selector
  readonly objects: Selector
  /** Empty matches everything. */
  readonly rules: readonly NamedRuleWithOperations[]
  readonly excluded: readonly NamedRuleWithOperations[]
  readonly policy: MatchPolicy
}

/** Parses MatchResources. A malformed selector throws when it is used. */
export const readMatchResources = ({
  namespaceSelector,
  objectSelector,
  resourceRules,
  excludeResourceRules,
  matchPolicy,
}: MatchResources): ParsedMatchResources => ({
  namespaces: new Selector(namespaceSelector),
  objects: new Selector(objectSelector),
  rules: resourceRules ?? [],
  excluded: excludeResourceRules ?? [],
  policy: matchPolicy === 'Equivalent' ? 'Equivalent' : 'Exact',
})

/**
 * Matches a request by resource rules alone, which needs no I/O and excludes most requests. Returns the matched
 * version. @param asked resource and kind of the request itself.
 */
export function matchedByRules(
  match: ParsedMatchResources,
  request: AdmissionRequest,
  asked: VersionedResource,
): VersionedResource | undefined {
  const found = match.rules.length === 0 ? asked : matchRules(match.rules, match.policy, request, asked)
  return found && !matchRules(match.excluded, match.policy, request, asked) ? found : undefined
}

/**
 * Matches a request by rules and selectors. Returns the matched version, or undefined if it does not match. Errors of a
 * selector or of the namespace are thrown only if everything else matches: a policy for other resources never fails a
 * request.
 */
export async function matchResources(
  match: ParsedMatchResources,
  request: AdmissionRequest,
  getNamespace: GetNamespace,
): Promise<VersionedResource | undefined> {
  // Rules first, since they cannot fail.
  const found = matchedByRules(match, request, requestedResource(request))
  return found && (await isSelected(match, request, getNamespace)) ? found : undefined
}

/**
 * Whether the selectors match the namespace and the object of a request. Returns true synchronously if both select
 * everything.
 */
export const isSelected = (match: ParsedMatchResources, request: AdmissionRequest, getNamespace: GetNamespace): true | Promise<boolean> =>
  (match.namespaces.isEmpty && match.objects.isEmpty) || selectsBoth(match, request, getNamespace)

/** Evaluates both selectors. Errors are thrown only if nothing excludes the request. */
async function selectsBoth(match: ParsedMatchResources, request: AdmissionRequest, getNamespace: GetNamespace): Promise<boolean> {
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

/** Evaluates the object selector. An error is kept, and counts as a match for now. */
function selects(selector: Selector, request: AdmissionRequest, keep: (fault: unknown) => true): boolean {
  try {
    return objectMatches(selector, request)
  } catch (fault) {
    return keep(fault)
  }
}
