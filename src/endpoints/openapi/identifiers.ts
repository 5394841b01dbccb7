/**
 * Converts a name to an identifier: `rbac.authorization.k8s.io` → `rbacAuthorization`. Other characters are dropped,
 * and the letter behind them is capitalized.
 */
export function identifier(text: string, capital: boolean): string {
  let out = ''
  let up = capital
  for (const [i, char] of [...text].entries()) {
    if (/[\p{L}_]/u.test(char) || (i > 0 && /\p{Nd}/u.test(char))) {
      out += up ? char.toUpperCase() : char
      up = false
    } else up = true
  }
  return out
}

/**
 * Returns the name of a group in operation ids and tags: `core`, `apps`, `rbac.authorization`. Source: kube-openapi's
 * GetOperationIDAndTags.
 */
export const groupName = (group: string): string => (group === '' ? 'core' : group.replace(/\.k8s\.io$/, ''))

/**
 * Returns a kind with its article, for descriptions: `a Pod`, `an Ingress`, `Endpoints`. Source: apiserver's
 * GetArticleForNoun.
 */
export function withArticle(kind: string): string {
  if (kind.endsWith('s') && !kind.endsWith('ss')) return kind
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`
}
