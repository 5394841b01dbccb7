import { parseDeclarations } from '../declarations.ts'

/**
 * Selectors in resource checks (feature gate AuthorizeWithSelectors; since 1.31):
 * `authorizer.group('').resource('pods').fieldSelector('spec.nodeName=a').check('list')`. A selector that cannot be
 * parsed is not an error; it is ignored. Source: kubernetes/apiserver, pkg/cel/library/authz.go.
 */
export const AUTHZ_SELECTORS = parseDeclarations(`
  authorizer_fieldselector: .fieldSelector(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
  authorizer_labelselector: .labelSelector(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
`)
