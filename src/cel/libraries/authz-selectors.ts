import { declare } from '../declarations.ts'

/** Selectors in checks of resources (gate AuthorizeWithSelectors). */
export const AUTHZ_SELECTORS = declare(`
  authorizer_fieldselector: .fieldSelector(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
  authorizer_labelselector: .labelSelector(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
`)
