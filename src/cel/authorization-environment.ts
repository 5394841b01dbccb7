import type { StructDeclaration } from './declarations.ts'
import { type Environment, extend, structWith } from './environment.ts'
import { structOf } from './type.ts'

/** Name of the type of `request`. */
const REVIEW = 'kubernetes.SubjectAccessReviewSpec'
/** Fields of ResourceAttributes in every release. */
const ATTRIBUTES = {
  namespace: 'string',
  verb: 'string',
  group: 'string',
  version: 'string',
  resource: 'string',
  subresource: 'string',
  name: 'string',
}
/** Further fields if AuthorizeWithSelectors is enabled. */
const SELECTORS = { fieldSelector: 'kubernetes.FieldSelectorAttributes', labelSelector: 'kubernetes.LabelSelectorAttributes' }
/** Selectors of both kinds have the same fields. */
const SELECTOR = structWith({ rawSelector: 'string', requirements: 'list(kubernetes.SelectorRequirement)' })

/** Types of an authorization.k8s.io SubjectAccessReviewSpec. */
const STRUCTS: Readonly<Record<string, StructDeclaration>> = {
  [REVIEW]: structWith({
    resourceAttributes: 'kubernetes.ResourceAttributes',
    nonResourceAttributes: 'kubernetes.NonResourceAttributes',
    user: 'string',
    groups: 'list(string)',
    extra: 'map(string, list(string))',
    uid: 'string',
  }),
  'kubernetes.NonResourceAttributes': structWith({ path: 'string', verb: 'string' }),
  'kubernetes.FieldSelectorAttributes': SELECTOR,
  'kubernetes.LabelSelectorAttributes': SELECTOR,
  'kubernetes.SelectorRequirement': structWith({ key: 'string', operator: 'string', values: 'list(string)' }),
}
const WITHOUT_SELECTORS = structWith(ATTRIBUTES)
const WITH_SELECTORS = structWith({ ...ATTRIBUTES, ...SELECTORS })

/**
 * Environment of the match conditions of an authorization webhook. Declares `request`, the spec of the
 * SubjectAccessReview that would be sent. Source: k8s.io/apiserver, pkg/authorization/cel.
 * @param selectors whether the feature gate AuthorizeWithSelectors is enabled.
 */
export function authorizationEnvironment(base: Environment, selectors: boolean): Environment {
  const attributes = selectors ? WITH_SELECTORS : WITHOUT_SELECTORS
  return extend(base, { request: structOf(REVIEW) }, name => {
    if (name === 'kubernetes.ResourceAttributes') return attributes
    return Object.hasOwn(STRUCTS, name) ? STRUCTS[name] : undefined
  })
}
