import { declare } from '../declarations.ts'

/**
 * Selectors in checks of resources (gate AuthorizeWithSelectors; since 1.31):
 * `authorizer.group('').resource('pods').fieldSelector('spec.nodeName=a').check('list')`.
 * A text that can't be parsed as a selector is no error here: it narrows nothing.
 * Source: kubernetes/apiserver, pkg/cel/library/authz.go.
 */
export const AUTHZ_SELECTORS = declare(`
  authorizer_fieldselector: .fieldSelector(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
  authorizer_labelselector: .labelSelector(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
`)
