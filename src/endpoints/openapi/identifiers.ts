/** `rbac.authorization.k8s.io` → `rbacAuthorization`; a letter after something else is a capital. */
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

/** A group in operation ids and tags: `core`, `apps`, `rbac.authorization`. Source: kube-openapi's GetOperationIDAndTags. */
export const groupName = (group: string): string => (group === '' ? 'core' : group.replace(/\.k8s\.io$/, ''))

/** A kind as descriptions name one object of it: `a Pod`, `an Ingress`, `Endpoints`. Source: apiserver's GetArticleForNoun. */
export function withArticle(kind: string): string {
  if (kind.endsWith('s') && !kind.endsWith('ss')) return kind
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`
}
