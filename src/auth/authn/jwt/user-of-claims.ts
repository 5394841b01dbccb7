import type { Value } from '../../../cel/values/value.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { quote } from '../../../lib/go-quote.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { User } from '../../../meta/context.ts'
import { booleanOf, type Claims, claimOf, readClaim, stringOf, stringsOf } from './claims.ts'
import { claimStrings, claimsValue, userValue } from './claims-value.ts'
import { type ClaimExpression, evaluate } from './expressions.ts'
import type { CompiledRule } from './rules-validation.ts'
import type { CompiledJwt } from './validation.ts'

const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id'

/** Maps the claims of a token to a user and evaluates the validation rules. Throws an Error with upstream's message. */
export async function userOfClaims(claims: Claims, compiled: CompiledJwt, release: Release): Promise<User> {
  let made: Value | undefined
  const seen = (): Value => {
    made ??= claimsValue(claims, release)
    return made
  }
  const name = await usernameOf(claims, compiled, seen)
  const groups = await claimGroups(claims, compiled, seen)
  const uid = await uidOf(claims, compiled, seen)
  const extra = await extraOf(claims, compiled, seen, release)
  const user: User = { name, groups, ...(uid !== '' && { uid }), ...(Object.keys(extra).length > 0 && { extra }) }
  checkRequired(claims, compiled)
  if (compiled.claimRules.length > 0) await checkRules(compiled.claimRules, seen(), 'oidc: error evaluating claim validation expression')
  if (compiled.userRules.length > 0)
    await checkRules(compiled.userRules, userValue(user, release), 'oidc: error evaluating user info validation rule')
  return user
}

/** Prefixes the message of an error. */
async function prefixRejection<T>(words: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new Error(`${words}: ${errorMessage(error)}`)
  }
}

/** Evaluates an expression that must return a string. */
const evaluateText = (expression: ClaimExpression, seen: () => Value, what: string): Promise<string> =>
  prefixRejection(`oidc: error evaluating ${what} claim expression`, async () => {
    const value = await evaluate(expression, seen())
    if (typeof value !== 'string') throw new Error(`${what} claim expression must return a string`)
    return value
  })

/** User name, from an expression or a claim with prefix. Throws an Error with upstream's message. */
async function usernameOf(claims: Claims, { mappings, configuration }: CompiledJwt, seen: () => Value): Promise<string> {
  if (mappings.username) {
    const name = await evaluateText(mappings.username, seen, 'username')
    if (name === '') throw new Error('oidc: empty username via CEL expression is not allowed')
    return name
  }
  const { claim, prefix = '' } = configuration.claimMappings.username
  const name = await prefixRejection(`oidc: parse username claims ${quote(claim)}`, () => readClaim(claims, claim, stringOf))
  // An unverified address does not identify a user (OpenID Connect Core 1.0, section 5.1).
  if (claim === 'email' && claimOf(claims, 'email_verified') !== undefined) {
    const isVerified = await prefixRejection("oidc: parse 'email_verified' claim", () => readClaim(claims, 'email_verified', booleanOf))
    if (!isVerified) throw new Error('oidc: email not verified')
  }
  return prefix + name
}

/** Groups, from a claim with prefix or an expression. An absent claim means no groups. */
async function claimGroups(claims: Claims, { mappings, configuration }: CompiledJwt, seen: () => Value): Promise<readonly string[]> {
  const { claim, prefix = '' } = configuration.claimMappings.groups
  const { groups } = mappings
  if (claim !== '' && claimOf(claims, claim) !== undefined) {
    const names = await prefixRejection(`oidc: parse groups claim ${quote(claim)}`, () => readClaim(claims, claim, stringsOf))
    return names.map(name => prefix + name)
  }
  return groups
    ? prefixRejection('oidc: error evaluating group claim expression', async () => claimStrings(await evaluate(groups, seen())))
    : []
}

async function uidOf(claims: Claims, { mappings, configuration }: CompiledJwt, seen: () => Value): Promise<string> {
  const { claim } = configuration.claimMappings.uid
  if (claim !== '') return prefixRejection(`oidc: parse uid claim ${quote(claim)}`, () => readClaim(claims, claim, stringOf))
  return mappings.uid ? evaluateText(mappings.uid, seen, 'uid') : ''
}

/**
 * Extra attributes, from expressions, and the token's ID since 1.32. All expressions are evaluated before results are
 * checked.
 */
async function extraOf(
  claims: Claims,
  { mappings }: CompiledJwt,
  seen: () => Value,
  release: Release,
): Promise<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = {}
  const id = claimOf(claims, 'jti')
  if (isSince(release, '1.32') && typeof id === 'string' && id !== '') extra[CREDENTIAL_ID] = [`JTI=${id}`]
  const values: (readonly [string, ClaimExpression, Value])[] = []
  for (const { key, compiled } of mappings.extra) values.push([key, compiled, await evaluate(compiled, seen())])
  for (const [key, { expression }, value] of values) {
    const texts = await prefixRejection(`oidc: error evaluating extra claim expression: ${expression}`, () => claimStrings(value))
    if (texts.length > 0) extra[key] = texts
  }
  return extra
}

/** Checks claims with a required value, which must be strings. */
function checkRequired(claims: Claims, { configuration }: CompiledJwt): void {
  for (const { claim, requiredValue } of configuration.claimValidationRules) {
    if (claim === '') continue
    const found = claimOf(claims, claim)
    if (found === undefined) throw new Error(`oidc: required claim ${claim} not present in ID token`)
    let value: string
    try {
      value = stringOf(found)
    } catch (error) {
      throw new Error(`oidc: parse claim ${claim}: ${errorMessage(error)}`)
    }
    if (value !== requiredValue)
      throw new Error(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`)
  }
}

/** Evaluates all rules before checking the results, as upstream. */
async function checkRules(rules: readonly CompiledRule[], value: Value, words: string): Promise<void> {
  await prefixRejection(words, async () => {
    const results: Value[] = []
    for (const { compiled } of rules) results.push(await evaluate(compiled, value))
    for (const [i, { compiled, message }] of rules.entries()) {
      if (typeof results[i] !== 'boolean') throw new Error('validation expression must return a boolean')
      if (results[i] === false) throw new Error(`validation expression '${compiled.expression}' failed: ${message}`)
    }
  })
}
