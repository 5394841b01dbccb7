import type { User } from '../../meta/context.ts'
import { authenticated } from './authenticator.ts'
import { commonAudiences } from './common-audiences.ts'
import type { TokenAuthenticator } from './token.ts'

/**
 * Authenticates bearer tokens of `--token-auth-file`, with lines of `token,user,uid[,"group1,group2"]`
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file). They have no audiences,
 * so they are valid for this server.
 */
export const fileTokens =
  (users: ReadonlyMap<string, User>, serverAudiences: readonly string[]): TokenAuthenticator =>
  (token, audiences) => {
    const user = users.get(token)
    if (user === undefined) return undefined
    const meant = commonAudiences(audiences, serverAudiences)
    return meant.length === 0 && audiences.length > 0 ? undefined : { user, audiences: meant, source: 'token file' }
  }

/** Parses the file. Throws an Error that names the line. */
export function parseTokenFile(text: string, file: string): Map<string, User> {
  const users = new Map<string, User>()
  for (const { fields, line } of parseCsv(text, file)) {
    const [token = '', name = '', uid = '', groups] = fields
    if (fields.length < 3)
      throw new Error(
        `token file '${file}' must have at least 3 columns (token, user name, user uid), found ${fields.length} in line ${line}`,
      )
    if (token === '') continue
    users.set(
      token,
      authenticated({ name, groups: groups === undefined || groups === '' ? [] : groups.split(','), ...(uid !== '' && { uid }) }),
    )
  }
  return users
}

/** Parses CSV (RFC 4180): fields may be quoted, a quote within is doubled. Empty lines are skipped. */
function parseCsv(text: string, file: string): { fields: string[]; line: number }[] {
  const rows: { fields: string[]; line: number }[] = []
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    if (row.trim() === '') continue
    const fields: string[] = []
    let rest = row
    for (;;) {
      const match = /^\s*"((?:[^"]|"")*)"\s*(,|$)/.exec(rest) ?? /^([^",]*)(,|$)/.exec(rest)
      if (match === null) throw new Error(`${file}: line ${index + 1}: a quote that does not enclose a field`)
      fields.push((match[1] ?? '').replaceAll('""', '"'))
      rest = rest.slice(match[0].length)
      if (match[2] === '') break
    }
    rows.push({ fields, line: index + 1 })
  }
  return rows
}
